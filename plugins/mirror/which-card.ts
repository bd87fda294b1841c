/**
 * Finds which card of a unit is in the meter. FTP shows no number of a card. A card was seen before if one of its files is
 * unchanged, also if the listing has its time in the other form, or if a larger file begins with it. A formatted card is
 * another card. Files of measurements count before other files, which are similar on all cards.
 */

import { matchOfTimes } from './listed-times.ts';

/** A file that was copied whole once. */
export interface SeenFile {
  readonly card: number;
  readonly path: string;
  readonly size: number;
  readonly modified: string;
}

/** The card in the meter, and how certain this is. */
export interface FoundCard {
  /** Its number; a card that was never seen gets the next one. */
  readonly card: number;
  /**
   * No file is certainly the same, and this file may be the same or have grown. If its bytes begin like those of its copy, the
   * number is right. Otherwise the card is new, with the number `next`.
   */
  readonly asked: string | undefined;
  readonly next: number;
}

/**
 * `present`: the last card in the meter; 0: no card. `folders`: the listed folders, since files elsewhere do not help.
 * `isStore`: whether a path is a file of a measurement.
 */
export function whichCard(
  all: readonly SeenFile[],
  listed: ReadonlyMap<string, { readonly size: number; readonly modified: string }>,
  present: number,
  folders: readonly string[],
  isStore: (path: string) => boolean,
): FoundCard {
  const seen = all.filter(({ path }) => folders.some((folder) => isBelow(folder, path)));
  const next = all.reduce((most, { card }) => Math.max(most, card), 0) + 1;
  if (seen.length === 0) return { card: Math.max(1, present), asked: undefined, next };
  const cards = [...new Set(seen.map(({ card }) => card))].map((card) => {
    const files = seen.filter((file) => file.card === card);
    return { card, ...compared(files, listed, isStore) };
  });
  cards.sort((a, b) => b.share - a.share || Number(b.card === present) - Number(a.card === present));
  const [best] = cards;
  if (!best || best.share === 0) return { card: next, asked: undefined, next };
  return { card: best.card, asked: best.isSure ? undefined : best.asked, next };
}

const isBelow = (folder: string, path: string): boolean => path.startsWith(`${folder.replace(/\/+$/, '')}/`);

function compared(
  seen: readonly SeenFile[],
  listed: Parameters<typeof whichCard>[1],
  isStore: (path: string) => boolean,
): { readonly share: number; readonly isSure: boolean; readonly asked: string | undefined } {
  const stores = seen.filter(({ path }) => isStore(path));
  const counted = stores.length > 0 ? stores : seen;
  let sure = 0;
  const unsure: string[] = [];
  for (const { path, size, modified } of counted) {
    const entry = listed.get(path);
    if (!entry || entry.size < size) continue;
    const match = entry.size > size ? 'grown' : matchOfTimes(modified, entry.modified);
    if (match === 'same') sure += 1;
    else if (match !== 'other') unsure.push(path);
  }
  return { share: (sure + unsure.length) / counted.length, isSure: sure > 0, asked: unsure[0] };
}
