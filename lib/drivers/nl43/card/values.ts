/** Cells of files of the card: levels, times, lengths of time. Undefined: the cell cannot be read. */
import type { CardLevel } from '../../card/contract.ts';

/** Cells without the spaces around them. A comma at the end of the line gives an empty cell. */
export const splitCells = (text: string): string[] => text.split(',').map((cell) => cell.trim());

/** `43.7`; null for the marks of a missing value: `-.-`, `--.-`, `---.-`, `-`, or an empty cell. */
export function cellLevel(cell: string): number | null | undefined {
  if (/^-*(\.-)?$/.test(cell)) return null;
  if (!/^[+-]?\d{1,3}(\.\d{1,3})?$/.test(cell)) return undefined;
  return Math.abs(Number(cell)) <= 300 ? Number(cell) : undefined;
}

const TIME = /^(\d{4})[/-](\d\d)[/-](\d\d) (\d\d):(\d\d):(\d\d)(\.\d{1,3})?$/;

/** `2025/12/24 02:00:00`, with or without a fraction. Ms as if it were UTC. */
export function cellTime(cell: string): number | undefined {
  const [, year, month, day, hours, minutes, seconds, fraction = ''] = TIME.exec(cell) ?? [];
  if (year === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const time = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hours),
    Number(minutes),
    Number(seconds),
    Math.round(Number(`0${fraction}`) * 1_000),
  );
  const date = new Date(time);
  const exists = Number(year) >= 1970 && date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  return exists ? time : undefined;
}

/** `00d 00:15:00.0`, with up to three decimals. Ms. */
export function cellLength(cell: string): number | undefined {
  const [, days = 0, hours, minutes, seconds] = /^(?:(\d{1,3})d )?(\d\d):(\d\d):(\d\d(?:\.\d{1,3})?)$/.exec(cell) ?? [];
  if (hours === undefined || Number(minutes) > 59 || Number(seconds) >= 60) return undefined;
  const whole = (Number(days) * 24 + Number(hours)) * 60 + Number(minutes);
  return whole * 60_000 + Math.round(Number(seconds) * 1_000);
}

/** Quantity of a column of the file. */
export type CardQuantity =
  | { readonly level: CardLevel; readonly frequency: 'A' | 'C' | 'Z' | null }
  | { readonly percentile: number }
  | { readonly flag: 'over' | 'under' };

const LEVELS: Readonly<Record<string, CardLevel>> = {
  p: 'lp',
  eq: 'leq',
  e: 'le',
  max: 'lmax',
  min: 'lmin',
  peak: 'lpeak',
  ieq: 'lieq',
};

/**
 * Quantity of a name such as `Leq(Main)`, `LAeq`, `LN1` or `Over(Main)`. Undefined for other channels, other
 * quantities, and unknown names.
 */
export function cardQuantityOf(name: string): CardQuantity | undefined {
  const [, bare = ''] = /^([^()]+?)\s*(?:\(Main\))?$/i.exec(name) ?? [];
  const [, percentile] = /^LN([1-5])$/i.exec(bare) ?? [];
  if (percentile) return { percentile: Number(percentile) - 1 };
  if (/^(over|under)$/i.test(bare)) return { flag: bare.toLowerCase() === 'over' ? 'over' : 'under' };
  const [, frequency, word = ''] = /^L([ACZ])?(p|eq|E|max|min|peak|Ieq)$/.exec(bare) ?? [];
  const level = LEVELS[word.toLowerCase()];
  return level && { level, frequency: frequency === 'A' || frequency === 'C' || frequency === 'Z' ? frequency : null };
}
