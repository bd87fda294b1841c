/** The frame of the pages of one meter: its head, its troubles, and the chosen page. */
import { useComputed } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Unit } from '../../client/index.ts';
import { METER_PAGES } from '../pages.ts';
import { askAbilities, can, hasFiles } from '../state/abilities.ts';
import { type MeterPart, meterPath } from '../state/address.ts';
import { changes, type Known, meters, wrongAt } from '../state/fleet.ts';
import { stateWord, type Trouble } from '../state/trouble.ts';
import { Link } from '../ui/link.tsx';
import { say } from '../words/say.ts';
import { useTitle } from './title.ts';

type Part = MeterPart['name'];

interface Props {
  readonly unitId: string;
  readonly part: Part;
  readonly View: ComponentType<{ readonly known: Known; readonly unit: Unit }>;
}

/** Whether a meter has what a page needs. While it is unknown, the page is offered. */
const HAS = { files: hasFiles, start: (unitId: string) => can(unitId, 'start', 'stop') };

export function MeterPage({ unitId, part, View }: Props) {
  const known = meters.value?.get(unitId);
  if (!meters.value) return <p class="soft">{say('The meter is being asked for ...')}</p>;
  if (!known) {
    return (
      <section class="card">
        <h1>{say('There is no meter {name}', { name: unitId })}</h1>
        <p>
          {say('It was removed, or this key is not for it.')} <Link to="">{say('All meters')}</Link>
        </p>
      </section>
    );
  }
  return <OfMeter known={known} part={part} View={View} />;
}

function OfMeter({ known, part, View }: Omit<Props, 'unitId'> & { readonly known: Known }) {
  const unit = known.unit.value;
  const troubles = useComputed(() => wrongAt(known.unit.value)).value;
  const heading = unit.name ?? unit.unit_id;
  useTitle(heading);
  // A config may name another family.
  useEffect(() => void askAbilities(unit.unit_id), [unit.unit_id, changes.value.config]);
  const { word, look } = stateWord(unit);
  // All times of these pages are those of the meter's place. This is said here, and nowhere else on them.
  const about = [unit.place, unit.name ? unit.unit_id : null, say('times of {zone}', { zone: unit.timezone })];
  return (
    <>
      <div class="row end">
        <div>
          <h1 dir="auto">{heading}</h1>
          <p class="soft" dir="auto">
            {about.filter((each) => each !== null).join(' · ')}
          </p>
        </div>
        <span class={`state ${look}`}>{word}</span>
      </div>
      <nav class="tabs" aria-label={say('Of this meter')}>
        {METER_PAGES.filter(({ name, needs }) => name === part || needs === null || HAS[needs](unit.unit_id)).map(
          ({ name, title }) => (
            <Link key={name} class="tab" to={meterPath(unit.unit_id, name)} current={part === name}>
              {title(say)}
            </Link>
          ),
        )}
      </nav>
      <Troubles troubles={troubles} />
      <View known={known} unit={unit} />
    </>
  );
}

function Troubles({ troubles }: { readonly troubles: readonly Trouble[] }) {
  if (troubles.length === 0) return null;
  return (
    <ul class="trouble-list" aria-label={say('What is wrong')} aria-live="polite">
      {troubles.map(({ kind, name, what, todo, at }) => (
        <li key={`${name} ${what}`} class={`trouble ${kind}`}>
          <strong>
            {name !== undefined && (
              <>
                <bdi>{name}</bdi>:{' '}
              </>
            )}
            {what}
          </strong>{' '}
          {todo} {at !== undefined && <Link to={at}>{say('See the alert')}</Link>}
        </li>
      ))}
    </ul>
  );
}
