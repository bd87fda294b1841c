/** The frame of the pages of one meter: its head, its troubles, and the chosen page. */
import { useComputed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { AssessmentPage } from '../assessment/assessment-page.tsx';
import { CampaignPage } from '../campaign/campaign-page.tsx';
import { DaysPage } from '../days/days-page.tsx';
import { EvidencePage } from '../evidence/evidence-page.tsx';
import { FilesPage } from '../files/files-page.tsx';
import { HistoryPage } from '../history/history-page.tsx';
import { LivePage } from '../live/live-page.tsx';
import { LogPage } from '../live/log-page.tsx';
import { askAbilities, can, hasFiles } from '../state/abilities.ts';
import { meterPath, type MeterPage as Part } from '../state/address.ts';
import { changes, type Known, meters, wrongAt } from '../state/fleet.ts';
import { stateWord, type Trouble } from '../state/trouble.ts';
import { Link } from '../ui/link.tsx';
import { say } from '../words/say.ts';
import { useTitle } from './title.ts';

const partsOf = (): readonly (readonly [part: Part, word: string])[] => [
  ['live', say('Live')],
  ['history', say('History')],
  ['days', say('Days')],
  ['assessment', say('Assessment')],
  ['evidence', say('Evidence')],
  ['files', say('Files')],
  ['campaign', say('Campaign')],
  ['log', say('Log')],
];

/** The pages of a meter whose family has no files, or no start, are not offered. */
function isOffered(unitId: string, part: Part): boolean {
  if (part === 'files') return hasFiles(unitId);
  return part !== 'campaign' || can(unitId, 'start', 'stop');
}

/** Head, links and the page `part` of a meter. */
export function MeterPage({ unitId, part }: { readonly unitId: string; readonly part: Part }) {
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
  return <OfMeter known={known} part={part} />;
}

function OfMeter({ known, part }: { readonly known: Known; readonly part: Part }) {
  const unit = known.unit.value;
  const troubles = useComputed(() => wrongAt(known.unit.value)).value;
  const title = unit.name ?? unit.unit_id;
  useTitle(title);
  // A config may name another family.
  useEffect(() => void askAbilities(unit.unit_id), [unit.unit_id, changes.value.config]);
  const { word, look } = stateWord(unit);
  // All times of these pages are those of the meter's place. This is said here, and nowhere else on them.
  const about = [unit.place, unit.name ? unit.unit_id : null, say('times of {zone}', { zone: unit.timezone })];
  return (
    <>
      <div class="row end">
        <div>
          <h1 dir="auto">{title}</h1>
          <p class="soft" dir="auto">
            {about.filter((each) => each !== null).join(' · ')}
          </p>
        </div>
        <span class={`state ${look}`}>{word}</span>
      </div>
      <nav class="tabs" aria-label={say('Of this meter')}>
        {partsOf()
          .filter(([each]) => each === part || isOffered(unit.unit_id, each))
          .map(([each, label]) => (
            <Link key={each} class="tab" to={meterPath(unit.unit_id, each)} current={part === each}>
              {label}
            </Link>
          ))}
      </nav>
      <Troubles troubles={troubles} />
      {part === 'live' && <LivePage known={known} />}
      {part === 'history' && <HistoryPage unit={unit} />}
      {part === 'days' && <DaysPage unit={unit} />}
      {part === 'assessment' && <AssessmentPage unit={unit} />}
      {part === 'evidence' && <EvidencePage unit={unit} />}
      {part === 'files' && <FilesPage unit={unit} />}
      {part === 'campaign' && <CampaignPage unit={unit} />}
      {part === 'log' && <LogPage unit={unit} />}
    </>
  );
}

/** The list of what is wrong; nothing where all is well. */
export function Troubles({ troubles }: { readonly troubles: readonly Trouble[] }) {
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
