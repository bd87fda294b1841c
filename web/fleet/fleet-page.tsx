/** All meters: those in trouble first. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client, mayAdminister } from '../state/access.ts';
import { go, PLAN, SAME_SCALE, search } from '../state/address.ts';
import { alarmed, type Known, meters, needing, recallLines } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { countOfMeters } from '../state/numbers.ts';
import { Flag } from '../ui/field.tsx';
import { Link } from '../ui/link.tsx';
import { OtherSites } from '../ui/other-sites.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { say, sayWith } from '../words/say.ts';
import type { PlanProps } from './fleet-plan.tsx';
import { positionOf } from './plan.ts';
import { UnitList } from './unit-list.tsx';

type Order = 'trouble' | 'name' | 'loud';

interface Props {
  /** It is not in the first script. */
  readonly Plan: ComponentType<PlanProps>;
}

export function FleetPage({ Plan }: Props) {
  const [text, setText] = useState('');
  const [tag, setTag] = useState('');
  const [order, setOrder] = useState<Order>('trouble');
  const isPlanAsked = search.value.get('view') === 'plan';
  const plan = usePlan(isPlanAsked);
  const known = meters.value;
  useEffect(() => {
    if (known) void recallLines();
  }, [known === undefined]);
  const [loud, wrong] = [alarmed.value.split(','), needing.value.split(',')].map((ids) => new Set(ids));
  const rankOf = (unitId: string) => (loud?.has(unitId) ? 0 : wrong?.has(unitId) ? 1 : 2);
  if (!known) return <Skeleton what={say('The meters are being asked for ...')} />;
  if (known.size === 0)
    return (
      <>
        <NoMeters />
        <OtherSites />
      </>
    );
  const shown = [...known.values()].filter(({ unit }) => matches(unit.peek(), text, tag)).sort(byOrder(order, rankOf));
  const hasPlan = plan?.picture || [...known.values()].some(({ unit }) => positionOf(unit.peek()));
  const isSame = search.value.get('scale') === 'same';
  const isPlan = hasPlan && isPlanAsked;
  return (
    <>
      <h1 class="hidden-label">{say('Meters')}</h1>
      <div class="row end">
        <div class="row">
          <Summary known={known} />
          {hasPlan && <ListOrPlan isPlan={isPlan} />}
        </div>
        <search class="row">
          <label class="hidden-label" for="search">
            {say('Search')}
          </label>
          <input
            id="search"
            type="search"
            placeholder={say('Search name or place')}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <Tags known={known} tag={tag} choose={setTag} />
          {!isPlan && (
            <>
              <label class="hidden-label" for="order">
                {say('Order ## of the list')}
              </label>
              <select id="order" value={order} onChange={({ currentTarget }) => setOrder(currentTarget.value as Order)}>
                <option value="trouble">{say('Trouble first')}</option>
                <option value="name">{say('By name')}</option>
                <option value="loud">{say('Loudest first')}</option>
              </select>
              <Flag
                label={say('Same scale')}
                value={isSame}
                change={(same) => go(same ? SAME_SCALE : '', { replace: true })}
              />
            </>
          )}
        </search>
      </div>
      {isPlan ? (
        <Plan shown={shown} plan={plan} />
      ) : (
        <UnitList shown={shown} label={say('Meters')} sameScale={isSame} />
      )}
      {shown.length === 0 && <p class="soft">{say('No meter fits this search.')}</p>}
      {!isPlan && <OtherSites />}
    </>
  );
}

function ListOrPlan({ isPlan }: { readonly isPlan: boolean }) {
  return (
    <nav class="row view" aria-label={say('List or plan')}>
      <Link to="" class="tab" current={!isPlan}>
        {say('List')}
      </Link>
      <Link to={PLAN} class="tab" current={isPlan}>
        {say('Plan')}
      </Link>
    </nav>
  );
}

function NoMeters() {
  return (
    <section class="card">
      <h1>{say('No meters yet')}</h1>
      {mayAdminister.value ? (
        <p>
          {sayWith('{link}: only its address in the network is needed.', {
            link: <Link to="settings">{say('Add the first one')}</Link>,
          })}
        </p>
      ) : (
        <p>{say('Somebody with a key of the role admin can add one.')}</p>
      )}
    </section>
  );
}

function Summary({ known }: { readonly known: ReadonlyMap<string, Known> }) {
  const inTrouble = needing.value === '' ? 0 : needing.value.split(',').length;
  const all = countOfMeters(known.size);
  return (
    <p class="soft">
      {inTrouble === 0
        ? say('{all}, none needs attention', { all })
        : say('{all}, {count} needs attention|{all}, {count} need attention', { all, count: inTrouble })}
    </p>
  );
}

function Tags({
  known,
  tag,
  choose,
}: {
  readonly known: ReadonlyMap<string, Known>;
  readonly tag: string;
  choose(tag: string): void;
}) {
  const tags = [...new Set([...known.values()].flatMap(({ unit }) => unit.peek().tags ?? []))].sort();
  if (tags.length === 0) return null;
  return (
    <>
      <label class="hidden-label" for="tag">
        {say('Tag')}
      </label>
      <select id="tag" value={tag} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="">{say('All tags')}</option>
        {tags.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </>
  );
}

function matches({ unit_id, name, place, tags }: Known['unit']['value'], text: string, tag: string): boolean {
  if (tag !== '' && !tags?.includes(tag)) return false;
  const wanted = text.trim().toLocaleLowerCase();
  return [unit_id, name, place, ...(tags ?? [])].some((each) => each?.toLocaleLowerCase().includes(wanted));
}

const titleOf = ({ unit }: Known): string => unit.peek().name ?? unit.peek().unit_id;

function byOrder(order: Order, rankOf: (unitId: string) => number): (one: Known, other: Known) => number {
  const byName = (one: Known, other: Known) => titleOf(one).localeCompare(titleOf(other), undefined, { numeric: true });
  // Rows are sorted only when the page is drawn, so that changing values do not move them under the pointer.
  const weight = ({ unit }: Known): number => {
    if (order === 'loud') return -(unit.peek().leq ?? Number.NEGATIVE_INFINITY);
    return order === 'trouble' ? rankOf(unit.peek().unit_id) : 0;
  };
  return (one, other) => (weight(one) === weight(other) ? byName(one, other) : weight(one) < weight(other) ? -1 : 1);
}

/** After the first view there is time, ms. */
const LATER_MS = 3_000;

/** Undefined until the gateway has said it; `atOnce`: the plan is shown. */
function usePlan(atOnce: boolean): schemas.Plan | undefined {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), LATER_MS);
    return () => clearTimeout(timer);
  }, []);
  const isAsked = atOnce || isDue;
  const ask = async () => (isAsked ? await client.value.call<schemas.GetPlanAnswer>('/_plan') : undefined);
  return useFound(ask, [isAsked]).found?.data;
}
