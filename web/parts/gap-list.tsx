/** Times without data, each of which can be looked at. */
import type { Cell, History } from '../../client/index.ts';
import { dayAndTime, span } from '../app/numbers.ts';

interface Gap {
  readonly from: number;
  readonly to: number;
}
const MOST_GAPS = 20;

export function GapList({
  history,
  show,
}: {
  readonly history: History;
  readonly show: (from: number, to: number) => void;
}) {
  const gaps = gapsIn(history);
  if (gaps.length === 0) return null;
  return (
    <section class="card" aria-labelledby="gaps">
      <h2 id="gaps">Times without data</h2>
      <ul>
        {gaps.slice(0, MOST_GAPS).map(({ from, to }) => (
          <li key={from}>
            <button type="button" class="plain" onClick={() => show(from - (to - from), to + (to - from))}>
              {dayAndTime(from, history.zone)} to {dayAndTime(to, history.zone)}
            </button>{' '}
            <span class="soft">{span((to - from) / 1_000)}</span>
          </li>
        ))}
      </ul>
      {gaps.length > MOST_GAPS && <p class="soft small">And {gaps.length - MOST_GAPS} more.</p>}
    </section>
  );
}

/** Rows without data between rows with some: what lies before the first and after the last one is no gap. */
function gapsIn({ columns, rows, step_s }: History): readonly Gap[] {
  const quality = columns.indexOf('quality');
  const isEmpty = (row: readonly Cell[]) => row[quality] === 'none';
  const first = rows.findIndex((row) => !isEmpty(row));
  const last = rows.findLastIndex((row) => !isEmpty(row));
  const gaps: Gap[] = [];
  for (const row of rows.slice(first, last + 1)) {
    if (!isEmpty(row)) continue;
    const from = Date.parse(String(row[0]));
    const before = gaps.at(-1);
    if (before?.to === from) gaps[gaps.length - 1] = { from: before.from, to: from + step_s * 1_000 };
    else gaps.push({ from, to: from + step_s * 1_000 });
  }
  return gaps;
}
