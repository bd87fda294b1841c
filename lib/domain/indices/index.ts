/** Levels, percentiles, periods of local days and the indices made of them. Pure: no input or output, no clock. */

export {
  type AskedDays,
  type DayIndex,
  dayIndex,
  indexDays,
  indexOf,
  type MeanOfDays,
  type PeriodLevels,
  periodCoverage,
  spanLevelsOf,
  type TotalIndex,
  TotalOfDays,
} from './day-index.ts';
export {
  type Budget,
  type BudgetInput,
  budget,
  coverageOf,
  type ExposureReading,
  energyMean,
  energyOf,
  exposureLevel,
  firstAbove,
  isAbove,
  type KnownLevel,
  type LeqBetween,
  leqBetween,
  levelOf,
  MAX_UNCERTAINTY,
  reachesFirst,
  SHOWN_DECIMALS,
} from './energy.ts';
export { classOf, LevelCounts } from './level-counts.ts';
export {
  type DayPiece,
  type IndexName,
  type LocalDay,
  localDays,
  misfit,
  type OwnPeriods,
  ownPreset,
  type Period,
  type PeriodName,
  PRESETS,
  type Preset,
} from './periods.ts';
export {
  ENOUGH,
  type LevelPart,
  mergeLevels,
  QUALITIES,
  type Quality,
  qualityOf,
  type SpanLevels,
  wholeLevel,
} from './span-levels.ts';
