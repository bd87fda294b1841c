/** Times on the command line. */
import { firstMomentOf } from '../client/index.ts';
import { type Options, WrongWords } from './contract.ts';

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const OFFSET = /(Z|[+-]\d\d:?\d\d)$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

/** Asked only where a date needs it. */
export type Zone = () => Promise<string>;

/** `24h` is that long ago, a date its first moment in the zone; all else is a time with an offset. Gives what the API takes. */
export async function timeOf(word: string, now: number, zone: Zone): Promise<string> {
  const [, count, unit = ''] = /^(\d{1,5})([mhdw])$/.exec(word) ?? [];
  if (count !== undefined) return new Date(now - Number(count) * (UNITS[unit] ?? 0)).toISOString();
  if (word === 'now') return new Date(now).toISOString();
  const begin = DATE.test(word) ? beginOf(word, await zone()) : undefined;
  if (begin !== undefined) return new Date(begin).toISOString();
  if (!Number.isNaN(Date.parse(word)) && OFFSET.test(word) && !DATE.test(word)) return word;
  throw new WrongWords(
    `${JSON.stringify(word)} is not a time: write 24h or 7d for a time before now, now, a date such as 2026-11-21, or a time such as 2026-11-21T08:00:00+01:00`,
  );
}

/** `--from` and `--to` as times of the API; `usual` is the begin without `--from`. Throws WrongWords. */
export async function spanOf(
  { from, to }: Options,
  usual: string,
  now: number,
  zone: Zone,
): Promise<{ readonly from: string; readonly to: string }> {
  return {
    from: await timeOf(typeof from === 'string' ? from : usual, now, zone),
    to: await timeOf(typeof to === 'string' ? to : 'now', now, zone),
  };
}

/** Undefined: there is no such day. */
function beginOf(date: string, zone: string): number | undefined {
  try {
    const begin = firstMomentOf(date, zone);
    return Number.isNaN(begin) ? undefined : begin;
  } catch {
    throw new WrongWords(`${JSON.stringify(zone)} is not a time zone: write one such as Europe/Berlin`);
  }
}
