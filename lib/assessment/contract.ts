/**
 * How a standard judges the noise of a day: its periods, what is formed in each, what is added, and the limits. All of it is data, so
 * that a person can read it beside the text of the standard, and write another. Levels dB, times of day `HH:MM` by the local clock.
 */

/** Days of the week, and those of the holiday calendar, which are `holiday` and no day of the week. */
export const DAY_KINDS = Object.freeze(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'holiday'] as const);
/** What kind of day a date is. */
export type DayKind = (typeof DAY_KINDS)[number];

/** A time of day, on some days. It belongs to the day on which it begins; `to` at or before `from`: it ends on the next day. */
export interface TimeOfDay {
  readonly days: readonly DayKind[];
  /** `06:00`. */
  readonly from: string;
  /** `22:00`; `24:00` is midnight at the end of the day. */
  readonly to: string;
}

/** A part of the day with its own limit. All periods together fill each day, without holes and without overlaps. */
export interface PeriodBody {
  readonly name: string;
  readonly times: readonly TimeOfDay[];
}

/** One number that is formed. Either of a period, or an index of several. */
export interface FigureBody {
  readonly name: string;
  /** Null: of all periods (`weights`). */
  readonly period: string | null;
  /** `leq`, or N of LN: 5 is the level exceeded 5 % of the time. */
  readonly quantity: 'leq' | number;
  /** Seconds: the worst full window of this length by the local clock counts. Null: the whole period. */
  readonly window_s: number | null;
  /** dB that each period counts more in an index; absent: no index. */
  readonly weights?: Readonly<Record<string, number>>;
}

/** From which difference on how much is added, dB. */
export interface DifferenceStep {
  readonly above: number;
  readonly db: number;
}

/** An addition that a person chooses by ear (`person`), or that is worked out. */
export type Addition =
  | { readonly by: 'person'; readonly values: readonly number[]; readonly periods?: readonly string[] }
  /** K_I = LAFTeq - LAeq over takts of 5 s. */
  | { readonly by: 'takt' }
  /** From LAIeq - LAeq, or LCeq - LAeq. */
  | { readonly by: 'laieq' | 'lceq'; readonly steps: readonly DifferenceStep[] };

/** What is added while people rest. */
export interface RestBody {
  readonly db: number;
  readonly times: readonly TimeOfDay[];
  /** Only there; null: everywhere. */
  readonly areas: readonly string[] | null;
}

/** How long the noise lasts in a period changes the level or the limit. */
export interface DurationBody {
  readonly changes: 'level' | 'limit';
  /** By period: up to so many seconds, dB are added. Ascending; longer: nothing. */
  readonly steps: Readonly<Record<string, readonly { readonly up_to_s: number; readonly db: number }[]>>;
}

/** Limits of one kind of area, by figure. */
export interface AreaBody {
  readonly name: string;
  readonly title: string;
  readonly limits: Readonly<Record<string, number>>;
}

/** Single events that are counted. */
export interface EventsBody {
  /** dB; null: over the background. */
  readonly threshold: number | null;
  /** dB over the LA90 of each quarter of an hour. */
  readonly over_background: number | null;
  readonly min_s: number;
  readonly hold_s: number;
  /** Levels of the number of events above. */
  readonly nat: readonly number[];
}

/** What a person writes. */
export interface PresetBody {
  readonly title: string;
  /** Of the numbers: standard, part, year. */
  readonly source: string;
  /** Who compared them with the text; null: nobody has. */
  readonly confirmed_by: string | null;
  /** A night belongs to the day on which it begins (`evening`), or midnight cuts it (`midnight`), as the indices do. */
  readonly night_of: 'evening' | 'midnight';
  readonly periods: readonly PeriodBody[];
  readonly figures: readonly FigureBody[];
  readonly tonal: Addition | null;
  readonly impulse: Addition | null;
  readonly low_frequency: Addition | null;
  readonly other: Addition | null;
  readonly rest: RestBody | null;
  /** Tonal, impulse, low frequency and other together are at most this, dB. */
  readonly most_added: number | null;
  /** `subtract`: where somebody gives it, `needed`: without it nothing is assessable; `emergence`: the value is total minus residual. */
  readonly residual: 'subtract' | 'needed' | 'emergence';
  /** `difference`: the value is the rating level minus the background that a person chose. */
  readonly background: 'none' | 'difference';
  readonly duration: DurationBody | null;
  readonly areas: readonly AreaBody[];
  /** By figure: single peaks (LAFmax) may be so many dB above its limit. */
  readonly peaks_over: Readonly<Record<string, number>>;
  readonly events: EventsBody | null;
  /** Values are rounded to so many decimals before they are compared. */
  readonly decimals: 0 | 1;
  /** Share of each part that has to be measured, 0 to 1. */
  readonly min_coverage: number;
}
