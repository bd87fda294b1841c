/** Checks rows and queries. Any other value is a mistake of the caller and gets the error INVALID. */
import { CHANNEL_PATTERN, MAIN_CHANNEL } from '../domain/ids.ts';
import { KEPT, QUANTITIES } from '../domain/quantities.ts';
import { GatewayError, type InputError } from '../errors.ts';
import type { AskedRange, Batch, IntervalRow, Query, Range, SecondRow, Source } from './contract.ts';
import { HIGHEST_LEVEL, STEPS_A_SECOND } from './rows/bytes.ts';

const MOST_ROWS = 5_000_000;
const MOST_PERCENTILES = 99;
/** Longest interval. */
export const LONGEST_S = 86_400;
const EDGE_S = 2;

/** Clocks of meters differ a little, so two seconds more or less count. */
export const liesWithin = ({ at, duration }: Pick<IntervalRow, 'at' | 'duration'>, { from, to }: Range): boolean =>
  at >= from - EDGE_S && at + duration <= to + EDGE_S;
/** Times of rows are kept in 32 bits: until 2106. */
const LAST_TIME = 2 ** 32 - 1 - LONGEST_S;
const LAST_ASKED = 1e11;

/** The best source is first. */
export const SOURCES = Object.freeze(['card', 'stream', 'import', 'poll'] as const satisfies readonly Source[]);
const APPENDED: readonly Source[] = SOURCES.filter((source) => source !== 'import');
const FREQUENCIES: ReadonlySet<string> = new Set(['A', 'C', 'Z']);
const TIMES: ReadonlySet<string> = new Set(['F', 'S', 'I']);

/** INVALID, with the places of the errors if they are known. */
export const invalidRow = (detail: string, errors?: readonly InputError[]): GatewayError =>
  new GatewayError('INVALID', detail, errors ? { errors } : {});

/** Levels that a reading cannot have. */
const AVERAGED = KEPT.filter((name) => QUANTITIES[name].sum === 'energy');

const isTime = (value: number) => Number.isInteger(value) && value >= 0 && value <= LAST_TIME;
const isLevel = (value: number) => Math.abs(value) <= HIGHEST_LEVEL;
const isLevelOrNull = (value: number | null) => value === null || isLevel(value);

const levelsIn = (row: SecondRow | IntervalRow): (number | null)[] => KEPT.map((name) => row[name] ?? null);

const CHANNEL = new RegExp(CHANNEL_PATTERN);

/** Throws GatewayError INVALID for a word that is not the name of a channel. */
export function checkChannel(channel: string | null = MAIN_CHANNEL): void {
  if (channel !== null && channel !== MAIN_CHANNEL && !CHANNEL.test(channel))
    throw invalidRow('A channel is named by small letters and digits.');
}

export function checkBatch(batch: Batch): void {
  const { unitId, source, channel, weighting, seconds = [], intervals = [] } = batch;
  if (unitId === '' || !APPENDED.includes(source))
    throw invalidRow('A batch needs a unit, and a source other than import.');
  checkChannel(channel);
  if (!FREQUENCIES.has(weighting.frequency) || !TIMES.has(weighting.time)) {
    throw invalidRow('The weighting is A, C or Z, and F, S or I.');
  }
  const wrong = seconds.findIndex((row) => !isSecond(row));
  if (wrong >= 0)
    throw invalidRow('A second of the batch is not possible.', [
      { path: `/seconds/${wrong}`, message: 'is not possible' },
    ]);
  const first = firstWrong(intervals);
  if (first) throw invalidRow('An interval of the batch is not possible.', [first]);
}

function isSecond(row: SecondRow): boolean {
  const { at, steps, leq, lp = [] } = row;
  if (!isTime(at) || !Number.isInteger(steps) || steps < 0 || steps > STEPS_A_SECOND) return false;
  if (lp.length > STEPS_A_SECOND || !lp.every(isLevel)) return false;
  if (!levelsIn(row).every(isLevelOrNull)) return false;
  return steps === 0 ? lp.length > 0 && AVERAGED.every((name) => (row[name] ?? null) === null) : leq !== null;
}

export function firstWrong(rows: readonly IntervalRow[]): InputError | undefined {
  for (const [index, row] of rows.entries()) {
    const message = faultOf(row);
    if (message) return { path: row.line === undefined ? `/rows/${index}` : `/line/${row.line}`, message };
  }
  return undefined;
}

function faultOf(row: IntervalRow): string | undefined {
  const { at, duration, leq, ln = {} } = row;
  if (!isTime(at)) return 'begins at a time that cannot be stored';
  if (!Number.isInteger(duration) || duration < 1 || duration > LONGEST_S) {
    return `lasts from 1 to ${LONGEST_S} whole seconds`;
  }
  if (!isLevel(leq) || ![...levelsIn(row), ...Object.values(ln)].every(isLevelOrNull)) {
    return `has a level that is not from -${HIGHEST_LEVEL} to ${HIGHEST_LEVEL} dB`;
  }
  return undefined;
}

export function checkQuery({ over, percentiles = [], excluded = [], channel }: Query): void {
  checkRanges(excluded);
  checkChannel(channel);
  if (percentiles.length > MOST_PERCENTILES || !percentiles.every((n) => Number.isInteger(n) && n >= 1 && n <= 99)) {
    throw invalidRow('Percentiles are whole numbers from 1 to 99.');
  }
  if ('ranges' in over) {
    checkRanges(over.ranges);
    return;
  }
  checkSpan(over);
  const { from, to, step, restarts = [] } = over;
  if (!Number.isInteger(step) || step < 1) throw invalidRow('The step is a whole number of seconds from 1.');
  if (step >= 60 && [from, to, step, ...restarts].some((value) => value % 60 !== 0)) {
    throw invalidRow('With a step of a minute or more, span and step must be full minutes.');
  }
  const isWithin = (at: number, index: number) => at > (restarts[index - 1] ?? from) && at < to;
  if (!restarts.every((at, index) => Number.isInteger(at) && isWithin(at, index))) {
    throw invalidRow('Restarts ascend and lie within the span.');
  }
  if ((to - from) / step + restarts.length > MOST_ROWS) {
    throw invalidRow(`The answer would have more than ${MOST_ROWS} rows: ask for a shorter span or a longer step.`);
  }
}

/** Throws INVALID: whole seconds since 1970 UTC, `from` before `to`. */
export function checkSpan({ from, to }: Range): void {
  if (![from, to].every((time) => Number.isInteger(time) && time >= 0 && time <= LAST_ASKED)) {
    throw invalidRow('Times are whole seconds since 1970.');
  }
  if (from >= to) throw invalidRow('The span ends before it begins.');
}

/** Throws INVALID if the span does not begin and end on full minutes. */
export function checkMinutes(span: Range): void {
  checkSpan(span);
  if (span.from % 60 !== 0 || span.to % 60 !== 0) throw invalidRow('The span begins and ends on full minutes.');
}

function checkRanges(ranges: readonly AskedRange[]): void {
  if (ranges.length > MOST_ROWS) throw invalidRow(`More than ${MOST_ROWS} ranges are too many.`);
  let before = 0;
  for (const range of ranges) {
    checkSpan(range);
    if (range.from < before) throw invalidRow('Ranges ascend and do not overlap.');
    const { within = range } = range;
    if (!(within.from <= range.from && within.to >= range.to)) throw invalidRow('A range lies within its longer span.');
    before = range.to;
  }
}
