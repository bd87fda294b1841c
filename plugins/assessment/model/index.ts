/** How standards judge the noise of a place: presets as data, and the arithmetic. Pure: no input or output, no clock. */
export { ADDITIONS, type AdditionName, SAID, type SaidName } from './additions.ts';
export { type Spread, spreadOf } from './background.ts';
export { type AssessedDate, minutesOf, timesWithin } from './calendar.ts';
export { changedPreset, problemsOf, thresholdProblems } from './check.ts';
export {
  type Addition,
  type AreaBody,
  DAY_KINDS,
  type DayKind,
  type FigureBody,
  type PresetBody,
  type TimeOfDay,
} from './contract.ts';
export {
  EventFinder,
  type EventRule,
  type EventSecond,
  type EventSum,
  energyShare,
  type NoiseEvent,
  sumOfEvents,
} from './events.ts';
export {
  type Chosen,
  type CountedPart,
  type FigureResult,
  type MeasuredPart,
  type MeasuredWindow,
  type RunningWindow,
  VERDICTS,
  type Verdict,
} from './figure.ts';
export { loudest, type MeasuredRow, MovingLeq, type MovingValue } from './moving.ts';
export type { PlannedPart, PlannedWindow } from './parts.ts';
export { figuresOf, type Judging, keysOf, NO_LEVELS, type PlannedDay, planDays, verdictOfDay } from './plan.ts';
export { type MeanOfLevels, meanOfLevels, ratingLevel, specificLevel, taktLevel } from './rating.ts';
