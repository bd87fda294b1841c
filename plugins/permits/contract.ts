/** A permit of a site, and its verdict. Data only. Levels dB, times of day `HH:MM` by the local clock of each unit. */
import { type assessment, RULE_WINDOWS } from '../assessment/index.ts';

/** The spans that limits of a permit are for: the worst full window by the local clock, or the whole time of the limit. */
export const PERMIT_WINDOWS = Object.freeze({ ...RULE_WINDOWS, period: null });
/** `15m`, `1h`, `period`, ... */
type PermitWindow = keyof typeof PERMIT_WINDOWS;

/** One limit that the permit itself has. */
export interface PermitLimit {
  /** `leq`, `lmax`, or LN as `l10`. */
  readonly index: string;
  readonly window: PermitWindow;
  readonly from: string;
  /** At or before `from`: it ends on the next day. `24:00` is midnight at the end of the day. */
  readonly to: string;
  readonly days: readonly assessment.DayKind[];
  readonly limit_db?: number;
  /** From this level on a day is a warning. */
  readonly amber_db?: number;
  /** In place of `limit_db`: the level may be this much above the LA90 of the same window. */
  readonly over_background_db?: number;
}

/** A number for all periods of the preset, or one for some of them. */
type PermitAddition = number | Readonly<Record<string, number>>;

/** Content that a person writes. */
export interface PermitBody {
  readonly title: string;
  /** Either units or a tag. */
  readonly units?: readonly string[];
  readonly tag?: string;
  /** Either a preset with its area, or limits. */
  readonly preset?: string;
  readonly area?: string;
  readonly additions?: Readonly<Partial<Record<assessment.SaidName, PermitAddition>>>;
  readonly limits?: readonly PermitLimit[];
  readonly calendar?: string;
  /** First and last date, both included; absent: without an end. */
  readonly valid_from?: string;
  readonly valid_until?: string;
  readonly responsible: string;
  readonly targets: readonly string[];
}

/** A kept permit. */
export interface Permit extends PermitBody {
  readonly name: string;
}

/**
 * `excluded`: all that would count is excluded. `not_over`: the day goes on, and nothing is exceeded so far.
 * `not_assessable`: too little was measured. In the order in which the first one decides about several.
 */
export const PERMIT_VERDICTS = Object.freeze(['exceeded', 'not_over', 'not_assessable', 'excluded', 'met'] as const);
/** Judgement of a limit, a day, a unit or a permit. */
export type PermitVerdict = (typeof PERMIT_VERDICTS)[number];

/** One limit on one day. */
export interface PermitPart {
  readonly date: string;
  /** The name of the limit. */
  readonly limit: string;
  readonly verdict: PermitVerdict;
  /** The compared value; null: unknown. */
  readonly value: number | null;
  /** Null: the permit cannot judge; `reason` says what it lacks. */
  readonly limit_db: number | null;
  readonly margin_db: number | null;
  /** The value reached `amber_db` of the limit and not the limit. */
  readonly is_amber: boolean;
  /** 0 to 1: share of the time that was measured and counts. */
  readonly coverage: number;
  readonly excluded_s: number;
  /** Leq with the excluded time; null: nothing is excluded. */
  readonly leq_all: number | null;
  /** The window that decides; null: unknown. */
  readonly from: string | null;
  readonly to: string | null;
  /** The time of the limit on this day; null: the limit is no level over a time, such as that of Lden or of a difference. */
  readonly applies_from: string | null;
  readonly applies_to: string | null;
  readonly reason: string | null;
  /** The window that is not over yet; null: none, or the limit is not for a Leq. */
  readonly running: RunningLimit | null;
}

/** How long the present noise may go on within the window of a limit that runs now. Levels have the additions of the limit. */
export interface RunningLimit {
  readonly from: string;
  readonly to: string;
  readonly leq: number | null;
  /** Leq of the last five minutes; null: unknown. */
  readonly present_db: number | null;
  /** Seconds; 0: the limit is exceeded already; null: until the window is over, or unknown. */
  readonly may_go_on_s: number | null;
}

/** A day of a unit. */
export interface PermitDay {
  readonly date: string;
  readonly verdict: PermitVerdict;
  /** The least of its parts. */
  readonly margin_db: number | null;
  readonly is_amber: boolean;
  readonly parts: readonly PermitPart[];
}

/** A day of a unit by all its permits. */
export interface UnitDay extends PermitDay {
  /** The name of the permit that decides, and its title. */
  readonly permit: string;
  readonly title: string;
}
