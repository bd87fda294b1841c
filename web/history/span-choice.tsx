/** Which span of time is shown: one that ends now, or one between two times. The address of the page names it. */
import { firstMomentOf } from '../../client/index.ts';
import { search } from '../state/address.ts';
import { now } from '../state/fleet.ts';
import { localInput } from '../state/numbers.ts';
import { say } from '../words/say.ts';

const HOUR_MS = 3_600_000;
const SPANS: readonly (readonly [ms: number, word: () => string])[] = [
  [HOUR_MS, () => say('Hour ## length of time')],
  [24 * HOUR_MS, () => say('Day ## length of time')],
  [7 * 24 * HOUR_MS, () => say('Week')],
  [30 * 24 * HOUR_MS, () => say('30 days')],
];

export interface Chosen {
  readonly from: number;
  readonly to: number;
  /** Length of a span that ends now; undefined for a fixed one. */
  readonly last: number | undefined;
}

interface Props {
  readonly chosen: Chosen;
  readonly zone: string | null;
  readonly showLast: (last: number) => void;
  readonly show: (from: number, to: number) => void;
}

/** Buttons for usual spans, fields for begin and end, and steps to the span before and after. */
export function SpanChoice({ chosen, zone, showLast, show }: Props) {
  const change = (from: string, to: string) => {
    const [begin, end] = [firstMomentOf(from, zone), firstMomentOf(to, zone)];
    if (begin < end) show(begin, end);
  };
  const [from, to] = [localInput(chosen.from, zone), localInput(chosen.to, zone)];
  const length = chosen.to - chosen.from;
  return (
    <div class="row end">
      <fieldset class="row choice">
        <legend class="hidden-label">{say('Time shown')}</legend>
        {SPANS.map(([ms, word]) => (
          <button key={ms} type="button" aria-pressed={chosen.last === ms} onClick={() => showLast(ms)}>
            {word()}
          </button>
        ))}
        <span class="together">
          <button type="button" aria-label={say('Earlier')} onClick={() => show(chosen.from - length, chosen.from)}>
            ←
          </button>
          <button type="button" aria-label={say('Later')} onClick={() => show(chosen.to, chosen.to + length)}>
            →
          </button>
        </span>
      </fieldset>
      <div class="row">
        <label class="row small soft">
          {say('From')}
          <input type="datetime-local" value={from} onChange={({ currentTarget }) => change(currentTarget.value, to)} />
        </label>
        <label class="row small soft">
          {say('to ## the end of a span')}
          <input type="datetime-local" value={to} onChange={({ currentTarget }) => change(from, currentTarget.value)} />
        </label>
      </div>
    </div>
  );
}

const DAY_MS = 86_400_000;
/** A span that ends now moves on with the time, in steps of this length. */
export const MOVES_MS = 60_000;

export function chosenSpan(): Chosen {
  const from = Date.parse(search.value.get('from') ?? '');
  const to = Date.parse(search.value.get('to') ?? '');
  if (from < to) return { from, to, last: undefined };
  const last = Number(search.value.get('last') ?? DAY_MS) || DAY_MS;
  const end = Math.ceil(now.peek() / MOVES_MS) * MOVES_MS;
  return { from: end - last, to: end, last };
}
