/** The levels of a span, one local day after the other, as they are stored. */
import { type Host, type PackagePart, STORED_COLUMNS, zones } from '../../lib/index.ts';
import type { Gathering } from './gather.ts';

/** The part of a package that is being made that levels need. */
type Levels = Pick<Gathering, 'unitId' | 'span' | 'zone' | 'signal'> & { readonly host: Pick<Host, 'stored'> };

const TABLES = ['intervals', 'minutes', 'seconds'] as const;

/** A table for each kind of rows that a day has. */
export async function* levelParts({ host, unitId, span, zone, signal }: Levels): AsyncGenerator<PackagePart> {
  for (const day of zones.calendarSpans(zone, span, 'day')) {
    const from = Math.ceil(Math.max(day.from, span.from) / 1_000);
    const to = Math.ceil(Math.min(day.to, span.to) / 1_000);
    for (const kind of TABLES) {
      signal.throwIfAborted();
      const pages = host.stored.lines({ unitId, kind, from, to }, signal)[Symbol.asyncIterator]();
      const first = await pages.next();
      if (first.done) continue;
      const content = lines(STORED_COLUMNS[kind].join(), first.value, pages);
      yield { path: `levels/${day.name}/${kind}.csv`, content, table: true };
    }
  }
}

/** So many rows at once: what an hour of them needs while it is hashed would outlive the small collections of garbage. */
const SLICE = 200;

async function* lines(
  header: string,
  first: readonly string[],
  further: AsyncIterator<readonly string[]>,
): AsyncGenerator<string> {
  yield `${header}\n`;
  for (let page = first; ; ) {
    for (let row = 0; row < page.length; row += SLICE) yield `${page.slice(row, row + SLICE).join('\n')}\n`;
    const next = await further.next();
    if (next.done) return;
    page = next.value;
  }
}
