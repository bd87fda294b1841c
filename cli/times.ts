/** Times on the command line. */
import { firstMomentOf } from '../client/index.ts';
import { type CommandCall, type Option, WrongWords } from './contract.ts';

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const OFFSET = /(Z|[+-]\d\d:?\d\d)$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

/** Asked only where a date needs it. */
type Zone = () => Promise<string>;

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

/** That of the unit of a command; of a command for all units UTC. */
export const unitZone =
  ({ words: { UNIT: unit }, client }: Pick<CommandCall, 'words' | 'client'>): Zone =>
  async () =>
    unit === undefined ? 'UTC' : (await client().config(unit)).timezone;

/** `--from` and `--to`; `usual` is the begin without `--from`. */
export const spanOptions = (usual: string): readonly Option[] => [
  { name: 'from', value: 'TIME', help: `begin: 24h or 7d ago, a date, or a time with its offset (${usual})` },
  { name: 'to', value: 'TIME', help: 'end, not included (now)' },
];

/** Both as times of the API. Throws WrongWords. */
export async function spanOf(call: CommandCall, usual: string, zone = unitZone(call)) {
  const { from = usual, to = 'now' } = call.options;
  const now = call.terminal.now();
  return { from: await timeOf(String(from), now, zone), to: await timeOf(String(to), now, zone) };
}

function beginOf(date: string, zone: string): number | undefined {
  try {
    const begin = firstMomentOf(date, zone);
    return Number.isNaN(begin) ? undefined : begin;
  } catch {
    throw new WrongWords(`${JSON.stringify(zone)} is not a time zone: write one such as Europe/Berlin`);
  }
}
