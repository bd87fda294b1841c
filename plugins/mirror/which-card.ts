/**
 * Which of the cards of a unit is in the meter. FTP shows no number of a card. A card was seen before if one of its files
 * is still there unchanged, or as the beginning of a larger one. Files of measurements count before other files, which are similar
 * on all cards.
 */

export interface SeenFile {
  readonly card: number;
  readonly path: string;
  readonly size: number;
  readonly modified: string;
}

/**
 * `present` is the one that was in last; 0 for none. `folders` are those that were listed: files elsewhere do not help to recognise the
 * card. `isStore`: whether a path is a file of a measurement. Answers with its number: a card that was never seen gets the next one.
 */
export function whichCard(
  all: readonly SeenFile[],
  listed: ReadonlyMap<string, { readonly size: number; readonly modified: string }>,
  present: number,
  folders: readonly string[],
  isStore: (path: string) => boolean,
): number {
  const seen = all.filter(({ path }) => folders.some((folder) => isBelow(folder, path)));
  if (seen.length === 0) return Math.max(1, present);
  const last = all.reduce((most, { card }) => Math.max(most, card), 0);
  const cards = [...new Set(seen.map(({ card }) => card))];
  const shares = cards.map((card) => ({
    card,
    share: shareOf(
      seen.filter((file) => file.card === card),
      listed,
      isStore,
    ),
  }));
  shares.sort((a, b) => b.share - a.share || Number(b.card === present) - Number(a.card === present));
  const [best] = shares;
  return best && best.share > 0 ? best.card : last + 1;
}

const isBelow = (folder: string, path: string): boolean => path.startsWith(`${folder.replace(/\/+$/, '')}/`);

function shareOf(
  seen: readonly SeenFile[],
  listed: Parameters<typeof whichCard>[1],
  isStore: (path: string) => boolean,
): number {
  const stores = seen.filter(({ path }) => isStore(path));
  const counted = stores.length > 0 ? stores : seen;
  const found = counted.filter(({ path, size, modified }) => {
    const entry = listed.get(path);
    return entry !== undefined && (entry.size === size ? entry.modified === modified : entry.size > size);
  });
  return found.length / counted.length;
}
