/** The levels of a span, one local day after the other, as they are stored. */
import { type PackagePart, STORED_COLUMNS, zones } from '../../lib/index.ts';
import type { Gathering } from './gather.ts';

const TABLES = ['intervals', 'minutes', 'seconds'] as const;

/** A table for each kind of rows that a day has. */
export async function* levelParts({ host, unitId, span, zone, signal }: Gathering): AsyncGenerator<PackagePart> {
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

async function* lines(
  header: string,
  first: readonly string[],
  further: AsyncIterator<readonly string[]>,
): AsyncGenerator<string> {
  yield `${header}\n`;
  yield `${first.join('\n')}\n`;
  for (let page = await further.next(); !page.done; page = await further.next()) yield `${page.value.join('\n')}\n`;
}
