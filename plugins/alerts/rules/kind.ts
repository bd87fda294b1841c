/**
 * A kind of rule: its fields, its words, and its watch at a unit. Routes, checks, preview, events, the form of the
 * dashboard and the docs need no more than this. `kinds.ts` lists the kinds. Types only.
 */
import type { Budget } from '../../../client/schemas.ts';
import type {
  DeviceState,
  FormField,
  HistoryStatus,
  InputError,
  InstancesKnown,
  quantities,
  Reachability,
  Sentence,
  UnitStatus,
} from '../../../lib/built-in.ts';
import type { Clock, DeviceConfig, EventData, History, HistoryRow, Log } from '../../../lib/index.ts';
import type { CalibrationState } from '../../calibration/index.ts';
import type { Notes } from '../../notes/index.ts';
import type { EventRow } from '../tables.ts';
import type { Rule, RuleBody } from './rule.ts';

/** Levels of a span, seconds since 1970 UTC. Rows of the history become such pieces. */
export interface Piece {
  readonly at: number;
  readonly to: number;
  /** Seconds with data, at most `to - at`. */
  readonly seconds: number;
  /** dB; null or absent: unknown. Each piece has `leq`. */
  readonly levels: Readonly<Partial<Record<quantities.KeptQuantity, number | null>>>;
  /** For a level that is null because its place is not certain: the most that it can be. */
  readonly bounds?: HistoryRow['bounds'];
  /** Lp of the samples, for percentiles. */
  readonly lp?: readonly number[] | undefined;
  /** The same samples as pairs: class in tenths of a dB, and count. */
  readonly counts?: readonly (readonly [tenths: number, count: number])[] | undefined;
}

/** The known state of a meter when a rule is judged. Undefined or null: unknown. */
export interface Facts {
  readonly reachability: Reachability | undefined;
  readonly state: Pick<DeviceState, 'frequencyWeighting' | 'timeWeighting'> | undefined;
  readonly status: Pick<UnitStatus, 'values' | 'age'>;
  readonly pollIntervalSeconds: number;
  readonly recording: Pick<HistoryStatus, 'state' | 'reason'>;
  /** Whether the last work on the card failed at FTP; undefined: no work yet. */
  readonly ftpFailing: boolean | undefined;
  readonly calibration: CalibrationState;
  /** The settings beside those of the profile of the meter. */
  readonly drift: EventData['drift'] | undefined;
  /** Whether the stations for this unit still send. */
  readonly stations: EventData['stations'] | undefined;
  readonly now: number;
  /** The day by the clock of the unit, `2026-11-23`. */
  today(): string;
}

/** The levels that a unit must record for a rule. */
export interface Needed {
  /** The unit must record at least this: readings that are made anyway, or every second. */
  readonly history: 'poll' | 'stream';
  /** The stream of the unit's family must have this quantity. */
  readonly quantity?: string;
  /** The unit must record this channel. Default: `main`. */
  readonly channel?: string;
}

/** The state of a unit beside its config, for the question whether a rule is judged there. */
export interface UnitKnown {
  /** Undefined: not known yet. */
  readonly drift: EventData['drift'] | undefined;
  readonly calibration: CalibrationState;
  /** Undefined: not known yet. */
  readonly stations: EventData['stations'] | undefined;
  /** Whether levels of the main channel come, but none of this channel. */
  isSilent(channel: string): boolean;
  /** Whether an exclusion of this channel is in force now. */
  isExcluded(channel: string): boolean;
}

/** `Own`: the fields that the kind adds to every rule. */
export interface RuleKind<Own extends object = object> {
  readonly name: string;
  /** A phrase that follows "A rule about": `a level`. */
  readonly title: string;
  readonly fields: readonly FormField[];
  /** Checks that the description of the fields cannot express. Types and required fields were checked before. */
  problems?(given: Partial<Own> & Pick<RuleBody, 'schedule'>): InputError[];
  /** Defaults that depend on other fields. Given values win. */
  derived?(given: Partial<Own>): Partial<Own>;
  /** Values for rules of older data folders, which lack a field. They may differ from the defaults of a new rule. */
  readonly formerly?: Partial<Own>;
  /** The channel of the meter whose levels the rule uses. Absent: `main`. */
  channelOf?(rule: Own): string;
  /** Whether the rule leaves out levels of a time that notes exclude. Absent: it does not. */
  leavesOut?(rule: Own): boolean;
  /** Absent: the rule needs no recording. */
  needs?(rule: Own): Needed;
  /** The reason why the rule is not judged at a unit, beside missing recordings. Undefined: it is judged. Absent: no further reason. */
  lack?(rule: Own, unit: DeviceConfig, known: UnitKnown): string | undefined;
  /** For rules about the gateway as a whole, which name neither units nor a tag. `lack`: why a rule is not judged; undefined: it is. */
  readonly ofGateway?: { lack(known: InstancesKnown): string | undefined };
  /** The watched condition as a phrase: `Leq of 15 min above 75 dB`. */
  words(rule: Own): Sentence;
  /** The unit of the values of its events, by their subject; an empty text: no unit. */
  unitOf(what: string): string;
  /** Begins to watch a rule at a unit. Called again when the rule, its unit or its zone changes. */
  watch(rule: Rule & Own, parts: WatchParts): RuleWatch;
  /** The events that a rule would have had. Absent: the history does not decide them, and `noPreview` says why. */
  replay?(rule: RuleBody & Own, place: RuleUnit, span: SecondsSpan, parts: HistoryParts): Promise<readonly Replayed[]>;
  readonly noPreview?: string;
  readonly late?: LateLevels<Own>;
}

/** Seconds since 1970 UTC. */
export interface SecondsSpan {
  readonly from: number;
  readonly to: number;
}

export interface RuleUnit {
  readonly unitId: string;
  /** IANA name of its zone. */
  readonly zone: string;
}

export interface HistoryParts {
  readonly history: Pick<History, 'query'>;
  /** For rules that leave out excluded time. */
  readonly notes: Pick<Notes, 'excluded'>;
  readonly signal: AbortSignal;
}

export interface WatchParts extends RuleUnit, HistoryParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly instances: () => InstancesKnown;
  /** State from before: the open event, and the end of the last window that an event covered (ms). */
  readonly open: EventRow | undefined;
  readonly lastWindow: number | undefined;
  readonly events: RuleEvents;
}

/** How bad an event is. */
export interface EventStage extends Pick<EventRow, 'limitValue' | 'detail'> {
  /** `detail` for other languages. Absent: it stays English. */
  readonly sentences?: EventRow['sentences'];
  /** Absent: that of its rule. */
  readonly severity?: Rule['severity'];
}

/** The beginning of an event. Times in ms. */
export interface Opening
  extends EventStage,
    Pick<EventRow, 'what' | 'windowFrom' | 'windowTo' | 'openedAt' | 'worst' | 'worstAt'> {
  /** A channel of the meter, if the event is about a level. */
  readonly channel?: string;
  /** For an event that may cover several windows. */
  readonly windows?: EventRow['windows'];
}

/** A new worst value of an open event. */
export interface Worse {
  readonly value: number;
  /** ms */
  readonly at: number;
  /** The window that has the value, ms; absent for a sliding window. */
  readonly window?: SecondsSpan | undefined;
  /** As in `Replayed`. Default: the value is certain. */
  readonly isBound?: boolean;
  /** Absent: the event has one stage. */
  readonly stage?: EventStage;
}

/** The event of one rule at one unit; there is one at a time. */
export interface RuleEvents {
  begin(opening: Opening): void;
  /** About the open event; ignored without an open event. */
  worse(worse: Worse): void;
  /** The event goes on in the next window, until `windowTo` (ms). */
  further(windowTo: number): void;
  end(at: number): void;
}

/** One time on two clocks. */
export interface Moment {
  /** Wall time, for the schedule. ms since 1970 UTC. */
  readonly time: number;
  /** Monotonic time, to measure durations. ms. */
  readonly elapsed: number;
}

/** A rule at a unit. A kind has only the methods that it needs. Synchronous and quick: they run for each row of each rule. */
export interface RuleWatch {
  /** A level that was just recorded, in order of time. */
  level?(piece: Piece): void;
  /** The weighting has changed: new levels cannot be added to the old ones. */
  forget?(): void;
  /** Every few seconds. `now`: seconds since 1970 UTC. */
  tick?(now: number): void;
  look?(facts: Facts, moment: Moment): void;
  /** The noise that the rule still allows. `goingOn`: the Leq of the last five minutes. Undefined: the rule has no window now. */
  budget?(now: number, goingOn: number | null): Budget | undefined;
  stop?(): void;
}

/** An event that the rule would have had. Times in seconds. */
export interface Replayed {
  readonly at: number;
  readonly closedAt: number | undefined;
  /** Beginning of its window. */
  readonly from: number;
  readonly value: number;
  readonly valueAt: number;
  /** The true value is at most this one: its place in the window is not certain. Default: the value is certain. */
  readonly isBound?: boolean;
  /** How many windows of the clock the event covers, the end of the last, and the window with the value. Default: one window. */
  readonly windows?: { readonly count: number; readonly to: number; readonly worst: SecondsSpan | undefined };
}

/** Changes events when levels come late, for example from the card. */
export interface LateLevels<Own extends object> {
  /** The value of an event by the levels that are recorded now; null: unknown. `rule`: the rule of the event, if it still exists. */
  value(event: EventRow, parts: HistoryParts, rule: (Rule & Own) | undefined): Promise<number | null>;
  /** The events of all present levels, as far as they touch a span that was just filled. */
  events(rule: Rule & Own, place: RuleUnit, filled: FilledSpan, parts: LateParts): Promise<readonly LateEvent[]>;
}

export interface LateParts extends HistoryParts {
  readonly now: number;
  /** The events of the rule at the unit that touch a span. */
  known(span: SecondsSpan): Promise<readonly EventRow[]>;
}

/** A span that was filled late. */
export interface FilledSpan extends SecondsSpan {
  /** Whether the gateway itself had measured the levels. */
  readonly isOwn: boolean;
}

/** An event that is found in late levels. */
export interface LateEvent {
  readonly opening: Opening;
  /** ms; null: the event goes on. */
  readonly closedAt: number | null;
  /** The stored events of its time, the oldest first: this event replaces them. */
  readonly known: readonly EventRow[];
  /** The value that the gateway itself had recorded in the window; null: no value. */
  readonly was: number | null;
}
