/** Times without data; each can be opened. */
import type { Extent, History } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { shownChannel } from '../state/address.ts';
import { now } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime, span } from '../state/numbers.ts';
import { say } from '../words/say.ts';

interface Gap {
  readonly from: number;
  readonly to: number;
}
const MOST_GAPS = 20;

interface Props {
  readonly unitId: string;
  readonly history: History;
  readonly show: (from: number, to: number) => void;
}

/** The list of gaps in a span; empty without gaps. */
export function GapList({ unitId, history, show }: Props) {
  const { from, to } = history;
  const { found: extent } = useFound(
    () => client.value.extent(unitId, shownChannel()),
    [unitId, from, to, shownChannel()],
  );
  const gaps = extent ? gapsWithin(extent, Date.parse(from), Math.min(Date.parse(to), now.peek())) : [];
  if (gaps.length === 0) return null;
  return (
    <section class="card" aria-labelledby="gaps">
      <h2 id="gaps">{say('Times without data')}</h2>
      <ul>
        {gaps.slice(0, MOST_GAPS).map(({ from, to }) => (
          <li key={from}>
            <button type="button" class="plain" onClick={() => show(from - (to - from), to + (to - from))}>
              {say('{from} to {to}', { from: dayAndTime(from, history.zone), to: dayAndTime(to, history.zone) })}
            </button>{' '}
            <span class="soft">{span((to - from) / 1_000)}</span>
          </li>
        ))}
      </ul>
      {gaps.length > MOST_GAPS && (
        <p class="soft small">{say('And {number} more.', { number: gaps.length - MOST_GAPS })}</p>
      )}
    </section>
  );
}

/** To the second, with any step of the chart; the times before the first and after the last level are gaps, too. */
function gapsWithin({ first, last, gaps, gap_s }: Extent, from: number, to: number): readonly Gap[] {
  const found = gaps.map((gap) => ({ from: Date.parse(gap.from), to: Date.parse(gap.to) })).toReversed();
  const [begin, end] = [Date.parse(first ?? ''), Date.parse(last ?? '')];
  const around = [
    { from, to: begin },
    { from: end, to },
  ].filter((gap) => gap.to - gap.from > gap_s * 1_000);
  return [...found, ...around]
    .map((gap) => ({ from: Math.max(from, gap.from), to: Math.min(to, gap.to) }))
    .filter((gap) => gap.from < gap.to)
    .toSorted((a, b) => a.from - b.from);
}
