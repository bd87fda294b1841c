/**
 * Reads observations as they are sent: CSV with a header, or JSON, one object a line.
 *
 *   time,duration_s,wind_speed,rain
 *   2026-11-21T06:10:00Z,600,3.2,0
 *
 *   {"time": "2026-11-21T06:10:00Z", "wind_speed": 3.2, "rain": 0}
 */
import { CLOCKS_DIFFER_MS, csvBody, type InputError, invalid, momentOf } from '../../lib/built-in.ts';
import { GatewayError, isGatewayError } from '../../lib/index.ts';
import { isObserved, OBSERVED, OBSERVED_NAMES, type ObservedName, observedBy } from './quantities.ts';
import type { StationObservation } from './tables.ts';

export const MOST_SENT_BYTES = 2_000_000;
const MOST_OBSERVATIONS = 10_000;
/** Longest time of one observation, s: a day. */
export const LONGEST_OBSERVATION_S = 86_400;
const MOST_ERRORS = 20;
/** Limits for the values of a line. Times are ms since 1970 UTC. */
interface ReadingLimits {
  readonly now: number;
  /** Older observations would be removed at once. */
  readonly oldest: number;
}

/** The fields of a line, by name; `number` counts from 1. */
interface GivenLine {
  readonly number: number;
  readonly given: Readonly<Record<string, unknown>>;
}

/** In the order of their times. Throws GatewayError INVALID with the first wrong lines; `path` is `/line/12/rain`. */
export async function readObservations(
  bytes: AsyncIterable<Buffer>,
  limits: ReadingLimits,
): Promise<StationObservation[]> {
  const text = await decoded(bytes);
  const lines = /^\s*[[{]/.test(text) ? jsonLines(text) : await csvLines(text);
  if (lines.length === 0) throw invalid([{ path: '/line/1', message: 'is missing: there is no observation' }]);
  if (lines.length > MOST_OBSERVATIONS)
    throw invalid([
      { path: `/line/${lines[MOST_OBSERVATIONS]?.number}`, message: `is one too many: at most ${MOST_OBSERVATIONS}` },
    ]);
  const errors: InputError[] = [];
  const byTime = new Map<number, StationObservation>();
  for (const line of lines) {
    try {
      const one = observationOf(line, limits);
      if (byTime.has(one.at)) throw wrong(line.number, 'time', 'is the same as in a line before');
      byTime.set(one.at, one);
    } catch (error) {
      if (!isGatewayError(error, 'INVALID')) throw error;
      errors.push(...(error.errors ?? []));
    }
    if (errors.length >= MOST_ERRORS) break;
  }
  if (errors.length > 0) throw invalid(errors.slice(0, MOST_ERRORS));
  return [...byTime.values()].sort((one, other) => one.at - other.at);
}

const wrong = (line: number, name: string, message: string) => invalid([{ path: `/line/${line}/${name}`, message }]);

async function decoded(bytes: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  for await (const piece of bytes) all.push(piece);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(all));
  } catch {
    throw new GatewayError('MALFORMED_JSON', 'The body is not UTF-8.');
  }
}

function jsonLines(text: string): GivenLine[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const number = index + 1;
    let given: unknown;
    try {
      given = JSON.parse(line);
    } catch {
      throw invalid([
        { path: `/line/${number}`, message: 'is no JSON: one object a line, without commas between them' },
      ]);
    }
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      throw invalid([{ path: `/line/${number}`, message: 'must be one JSON object' }]);
    return [{ number, given: Object.fromEntries(Object.entries(given)) }];
  });
}

/** Numbers have a decimal point, or a comma where semicolons separate the cells. */
async function csvLines(text: string): Promise<GivenLine[]> {
  const { separator, lines } = await csvBody(inOnePiece(text));
  const found: GivenLine[] = [];
  let columns: readonly string[] | undefined;
  for await (const { number, cells } of lines) {
    if (columns === undefined) columns = headerOf(cells);
    else if (cells.length === columns.length) {
      const values = columns.map((name, at) => [name, cellOf(name, cells[at] ?? '', separator)]);
      found.push({ number, given: Object.fromEntries(values) });
    } else
      throw invalid([
        { path: `/line/${number}`, message: `has ${cells.length} cells and the header ${columns.length}` },
      ]);
  }
  return found;
}

async function* inOnePiece(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

function headerOf(cells: readonly string[]): readonly string[] {
  const columns = cells.map((name) => name.toLowerCase());
  const message = columns.includes('time') ? 'has a column twice' : 'has no column time';
  if (!columns.includes('time') || new Set(columns).size < columns.length)
    throw invalid([{ path: '/line/1', message }]);
  return columns;
}

function cellOf(name: string, cell: string, separator: ',' | ';'): unknown {
  if (cell === '') return null;
  if (name === 'time') return cell;
  const number = separator === ';' ? cell.replace(',', '.') : cell;
  return /^-?\d+(\.\d+)?$/.test(number) ? Number(number) : cell;
}

function observationOf({ number, given }: GivenLine, { now, oldest }: ReadingLimits): StationObservation {
  const stray = Object.keys(given).find((name) => name !== 'time' && name !== 'duration_s' && !isObserved(name));
  if (stray !== undefined)
    throw wrong(number, stray.slice(0, 40), `is unknown; known are time, duration_s, ${OBSERVED_NAMES.join(', ')}`);
  const at = timeOf(given.time, number);
  if (at > now + CLOCKS_DIFFER_MS) throw wrong(number, 'time', 'must not be in the future');
  if (at < oldest) throw wrong(number, 'time', 'is older than what is kept (setting keep_days)');
  const values = observedBy((name) => valueIn(given[name], name, number));
  if (Object.values(values).every((value) => value === null))
    throw invalid([{ path: `/line/${number}`, message: 'has no value' }]);
  return { at, duration: lengthOf(given.duration_s, number), ...values };
}

const TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:[0-5]\d(\.\d+)?)?([Zz]|[+-]\d\d(:?\d\d)?)$/;

/** Full seconds, so that the same time sent twice is one observation. */
function timeOf(time: unknown, line: number): number {
  if (typeof time !== 'string' || !TIME.test(time))
    throw wrong(line, 'time', 'must be a time with its offset from UTC, such as 2026-11-21T06:10:00Z');
  return Math.floor(momentOf(time, `/line/${line}/time`) / 1_000) * 1_000;
}

function lengthOf(seconds: unknown, line: number): number | null {
  if (seconds === undefined || seconds === null) return null;
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < 1 || seconds > LONGEST_OBSERVATION_S)
    throw wrong(line, 'duration_s', `must be 1 to ${LONGEST_OBSERVATION_S} whole seconds`);
  return seconds * 1_000;
}

function valueIn(value: unknown, name: ObservedName, line: number): number | null {
  if (value === undefined || value === null) return null;
  const { least, most, unit } = OBSERVED[name];
  if (typeof value !== 'number' || !(value >= least && value <= most))
    throw wrong(line, name, `must be a number from ${least} to ${most} (${unit})`);
  return value;
}
