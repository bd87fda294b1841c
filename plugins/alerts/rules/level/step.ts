/** What happens to the event of a level rule, and how its levels are compared. Pure. Times are seconds since 1970 UTC. */
import { indices } from '../../../../lib/index.ts';
import type { SecondsSpan } from '../kind.ts';
import type { Piece } from '../pieces.ts';
import type { LevelRule } from './level-rule.ts';
import type { LevelSum } from './level-sum.ts';

/** `at`: when; `value`: dB. */
export type Step =
  | {
      readonly kind: 'open';
      readonly at: number;
      readonly value: number;
      readonly valueAt: number;
      readonly from: number;
      /** The value may lie beside the window: it is what it was at the most. Absent: it is certain. */
      readonly isBound?: boolean;
    }
  /** It goes on in the next window, which breaks the limit, too. */
  | { readonly kind: 'further'; readonly to: number }
  /** `window`: the one that has this value; that of a sliding window is not given. */
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

/** One level rule at one unit. The times of the levels are its clock, and `tick` moves its time on when there are no levels. */
export interface LevelWatch {
  readonly sum: LevelSum;
  readonly isOpen: boolean;
  /** Whether the limit is broken in the window that is on. An event may go on from the window before. */
  readonly isBroken: boolean;
  /** An event is known from before: it goes on while `worst` is given. `from`: the beginning of its window. */
  resume(event: { readonly from: number; readonly worst: number | undefined }): void;
  /** The weighting has changed: new levels cannot be added to the old ones. */
  forget(): void;
  /** The window that the levels of `at` belong to; undefined where none is on. */
  windowOf(at: number): SecondsSpan | undefined;
  take(piece: Piece): Step[];
  /** Time goes on. A gap neither opens nor closes anything; the end of a window and of the schedule do. */
  tick(now: number): Step[];
}

/** Levels are compared with a limit as they are shown. */
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
