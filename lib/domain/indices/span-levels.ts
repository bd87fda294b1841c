/** The levels in a span of time, from any source, and the combination of several spans. */
import {
  EXTREMES,
  type ExtremeQuantity,
  isExtreme,
  KEPT,
  type KeptQuantity,
  type LevelsOf,
  levelsBy,
  QUANTITIES,
} from '../quantities.ts';
import { coverageOf, energyMean, type KnownLevel } from './energy.ts';
import { LevelCounts } from './level-counts.ts';

/** A mean is one of all the time of the parts: its level may be missing for this share of it. */
const MISSING = 0.01;

interface LevelPart {
  /** dB; null or undefined: the part does not have it. */
  readonly level: number | null | undefined;
  /** Measured time of the part; for maxima and minima it does not matter. */
  readonly seconds: number;
}

/**
 * One level of a whole from the levels of its parts, by the rule of its quantity.
 *
 * dB; null if no part has the level. A mean is also null if more than 1 % of the time lacks it: it would then belong to
 * another time than the other levels of the whole.
 */
export function wholeLevel(name: KeptQuantity, parts: readonly LevelPart[]): number | null {
  const known = parts.flatMap(({ level, seconds }): KnownLevel[] =>
    level === null || level === undefined ? [] : [{ level, seconds }],
  );
  const { sum } = QUANTITIES[name];
  if (sum === 'energy') {
    const time = (of: readonly { readonly seconds: number }[]) => of.reduce((total, { seconds }) => total + seconds, 0);
    return time(known) < time(parts) * (1 - MISSING) ? null : energyMean(known);
  }
  if (known.length === 0) return null;
  const choose = sum === 'maximum' ? Math.max : Math.min;
  return known.reduce((best, { level }) => choose(best, level), known[0]?.level ?? 0);
}

/** The furthest of `bounds`, if it is beyond `certain`; null: the level is certain. dB. */
function boundOver(name: ExtremeQuantity, certain: number | null, bounds: readonly (number | null)[]): number | null {
  const furthest = wholeLevel(
    name,
    bounds.map((level) => ({ level, seconds: 0 })),
  );
  if (furthest === null || certain === null) return furthest;
  return wholeLevel(
    name,
    [furthest, certain].map((level) => ({ level, seconds: 0 })),
  ) === certain
    ? null
    : furthest;
}

/** dB: means over the measured time, maxima and minima; null if a level is missing. */
export interface SpanLevels extends LevelsOf<KeptQuantity, number | null> {
  readonly seconds: number;
  /** Upper limit of an uncertain maximum (lower limit of a minimum), dB; the level itself is then null. */
  readonly bounds: LevelsOf<ExtremeQuantity, number | null>;
  /** When `lmax` was reached, ms since 1970 UTC: the start of the shortest row with this level. */
  readonly lmaxAt: number | null;
  /** Null if they are not known for all of the data: then LN is unknown. */
  readonly counts: LevelCounts | null;
  /** Single readings in time that was not measured. They have no duration and are only part of `counts`. */
  readonly readings: number;
  /** Part of `seconds` in which the meter was outside its range, or its values were constant or impossible. */
  readonly flaggedS: number;
}

/**
 * `measured`: continuous, for most of the time. `partial`: continuous, but less than a valid day needs. `sampled`: only
 * single readings, not enough for an index. `mixed`: some of both. `flagged`: doubtful in more than 1 % of the time.
 * `none`: no data.
 */
export const QUALITIES = Object.freeze(['measured', 'partial', 'sampled', 'mixed', 'flagged', 'none'] as const);
export type Quality = (typeof QUALITIES)[number];

/** Above this share of doubtful time the quality is `flagged`. */
const FLAGGED_SHARE = 0.01;
/** With data for less of its time, a mean says little about the whole. The default for each period of a valid day. */
export const ENOUGH = 0.75;

/** `ofSeconds`: length of the span. */
export function qualityOf(
  { seconds, readings, flaggedS }: Pick<SpanLevels, 'seconds' | 'readings' | 'flaggedS'>,
  ofSeconds: number,
): Quality {
  if (!(seconds > 0)) return readings > 0 ? 'sampled' : 'none';
  if (flaggedS / seconds > FLAGGED_SHARE) return 'flagged';
  if (readings > 0) return 'mixed';
  return coverageOf(seconds, ofSeconds) < ENOUGH ? 'partial' : 'measured';
}

/** The whole from its parts, in any order. Parts do not overlap. */
export function mergeLevels(parts: Iterable<SpanLevels>): SpanLevels {
  const all = [...parts].filter(({ seconds, readings }) => seconds > 0 || readings > 0);
  const sum = (of: (part: SpanLevels) => number) => all.reduce((total, part) => total + of(part), 0);
  const partsOf = (name: KeptQuantity) => all.map((part) => ({ level: part[name], seconds: part.seconds }));
  const bounds = levelsBy(EXTREMES, (name) =>
    boundOver(
      name,
      wholeLevel(name, partsOf(name)),
      all.map((part) => part.bounds[name]),
    ),
  );
  const loudest = all.reduce<SpanLevels | undefined>((best, each) => (isLouder(each, best) ? each : best), undefined);
  return {
    seconds: sum(({ seconds }) => seconds),
    ...levelsBy(KEPT, (name) => (isExtreme(name) && bounds[name] !== null ? null : wholeLevel(name, partsOf(name)))),
    bounds,
    lmaxAt: bounds.lmax === null ? (loudest?.lmaxAt ?? null) : null,
    counts: mergedCounts(all),
    readings: sum(({ readings }) => readings),
    flaggedS: sum(({ flaggedS }) => flaggedS),
  };
}

/** Of two equal levels the first in time counts. */
function isLouder(one: SpanLevels, other: SpanLevels | undefined): boolean {
  const level = one.lmax ?? Number.NEGATIVE_INFINITY;
  const best = other?.lmax ?? Number.NEGATIVE_INFINITY;
  if (level !== best) return level > best;
  return one.lmax !== null && (one.lmaxAt ?? Number.POSITIVE_INFINITY) < (other?.lmaxAt ?? Number.POSITIVE_INFINITY);
}

function mergedCounts(parts: readonly SpanLevels[]): LevelCounts | null {
  const all = new LevelCounts();
  for (const { counts } of parts) {
    if (counts === null) return null;
    all.merge(counts);
  }
  return all;
}
