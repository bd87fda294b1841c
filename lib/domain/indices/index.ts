/** Levels, percentiles, periods of local days and the indices made of them. Pure: no input or output, no clock. */
export { type Budget, type BudgetInput, budget } from './budget.ts';
export {
  type DayIndex,
  dayIndex,
  indexOf,
  type MeanOfDays,
  type PeriodLevels,
  periodCoverage,
  type TotalIndex,
  TotalOfDays,
} from './day-index.ts';
export { coverageOf, energyMean, energyOf, exposureLevel, type KnownLevel, levelOf } from './energy.ts';
export { type ExposureReading, type LeqBetween, leqBetween, MAX_UNCERTAINTY } from './exposure-difference.ts';
export { type AskedDays, indexDays, spanLevelsOf } from './from-rows.ts';
export { classOf, LevelCounts } from './level-counts.ts';
export { firstAbove, isAbove, reachesFirst, SHOWN_DECIMALS } from './limit.ts';
export { type DayPiece, type LocalDay, localDays } from './local-days.ts';
export {
  type IndexName,
  misfit,
  type OwnPeriods,
  ownPreset,
  type Period,
  type PeriodName,
  PRESETS,
  type Preset,
} from './periods.ts';
export { ENOUGH, mergeLevels, QUALITIES, type Quality, qualityOf, type SpanLevels } from './span-levels.ts';
export { type LevelPart, wholeLevel } from './whole-level.ts';
