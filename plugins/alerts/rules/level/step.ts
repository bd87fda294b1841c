/** Changes of the event of a level rule, and the comparison of levels. Pure. Times are seconds since 1970 UTC. */
import { indices } from '../../../../lib/index.ts';
import type { SecondsSpan } from '../kind.ts';
import type { Piece } from '../pieces.ts';
import type { LevelRule } from './level-rule.ts';
import type { LevelSum } from './level-sum.ts';

/** `at`: the time; `value`: dB. */
export type Step =
  | {
      readonly kind: 'open';
      readonly at: number;
      readonly value: number;
      readonly valueAt: number;
      readonly from: number;
      /** The true value is at most this one: its place may be outside the window. Absent: the value is certain. */
      readonly isBound?: boolean;
    }
  /** The event goes on in the next window, which exceeds the limit, too. */
  | { readonly kind: 'further'; readonly to: number }
  /** `window`: the window with this value; absent for a sliding window. */
  | {
      readonly kind: 'worse';
      readonly value: number;
      readonly valueAt: number;
      readonly window?: SecondsSpan;
      readonly isBound?: boolean;
    }
  | { readonly kind: 'close'; readonly at: number };

/** After its end a window waits this long for late levels, seconds. */
export const GRACE_S = 30;

/** One level rule at one unit. The times of the levels are its clock; without levels `tick` moves its time on. */
export interface LevelWatch {
  readonly sum: LevelSum;
  readonly isOpen: boolean;
  /** Whether the limit is exceeded in the present window. An event may go on from the window before. */
  readonly isBroken: boolean;
  /** Goes on with an event from before: it is open if `worst` is given. `from`: the beginning of its window. */
  resume(event: { readonly from: number; readonly worst: number | undefined }): void;
  /** The weighting has changed: new levels cannot be added to the old ones. */
  forget(): void;
  /** The window that the levels of `at` belong to; undefined: no window at this time. */
  windowOf(at: number): SecondsSpan | undefined;
  take(piece: Piece): Step[];
  /** Time goes on. A gap opens and closes nothing; the end of a window or of the schedule can. */
  tick(now: number): Step[];
}

/** Compares levels with a limit as they are shown. */
export class Above {
  readonly #first: number;

  constructor(limit: number, decimals: number | undefined) {
    this.#first = indices.firstAbove(limit, decimals);
  }

  has(level: number): boolean {
    return indices.reachesFirst(level, this.#first);
  }
}

/** The limit of a rule. */
export const aboveLimit = ({ limit_db, decimals }: LevelRule): Above => new Above(limit_db, decimals);
