/** The index of a local day from the levels of its periods, its validity, and the index of many days. */
import type { AskedRange, History, HistoryRow, Range, Weighting } from '../../history/contract.ts';
import { doubtfulSeconds } from '../flags.ts';
import { EXTREMES, KEPT, levelsBy } from '../quantities.ts';
import type { Span } from '../zone.ts';
import { coverageOf, energyOf, levelOf, MeanLevel } from './energy.ts';
import { LevelCounts } from './level-counts.ts';
import type { LocalDay, PeriodName, Preset } from './periods.ts';
import { mergeLevels, type SpanLevels } from './span-levels.ts';

interface PeriodLevels {
  readonly period: PeriodName;
  /** Real hours of the period: 7 or 9 for a night in which the clocks change. */
  readonly hours: number;
  readonly levels: SpanLevels;
}

/** The levels of a local day. */
export interface DayIndex {
  readonly date: string;
  readonly hours: number;
  readonly periods: readonly PeriodLevels[];
  readonly whole: SpanLevels;
  /** The index of the preset, dB. Null if a period has no data. */
  readonly value: number | null;
  readonly valid: boolean;
  /** Why the day is not valid, in words; null for a valid day. */
  readonly reason: string | null;
}

/** Energy means of the daily values, dB: each valid day has the same weight. Null without a valid day. */
export interface MeanOfDays {
  readonly periods: readonly { readonly period: PeriodName; readonly leq: number | null }[];
  readonly value: number | null;
  readonly leq: number | null;
}

/** All valid days as one: their levels are means by measured time. */
interface TotalIndex extends Omit<DayIndex, 'date'> {
  readonly days: number;
  /** The same days with equal weights: the long-term definition (directive 2002/49/EC, Annex I). */
  readonly meanOfDays: MeanOfDays;
  /** Dates that are left out because they are not valid. */
  readonly leftOut: readonly string[];
}

/**
 * 10 lg(1/H sum of h_i w_i 10^(L_i/10)), h_i the real hours of the periods, H their sum. Null if a level is missing.
 */
export function indexOf(periods: readonly PeriodLevels[], preset: Preset): number | null {
  let energy = 0;
  let hours = 0;
  for (const each of periods) {
    if (each.hours === 0) continue;
    if (each.levels.leq === null) return null;
    const weight = preset.periods.find(({ name }) => name === each.period)?.weight ?? 1;
    energy += each.hours * weight * energyOf(each.levels.leq);
    hours += each.hours;
  }
  return hours > 0 ? levelOf(energy / hours) : null;
}

interface DayLevels {
  readonly pieces: readonly SpanLevels[];
  /** It has more data than the pieces if rows reach over several periods. Default: the pieces together. */
  readonly whole?: SpanLevels | undefined;
}

/** A row that reaches over the edge of a period by a second is within the day: the day has its maximum. */
const extremesOf = (levels: SpanLevels) => ({
  ...levelsBy(EXTREMES, (name) => levels[name]),
  bounds: levels.bounds,
  lmaxAt: levels.lmaxAt,
});

/** A row that is cut at a full second may miss its last second. */
const ROUNDING_S = 1;

/** A period with data for less than `minCoverage` of its time (0 to 1) makes the day invalid. */
export function dayIndex(day: LocalDay, levels: DayLevels, preset: Preset, minCoverage: number): DayIndex {
  const { pieces } = levels;
  const together = mergeLevels(pieces);
  const isMore = levels.whole !== undefined && levels.whole.seconds > together.seconds + ROUNDING_S;
  const periods = preset.periods.map(({ name }) => {
    const own = day.pieces.flatMap((piece, index) =>
      piece.period === name ? [{ ...piece, levels: pieces[index] }] : [],
    );
    return {
      period: name,
      hours: own.reduce((sum, { from, to }) => sum + to - from, 0) / 3_600_000,
      levels: mergeLevels(own.flatMap(({ levels }) => levels ?? [])),
    };
  });
  const missing = objection(periods, minCoverage);
  const reason = missing && isMore ? `${missing} ${LEFT_OUT}` : missing;
  return {
    date: day.date,
    hours: day.hours,
    periods,
    whole: isMore && levels.whole ? levels.whole : { ...together, ...extremesOf(levels.whole ?? together) },
    value: indexOf(periods, preset),
    valid: reason === null,
    reason,
  };
}

/** The valid days as one: means over their time with data. Also as the mean of days: each day counts the same. */
export class TotalOfDays {
  readonly #preset: Preset;
  readonly #leftOut: string[] = [];
  #periods: readonly PeriodLevels[];
  #whole = mergeLevels([]);
  readonly #means: { readonly periods: readonly MeanLevel[]; readonly value: MeanLevel; readonly leq: MeanLevel };
  #days = 0;
  #hours = 0;

  constructor(preset: Preset) {
    this.#preset = preset;
    this.#periods = preset.periods.map(({ name }) => ({ period: name, hours: 0, levels: mergeLevels([]) }));
    const periods = preset.periods.map(() => new MeanLevel());
    this.#means = { periods, value: new MeanLevel(), leq: new MeanLevel() };
  }

  add({ valid, date, hours, periods, whole, value }: DayIndex): void {
    if (!valid) {
      this.#leftOut.push(date);
      return;
    }
    this.#days += 1;
    this.#hours += hours;
    this.#whole = mergeLevels([this.#whole, whole]);
    this.#means.value.add(value);
    this.#means.leq.add(whole.leq);
    for (const [index, mean] of this.#means.periods.entries()) mean.add(periods[index]?.levels.leq ?? null);
    this.#periods = this.#periods.map((sum, index) => {
      const own = periods[index];
      return own ? { ...sum, hours: sum.hours + own.hours, levels: mergeLevels([sum.levels, own.levels]) } : sum;
    });
  }

  get result(): TotalIndex {
    const valid = this.#days > 0;
    return {
      days: this.#days,
      leftOut: this.#leftOut,
      hours: this.#hours,
      periods: this.#periods,
      whole: this.#whole,
      value: indexOf(this.#periods, this.#preset),
      meanOfDays: {
        periods: this.#preset.periods.map(({ name }, index) => ({
          period: name,
          leq: this.#means.periods[index]?.level ?? null,
        })),
        value: this.#means.value.level,
        leq: this.#means.leq.level,
      },
      valid,
      reason: valid ? null : 'No day is valid.',
    };
  }
}

/** 0 to 1. */
export const periodCoverage = ({ hours, levels }: PeriodLevels): number => coverageOf(levels.seconds, hours * 3_600);

const LEFT_OUT = 'Rows that reach over several periods count in none of them.';
const TITLES: Readonly<Record<PeriodName, string>> = { day: 'The day', evening: 'The evening', night: 'The night' };

function objection(periods: readonly PeriodLevels[], minCoverage: number): string | null {
  const wrong = periods.flatMap((each) => {
    const { period, hours, levels } = each;
    if (hours === 0) return [];
    if (levels.leq === null && levels.readings > 0) return `${TITLES[period]} has only single readings.`;
    if (levels.leq === null) return `${TITLES[period]} has no data.`;
    const coverage = periodCoverage(each);
    if (coverage >= minCoverage) return [];
    return `${TITLES[period]} has data for ${percent(coverage)} of its time, less than ${percent(minCoverage)}.`;
  });
  return wrong.length > 0 ? wrong.join(' ') : null;
}

/** Rounded down, so that a missed limit is not shown as reached. */
const percent = (share: number): string => `${Math.floor(share * 1_000) / 10} %`;

/** Samples of Lp in a second of the stream. */
const SAMPLES = 10;
/** Samples may be missing for this share of the time. */
const UNCOUNTED = 0.01;

interface AskedDays {
  readonly unitId: string;
  readonly days: readonly LocalDay[];
  /** Only data within this span counts, to full minutes. */
  readonly span: Span;
  readonly preset: Preset;
  readonly minCoverage: number;
  readonly channel?: string | null | undefined;
  /** Default: the weighting with the most data. */
  readonly weighting?: Weighting | undefined;
  /** Time that does not count, as `Query.excluded`. */
  readonly excluded?: readonly Range[];
  /** Whether a day that loses time by `excluded` also has its values with that time. */
  readonly withExcluded?: boolean;
}

/** A day. It also has its values with excluded time, without percentiles, if requested and if the day has such time. */
type AskedDay = DayIndex & { readonly withExcluded?: DayIndex };

/** One day after the other, as the rows arrive. Leaving the loop ends the work. */
export async function indexDays(history: Pick<History, 'query'>, asked: AskedDays, signal: AbortSignal) {
  const { unitId, days, span, channel, weighting: wanted, excluded = [], withExcluded = false } = asked;
  const pieces = days.flatMap((day) => day.pieces.flatMap((piece) => rangeOf(piece, span, piece.within) ?? []));
  const wholes = days.flatMap((day) => rangeOf(day, span, day) ?? []);
  const given = { excluded, withExcluded, ...(channel && { channel }), ...(wanted && { weighting: wanted }) };
  const answer = await history.query({ unitId, over: { ranges: pieces }, counts: true, ...given }, signal);
  const same = answer.weighting && { weighting: answer.weighting };
  // The day as a whole may have data although its periods have none: a row of 24 hours. If no row reaches over another,
  // the day is the sum of its periods.
  const whole = answer.mayHaveBounds
    ? await history.query({ unitId, over: { ranges: wholes }, ...given, ...same }, signal)
    : undefined;
  return { answer, days: dayIndices(asked, answer.rows, whole?.rows) };
}

/** A row of the history counts only if it lies in one period. */
function rangeOf(piece: Span, span: Span, within: Span): AskedRange | undefined {
  const from = minute(Math.max(piece.from, span.from));
  // The minute in which the span ends belongs to it.
  const to = piece.to <= span.to ? minute(piece.to) : minute(span.to + 59_999);
  const whole = { from: Math.min(from, minute(within.from)), to: Math.max(to, minute(within.to)) };
  return to > from ? { from, to, within: whole } : undefined;
}

const minute = (ms: number): number => Math.floor(ms / 60_000) * 60;

type Pages = AsyncIterable<readonly HistoryRow[]>;

async function* dayIndices(
  { days, span, preset, minCoverage }: AskedDays,
  pages: Pages,
  wholePages: Pages | undefined,
): AsyncGenerator<AskedDay, undefined> {
  const [rows, wholes] = [oneByOne(pages), wholePages && oneByOne(wholePages)];
  try {
    for (const day of days) {
      const pieces: (HistoryRow | undefined)[] = [];
      for (const piece of day.pieces) pieces.push(rangeOf(piece, span, piece.within) && (await rows.next()).value);
      const whole = wholes && rangeOf(day, span, day) && (await wholes.next()).value;
      const indexWith = (of: (row: HistoryRow) => HistoryRow) => {
        const levels = pieces.map((row) => (row ? spanLevelsOf(of(row)) : mergeLevels([])));
        return dayIndex(day, { pieces: levels, whole: whole && spanLevelsOf(of(whole)) }, preset, minCoverage);
      };
      const index = indexWith((row) => row);
      const isCut = [...pieces, whole].some((row) => row?.withExcluded);
      yield isCut ? { ...index, withExcluded: indexWith((row) => row.withExcluded ?? row) } : index;
    }
  } finally {
    await Promise.all([rows.return(undefined), wholes?.return(undefined)]);
  }
}

async function* oneByOne(pages: Pages): AsyncGenerator<HistoryRow, undefined> {
  for await (const page of pages) yield* page;
}

/** A row of the history as the levels of a span. Counts that do not cover all of its time are left out. */
export function spanLevelsOf(row: HistoryRow): SpanLevels {
  const counts = new LevelCounts();
  for (const [tenths, count] of row.counts ?? []) counts.addClass(tenths, count);
  const isCounted = counts.total >= row.measured * SAMPLES * (1 - UNCOUNTED);
  return {
    seconds: row.measured,
    ...levelsBy(KEPT, (name) => row[name]),
    bounds: levelsBy(EXTREMES, (name) => row.bounds[name]?.level ?? null),
    lmaxAt: row.lmaxAt === null ? null : row.lmaxAt * 1_000,
    counts: isCounted ? counts : null,
    readings: row.readings,
    flaggedS: doubtfulSeconds(row.flagged),
  };
}
