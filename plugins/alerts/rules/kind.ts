/**
 * What a kind of rule is: its fields, its words, and how it is watched at a unit. Everything else (routes, checks, preview, events,
 * the form of the dashboard, the docs) works with this alone; the kinds that there are stand in `kinds.ts`. Types only.
 */
import type {
  CalibrationState,
  Clock,
  DeviceConfig,
  EventData,
  FormField,
  History,
  InputError,
  InstancesKnown,
  Log,
  Notes,
} from '../../../lib/index.ts';
import type { EventRow } from '../tables.ts';
import type { RuleBudget } from './budget.ts';
import type { Facts } from './facts.ts';
import type { Piece } from './pieces.ts';
import type { Rule, RuleBody } from './rule.ts';

/** What a rule needs of a unit. */
export interface Needed {
  /** What it must record at least: readings that are made anyway, or every second. */
  readonly history: 'poll' | 'stream';
  /** What the stream of its family must have. */
  readonly quantity?: string;
  /** The channel that it must record. Default: `main`. */
  readonly channel?: string;
}

/** What is known of a unit, beside its config, when somebody asks whether a rule is judged there. */
export interface UnitKnown {
  /** Undefined: not told yet. */
  readonly drift: EventData['drift'] | undefined;
  readonly calibration: CalibrationState;
  /** Undefined: not told yet. */
  readonly stations: EventData['stations'] | undefined;
  /** Whether levels of the main channel come and none of this one. */
  isSilent(channel: string): boolean;
  /** Whether an exclusion of this channel is in force now. */
  isExcluded(channel: string): boolean;
}

/** `Own`: the fields that the kind adds to every rule. */
export interface RuleKind<Own extends object = object> {
  /** The word of the API, in the field `kind`. */
  readonly name: string;
  /** After "A rule about": `a level`. */
  readonly title: string;
  readonly fields: readonly FormField[];
  /** What the description of the fields cannot say. Types and what is needed were checked before. */
  problems?(given: Partial<Own> & Pick<RuleBody, 'schedule'>): InputError[];
  /** Defaults that depend on other fields. What was given counts before them. */
  derived?(given: Partial<Own>): Partial<Own>;
  /** What counts for rules of older data folders, which lack a field. It may differ from the default of a new rule. */
  readonly formerly?: Partial<Own>;
  /** The channel of the meter whose levels it takes. Absent: `main`. */
  channelOf?(rule: Own): string;
  /** Whether it leaves out levels that come while notes exclude their time. Absent: it does not. */
  leavesOut?(rule: Own): boolean;
  /** Absent: nothing. */
  needs?(rule: Own): Needed;
  /** Why the rule is not judged at a unit, whatever is recorded there; undefined: it is. Absent: only what is recorded counts. */
  lack?(rule: Own, unit: DeviceConfig, known: UnitKnown): string | undefined;
  /** For rules about the gateway as a whole, which name neither units nor a tag. `lack`: why one is not judged; undefined: it is. */
  readonly ofGateway?: { lack(known: InstancesKnown): string | undefined };
  /** What is watched, as a phrase: `Leq of 15 min above 75 dB`. */
  words(rule: Own): string;
  /** The unit of the values of its events, by what they are about; an empty text: none. */
  unitOf(what: string): string;
  /** Begins to watch a rule at a unit. Called again when the rule, its unit or its zone changes. */
  watch(rule: Rule & Own, parts: WatchParts): RuleWatch;
  /** The events that a rule would have had. Absent: the history does not decide it, and `noPreview` says why. */
  replay?(rule: RuleBody & Own, place: RuleUnit, span: SecondsSpan, parts: HistoryParts): Promise<readonly Replayed[]>;
  readonly noPreview?: string;
  /** For a kind whose events change when levels of the card come late. */
  readonly late?: LateLevels<Own>;
}

/** Seconds since 1970 UTC. */
export interface SecondsSpan {
  readonly from: number;
  readonly to: number;
}

/** The unit that a rule looks at. */
export interface RuleUnit {
  readonly unitId: string;
  /** IANA name of its zone. */
  readonly zone: string;
}

/** Where a rule finds recorded levels. */
export interface HistoryParts {
  readonly history: Pick<History, 'query'>;
  /** For rules that leave out excluded time. */
  readonly notes: Pick<Notes, 'excluded'>;
  readonly signal: AbortSignal;
}

/** What a watch needs of the gateway. */
export interface WatchParts extends RuleUnit, HistoryParts {
  readonly clock: Clock;
  readonly log: Log;
  /** The instances that share the database of this gateway. */
  readonly instances: () => InstancesKnown;
  /** Stands for the unit as long as rules watch it: what several rules share is kept by it. */
  readonly unit: object;
  /** What is known from before: the event that is open, and the end of the last window that one covered (ms). */
  readonly open: EventRow | undefined;
  readonly lastWindow: number | undefined;
  /** Where events go. */
  readonly events: RuleEvents;
}

/** What an event is about when it begins. Times in ms. */
export interface Opening
  extends Pick<
    EventRow,
    'what' | 'limitValue' | 'windowFrom' | 'windowTo' | 'openedAt' | 'worst' | 'worstAt' | 'detail'
  > {
  /** Of the meter, where it is about a level. */
  readonly channel?: string;
  /** Where it may cover several windows. */
  readonly windows?: EventRow['windows'];
}

/** What an open event gets when its value grows. */
export interface Worse {
  readonly value: number;
  /** ms */
  readonly at: number;
  /** The window that has the value, ms; of a sliding window it is not known. */
  readonly window?: SecondsSpan | undefined;
  /** As of `Replayed`. Default: it can be placed. */
  readonly isBound?: boolean;
}

/** The event of one rule at one unit; there is one at a time. */
export interface RuleEvents {
  begin(opening: Opening): void;
  /** Of the open event; ignored without one. */
  worse(worse: Worse): void;
  /** It goes on in the next window, until `windowTo` (ms). */
  further(windowTo: number): void;
  end(at: number): void;
}

/** One time on two clocks. */
export interface Moment {
  /** Wall time, for the schedule. ms since 1970 UTC. */
  readonly time: number;
  /** Monotonic, for how long something holds. ms. */
  readonly elapsed: number;
}

/** A rule at a unit. Each method is there if the kind needs what it brings. Synchronous and quick: it runs for each row of each rule. */
export interface RuleWatch {
  /** A level that was just recorded, in order of time. */
  level?(piece: Piece): void;
  /** The weighting has changed: new levels cannot be added to the old ones. */
  forget?(): void;
  /** Every few seconds. `now`: seconds since 1970 UTC. */
  tick?(now: number): void;
  /** Something is known of the meter. */
  look?(facts: Facts, moment: Moment): void;
  /** What the rule still allows. `goingOn`: the Leq of the last five minutes. Undefined: it has no window now. */
  budget?(now: number, goingOn: number | null): RuleBudget | undefined;
  /** The rule is not watched any more. */
  stop?(): void;
}

/** An event as it would have been. Times in seconds. */
export interface Replayed {
  readonly at: number;
  /** Undefined: it had not ended. */
  readonly closedAt: number | undefined;
  /** Beginning of its window. */
  readonly from: number;
  readonly value: number;
  readonly valueAt: number;
  /** The value is what it was at the most: it cannot be placed in the window. Default: it can. */
  readonly isBound?: boolean;
  /** How many windows of the clock it covers, the end of the last window, and the window with the value. Default: one window. */
  readonly windows?: { readonly count: number; readonly to: number; readonly worst: SecondsSpan | undefined };
}

/** Rows of the card come hours later. */
export interface LateLevels<Own extends object> {
  /** The value of an event by what is recorded now; null: it cannot be computed. `rule`: that of the event, if it is still there. */
  value(event: EventRow, parts: HistoryParts, rule: (Rule & Own) | undefined): Promise<number | null>;
  /** The events of all levels that are known now, where they touch a span that was filled just now. */
  events(rule: Rule & Own, place: RuleUnit, filled: FilledSpan, parts: LateParts): Promise<readonly LateEvent[]>;
}

/** What a look back needs. */
export interface LateParts extends HistoryParts {
  /** ms since 1970 UTC. */
  readonly now: number;
  /** The events of the rule at the unit that touch a span. */
  known(span: SecondsSpan): Promise<readonly EventRow[]>;
}

/** A span that was filled late. */
export interface FilledSpan extends SecondsSpan {
  /** Whether the gateway itself had measured the levels. */
  readonly isOwn: boolean;
}

/** An event that is found afterwards. */
export interface LateEvent {
  readonly opening: Opening;
  /** ms; null: it goes on. */
  readonly closedAt: number | null;
  /** The events that are kept of its time, the oldest first: they are this one. */
  readonly known: readonly EventRow[];
  /** The value that the gateway itself had recorded in the window; null: nothing. */
  readonly was: number | null;
}
