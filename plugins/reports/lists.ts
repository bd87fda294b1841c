/** Lists that several sections have: notes that exclude time, and how much more there is. */
import type { Note } from '../../client/schemas.ts';
import { zones } from '../../lib/built-in.ts';
import { headings, paragraph, type ReportBlock, tableOf } from './document.ts';
import type { ReportWords } from './words.ts';

/** Rows of one table. */
export const MOST_ROWS = 500;

export function noteTable(name: string, notes: readonly Note[], zone: string, words: ReportWords): ReportBlock {
  const { say } = words;
  const moment = (iso: string) => zones.localIso(zone, zones.instantOf(iso));
  return tableOf(
    name,
    [
      ...headings('text', say('Note ## its number')),
      ...headings('time', say('From'), say('To')),
      ...headings('text', say('Reason'), say('Text'), say('By')),
    ],
    notes
      .slice(0, MOST_ROWS)
      .map(({ id, from, to, reason, text, by }) => [
        ...[id, moment(from), to === null ? say('not ended') : moment(to)],
        ...[words.known('note', reason), text, by],
      ]),
  );
}

/** `isCut`: nobody knows how many more there are. */
export function* andMore({ say }: ReportWords, left: number, isCut = false): Iterable<ReportBlock> {
  if (left > 0 || isCut) yield paragraph(say('And {count} more.', { count: isCut ? `${Math.max(0, left)}+` : left }));
}
