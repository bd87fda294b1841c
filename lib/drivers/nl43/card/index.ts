/**
 * The files of the card: `.rnd` (levels) and `.rnh` (what they mean). Two layouts of `.rnd` are known, from public readers of such
 * files: one row an interval (NL-43, NL-53), and one block an interval (NL-52). No file, no network: bytes come in, rows go out.
 */
import type { CardFormat } from '../../card/contract.ts';
import { readHeader } from './header.ts';
import { readRnd } from './rnd.ts';

/** Where files of levels are on a card, and how they are read. */
export const CARD: CardFormat = Object.freeze<CardFormat>({
  // Those of the NL-53 have its name.
  roots: Object.freeze(['/NL-43', '/NL-53']),
  folderOf: (storeName) => `Auto_${storeName}`,
  isStoreFolder: (name) => /^Auto_\d{4}$/.test(name),
  kindOf(path) {
    if (/\.rnd$/i.test(path)) return 'levels';
    return /\.rnh$/i.test(path) ? 'header' : undefined;
  },
  readLevels: readRnd,
  readHeader,
});
