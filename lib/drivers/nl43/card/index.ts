/**
 * The files of the card: `.rnd` (levels) and `.rnh` (their meaning). Two layouts of `.rnd` are known, from public
 * readers of such files: one row per interval (NL-43, NL-53), and one block per interval (NL-52). No file, no network:
 * bytes come in, rows go out.
 */
import type { CardFormat } from '../../card/contract.ts';
import { readHeader } from './header.ts';
import { readRnd } from './rnd.ts';

/** Files with levels on a card, and how to read them. */
export const CARD: CardFormat = Object.freeze<CardFormat>({
  // An NL-53 uses its own name.
  roots: Object.freeze(['/NL-43', '/NL-53']),
  folderOf: (storeName) => `Auto_${storeName}`,
  isStoreFolder: (name) => /^Auto_\d{4}$/.test(name),
  kindOf(path) {
    if (/\.rnd$/i.test(path)) return 'levels';
    return /\.rnh$/i.test(path) ? 'header' : undefined;
  },
  soundBegins,
  readLevels: readRnd,
  readHeader,
});

/**
 * `NL_0001_20260420_140130_130dB_...wav`: date and time of the start of a recording of the NX-43WR (docs/protocol.md).
 */
function soundBegins(path: string): number | undefined {
  const [, date = '', time = ''] = /_(\d{8})_(\d{6})(?:_[^/]*)?\.wav$/i.exec(path) ?? [];
  const text = `${date}${time}`.replace(/^(....)(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6.000Z');
  const at = Date.parse(text);
  // A date that does not exist is refused: 30 February would become March.
  return !Number.isNaN(at) && new Date(at).toISOString() === text ? at : undefined;
}
