/**
 * How a standard judges the noise of a day: its periods, the figures of each, the additions, and the limits. All of it
 * is data. So a person can compare it with the text of the standard, and write another preset. Levels dB, times of day
 * `HH:MM` by the local clock.
 */

/** Days of the week. Days of the holiday calendar are `holiday` and not a day of the week. */
export const DAY_KINDS = Object.freeze(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'holiday'] as const);
/** Kind of a date. */
export type DayKind = (typeof DAY_KINDS)[number];

/** It belongs to the day of its beginning; `to` at or before `from`: it ends on the next day. */
export interface TimeOfDay {
  readonly days: readonly DayKind[];
  readonly from: string;
  readonly to: string;
}

/** A part of the day with its own limit. All periods together fill each day, without holes and without overlaps. */
export interface PeriodBody {
  readonly name: string;
  readonly times: readonly TimeOfDay[];
}

/** One number, either of a period, or an index of several periods. */
export interface FigureBody {
  readonly name: string;
  /** Null: of all periods (`weights`). */
  readonly period: string | null;
  /** `leq`, or N of LN: 5 is the level exceeded 5 % of the time. `lmax` only in the limits of a permit. */
  readonly quantity: 'leq' | 'lmax' | number;
  readonly window_s: number | null;
  readonly weights?: Readonly<Record<string, number>>;
  /** True: the value is the level minus the LA90 of the same window. Only in the limits of a permit. */
  readonly overBackground?: boolean;
}

/** The addition from a difference upwards, dB. */
export interface DifferenceStep {
  readonly above: number;
  readonly db: number;
}

/** An addition that a person chooses by ear (`person`), or that is computed. */
export type Addition =
  | { readonly by: 'person'; readonly values: readonly number[]; readonly periods?: readonly string[] }
  /** K_I = LAFTeq - LAeq over takts of 5 s. */
  | { readonly by: 'takt' }
  | { readonly by: 'laieq' | 'lceq'; readonly steps: readonly DifferenceStep[] };

/** The addition for times of rest. */
export interface RestBody {
  readonly db: number;
  readonly times: readonly TimeOfDay[];
  readonly areas: readonly string[] | null;
}

/** The duration of the noise in a period changes the level or the limit. */
export interface DurationBody {
  readonly changes: 'level' | 'limit';
  /** By period: up to this duration, this addition in dB. Ascending; longer durations: no addition. */
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
  readonly threshold: number | null;
  readonly over_background: number | null;
  readonly min_s: number;
  readonly hold_s: number;
  readonly nat: readonly number[];
}

/** Content of a preset that a person writes. */
export interface PresetBody {
  readonly title: string;
  readonly source: string;
  readonly confirmed_by: string | null;
  readonly night_of: 'evening' | 'midnight';
  readonly periods: readonly PeriodBody[];
  readonly figures: readonly FigureBody[];
  readonly tonal: Addition | null;
  readonly impulse: Addition | null;
  readonly low_frequency: Addition | null;
  readonly other: Addition | null;
  readonly rest: RestBody | null;
  readonly most_added: number | null;
  readonly residual: 'subtract' | 'needed' | 'emergence';
  readonly background: 'none' | 'difference';
  readonly duration: DurationBody | null;
  readonly areas: readonly AreaBody[];
  readonly peaks_over: Readonly<Record<string, number>>;
  readonly events: EventsBody | null;
  readonly decimals: 0 | 1;
  readonly min_coverage: number;
}
