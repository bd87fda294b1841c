/** A permit of a site. Data only; `schemas.ts` says what each field means. Levels dB, times of day `HH:MM` by the local clock of each unit. */
import { type assessment, RULE_WINDOWS } from '../assessment/index.ts';

/** The spans that limits of a permit are for: the worst full window by the local clock, or the whole time of the limit. */
export const PERMIT_WINDOWS = Object.freeze({ ...RULE_WINDOWS, period: null });

/** One limit that the permit itself has. */
export interface PermitLimit extends assessment.TimeOfDay {
  /** `leq`, `lmax`, or LN as `l10`. */
  readonly index: string;
  readonly window: keyof typeof PERMIT_WINDOWS;
  readonly limit_db?: number;
  readonly amber_db?: number;
  readonly over_background_db?: number;
}

/** Content that a person writes. */
export interface PermitBody {
  readonly title: string;
  readonly units?: readonly string[];
  readonly tag?: string;
  readonly preset?: string;
  readonly area?: string;
  /** A number for all periods of the preset, or a number for some of them. */
  readonly additions?: Readonly<Partial<Record<assessment.SaidName, number | Readonly<Record<string, number>>>>>;
  readonly limits?: readonly PermitLimit[];
  readonly calendar?: string;
  readonly valid_from?: string;
  readonly valid_until?: string;
  readonly responsible: string;
  readonly targets: readonly string[];
}

/** In the order in which the first verdict decides about several. */
export const PERMIT_VERDICTS = Object.freeze(['exceeded', 'not_over', 'not_assessable', 'excluded', 'met'] as const);
/** Judgement of a limit, a day, a unit or a permit. */
export type PermitVerdict = (typeof PERMIT_VERDICTS)[number];
