/** Selects the files of a card to read for their levels in this run: new files, and the headers of their stores. */
import type { CardFormat } from '../../lib/index.ts';
import { folderOf, type Listed, listedText } from './card-listing.ts';
import type { Holdings } from './holdings.ts';
import { matchOfTimes } from './listed-times.ts';

/** Their copies must be on this disk. `format`: undefined if no levels are read. */
export function unreadFiles(
  listed: Listed,
  holdings: Pick<Holdings, 'file'>,
  card: number,
  format: CardFormat | undefined,
): ReadonlySet<string> {
  if (format === undefined) return new Set();
  const isUnread = (path: string): boolean => {
    const entry = listed.get(path);
    const held = holdings.file(card, path);
    return !held?.isRead || held.size !== entry?.size || matchOfTimes(held.modified, listedText(entry)) === 'other';
  };
  const paths = [...listed.keys()];
  const levels = paths.filter((path) => format.kindOf(path) === 'levels' && isUnread(path));
  // The header of a store is in its folder, the levels are there or in subfolders.
  const folders = new Set(levels.flatMap((path) => [folderOf(path), folderOf(folderOf(path))]));
  const headers = paths.filter((path) => format.kindOf(path) === 'header' && folders.has(folderOf(path)));
  return new Set([...levels, ...headers]);
}
