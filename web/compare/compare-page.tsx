/** Several meters in one chart, or this time against an earlier one. The address says all of it, so it can be shared. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import type { History } from '../../client/index.ts';
import { chosenSpan, SpanChoice } from '../history/span-choice.tsx';
import { client } from '../state/access.ts';
import { go, search } from '../state/address.ts';
import { isoSpan } from '../state/chosen-time.ts';
import { meters, titleOf, unitOf } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { messageOf, Said, useAction } from '../ui/action.tsx';
import { Chart, zoomByHand } from '../ui/chart.tsx';
import { Checks, Choice } from '../ui/field.tsx';
import { say } from '../words/say.ts';
import { type Compared, comparedOf, linesOf } from './compare-lines.ts';
import { TwoDays } from './two-days.tsx';

const DAY_MS = 86_400_000;
const againstWords = () =>
  [
    ['0', say('with nothing else')],
    [String(DAY_MS), say('with the day before')],
    [String(7 * DAY_MS), say('with the week before')],
  ] as const;
const COLOURS = ['line-1', 'line-2', 'line-3', 'line-4', 'line-5', 'line-6'] as const;

type Span = ReturnType<typeof chosenSpan>;

interface Found extends Compared {
  readonly history: History | undefined;
  readonly failure: string | undefined;
}

async function ask({ unitId, earlier }: Compared, { from, to }: Span, signal: AbortSignal): Promise<Found> {
  const query = { ...isoSpan({ from: from - earlier, to: to - earlier }), quantities: 'leq,lp' };
  try {
    return { unitId, earlier, history: await client.value.history(unitId, query, signal), failure: undefined };
  } catch (error) {
    return { unitId, earlier, history: undefined, failure: messageOf(error) };
  }
}

/** The page at `/compare?units=roof,gate&last=604800000&against=604800000`. */
export function ComparePage() {
  const chosen = chosenSpan();
  const against = Math.max(0, Number(search.value.get('against')) || 0);
  const first = [...(meters.value?.keys() ?? [])].slice(0, 2).join();
  const units = search.value.get('units') ?? first;
  const compared = comparedOf(units, against);
  const { found = [] } = useFound(
    (signal) => Promise.all(compared.map((one) => ask(one, chosenSpan(), signal))),
    [search.value.toString(), units],
  );
  const days = Object.fromEntries([...search.value].filter(([name]) => /^(unit|day)_[ab]$/.test(name)));
  const addressOf = (more: Readonly<Record<string, string>>) => {
    const span = chosen.last === undefined ? isoSpan(chosen) : { last: String(chosen.last) };
    return `compare?${new URLSearchParams({ units, against: String(against), ...span, ...days, ...more })}`;
  };
  const base = `compare?${new URLSearchParams({ units, against: String(against), ...days })}`;
  const show = (from: number, to: number) => go(fixed(base, { from, to }), { replace: true });
  const zone = unitOf(compared[0]?.unitId ?? '')?.timezone ?? null;
  const choices = [...(meters.value?.values() ?? [])].map(
    ({ unit }) => [unit.value.unit_id, titleOf(unit.value.unit_id)] as const,
  );
  return (
    <>
      <h1>{say('Compare')}</h1>
      <SpanChoice chosen={chosen} zone={zone} showLast={(last) => go(`${base}&last=${last}`)} show={show} />
      <section class="card" aria-label={say('Levels')}>
        <div class="row end">
          <p class="soft">{zone ? say('Leq of each row, times of {zone}', { zone }) : say('Leq of each row')}</p>
          <Share path={fixed(base, chosen)} />
        </div>
        <ComparedChart found={found} zone={zone} show={show} />
        {found.map(({ unitId, earlier, failure, history }) => {
          const said =
            failure ?? (history && history.weighting === null ? say('nothing was recorded then.') : undefined);
          return (
            said && (
              <p key={`${unitId} ${earlier}`} class="soft small">
                <bdi>{nameOf({ unitId, earlier })}</bdi>: {said}
              </p>
            )
          );
        })}
        <p class="soft small">
          {say(
            'Drag over the chart to zoom; the wheel with Ctrl or Shift and two fingers zoom, too. The address of this page shows the same again.',
          )}
        </p>
      </section>
      <section class="card" aria-labelledby="what">
        <h2 id="what">{say('What is compared')}</h2>
        <Choice
          label={say('Each meter')}
          value={String(against)}
          choices={againstWords()}
          change={(next) => go(addressOf({ against: next }), { replace: true })}
        />
        <Checks
          label={say('Meters, six at most')}
          chosen={units.split(',')}
          choices={choices}
          change={(ids) => go(addressOf({ units: ids.join() }), { replace: true })}
        />
      </section>
      {first !== '' && <TwoDays choices={choices} first={compared[0]?.unitId ?? first} />}
    </>
  );
}

/** The address with two times. */
const fixed = (base: string, span: Pick<Span, 'from' | 'to'>): string =>
  `${base}&${Object.entries(isoSpan(span))
    .map(([name, at]) => `${name}=${at}`)
    .join('&')}`;

const nameOf = ({ unitId, earlier }: Compared): string => {
  if (earlier === 0) return titleOf(unitId);
  const name = titleOf(unitId);
  return earlier === 7 * DAY_MS ? say('{name}, the week before', { name }) : say('{name}, the day before', { name });
};

interface ChartProps {
  readonly found: readonly Found[];
  readonly zone: string | null;
  show(from: number, to: number): void;
}

function ComparedChart({ found, zone, show }: ChartProps) {
  const chart = useRef<uPlot | undefined>(undefined);
  const data = useMemo(() => linesOf(found), [found]);
  useEffect(() => chart.current?.setData(data as uPlot.AlignedData), [data]);
  const ids = [...new Set(found.map(({ unitId }) => unitId))];
  const zoomed = (from: number, to: number) => show(from * 1_000, to * 1_000);
  if (found.length === 0) return null;
  return (
    <Chart
      label={say('Levels of {names}', { names: found.map(nameOf).join('; ') })}
      height={360}
      zone={zone}
      onZoom={zoomed}
      lines={found.map((one) => ({
        label: nameOf(one),
        colour: COLOURS[ids.indexOf(one.unitId)] ?? 'second',
        width: one.earlier > 0 ? 1 : 2,
        ...(one.earlier > 0 && { dash: [5, 3] }),
      }))}
      onReady={(ready) => {
        chart.current = ready;
        ready.setData(data as uPlot.AlignedData);
        zoomByHand(ready, zoomed);
      }}
    />
  );
}

/** A span that ends now would show something else tomorrow: the shared address names its two times. */
function Share({ path }: { readonly path: string }) {
  const { outcome, run } = useAction();
  const copy = () =>
    run(async () => {
      await navigator.clipboard.writeText(new URL(path, document.baseURI).href);
      return say('The address is copied.');
    });
  return (
    <span class="row">
      <button type="button" onClick={() => void copy()}>
        {say('Copy the address of this')}
      </button>
      <Said outcome={outcome} waiting="" />
    </span>
  );
}
