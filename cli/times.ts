/** Times on the command line. */
import { type Options, WrongWords } from './contract.ts';

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const OFFSET = /(Z|[+-]\d\d:?\d\d)$/;

/** `24h` is that long ago; all else is a time with an offset. Gives what the API takes. */
export function timeOf(word: string, now: number): string {
  const [, count, unit = ''] = /^(\d{1,5})([mhdw])$/.exec(word) ?? [];
  if (count !== undefined) return new Date(now - Number(count) * (UNITS[unit] ?? 0)).toISOString();
  if (word === 'now') return new Date(now).toISOString();
  if (!Number.isNaN(Date.parse(word)) && OFFSET.test(word)) return word;
  throw new WrongWords(
    `${JSON.stringify(word)} is no time: write 24h or 7d for that long ago, now, or a time such as 2026-11-21T08:00:00+01:00`,
  );
}

export function spanOf(
  { from, to }: Options,
  usual: string,
  now: number,
): { readonly from: string; readonly to: string } {
  return {
    from: timeOf(typeof from === 'string' ? from : usual, now),
    to: timeOf(typeof to === 'string' ? to : 'now', now),
  };
}
