/**
 * Answers of the gateway, with the names that programs use. Each is a type of the OpenAPI document (`schemas.ts`), or a part
 * of such a type. Levels are numbers in dB, times ISO 8601 in UTC.
 */
import type { StatusQuantity } from '../lib/domain/quantities.ts';
import type {
  AlertRule,
  Config,
  FrameEvent,
  Hello,
  History,
  HistoryExtent,
  PlannedRun,
  Unit,
  UnitEvent,
  Weighting,
} from './schemas.ts';

export type * from './schemas.ts';

/** How a meter can be reached now. */
export type Reachability = Unit['state'];
export type Severity = AlertRule['severity'];
export type ScheduleAction = PlannedRun['action'];
/** How the files of a card are copied. */
export type MirrorConfig = Config['mirror'];
/** From when to when there are levels. */
export type Extent = HistoryExtent;
/** Weighting of frequency and time, such as A and F. */
export type HistoryWeighting = Weighting;
/** A value in a row of the history. */
export type Cell = History['rows'][number][number];

/** The main channel of the display. */
export type Levels = Pick<Unit, StatusQuantity>;

/** A message of WS _live. */
export type LiveEvent = Hello | FrameEvent | UnitEvent;

/** The levels of 100 ms of one meter, in dB. `missed`: frames left out before this frame, because this client was slow. */
export type Frame = Pick<FrameEvent, 'time' | 'missed'> & FrameEvent['data'];
