/** Rows of the history as pieces of a window. A single reading has no duration, so it gives no piece. */
import type { Batch, HistoryRow } from '../../../lib/index.ts';

/** Levels of a span, seconds since 1970 UTC. Rows of the history become such pieces. */
export interface Piece {
  readonly at: number;
  readonly to: number;
  /** Seconds with data, at most `to - at`. */
  readonly seconds: number;
  readonly leq: number;
  readonly lmax: number | null;
  readonly lpeak: number | null;
  /** Lp of the samples, for percentiles. */
  readonly lp?: readonly number[] | undefined;
  /** The same as class in tenths of a dB and number. */
  readonly counts?: readonly (readonly [tenths: number, count: number])[] | undefined;
}

const STEP_S = 0.1;

/** What the recorder has just taken, in order of time. */
export function piecesOf({ seconds = [], intervals = [] }: Pick<Batch, 'seconds' | 'intervals'>): Piece[] {
  const pieces: Piece[] = [];
  for (const { at, steps, leq, lmax = null, lpeak = null, lp } of seconds) {
    if (leq !== null) pieces.push({ at, to: at + 1, seconds: steps * STEP_S, leq, lmax, lpeak, lp });
  }
  for (const { at, duration, leq, lmax = null, lpeak = null } of intervals)
    pieces.push({ at, to: at + duration, seconds: duration, leq, lmax, lpeak });
  return pieces;
}

/** A row that the history answered; undefined without measured time. */
export function pieceOf({ from, to, measured, leq, lmax, lpeak, counts }: HistoryRow): Piece | undefined {
  return leq === null ? undefined : { at: from, to, seconds: measured, leq, lmax, lpeak, counts };
}

/** The part of a piece within `[from, to)`; its energy is spread evenly over it. */
export function cut(piece: Piece, from: number, to: number): Piece {
  const [at, end] = [Math.max(piece.at, from), Math.min(piece.to, to)];
  if (at === piece.at && end === piece.to) return piece;
  const share = (end - at) / (piece.to - piece.at);
  return { ...piece, at, to: end, seconds: piece.seconds * share };
}
