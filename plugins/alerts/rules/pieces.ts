/** Rows of the history as pieces of a window. A single reading has no duration, so it gives no piece. */
import type { Batch, HistoryRow, quantities } from '../../../lib/index.ts';

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

const STEP_S = 0.1;

/** The newest rows of the recorder, in order of time. */
export function piecesOf({ seconds = [], intervals = [] }: Pick<Batch, 'seconds' | 'intervals'>): Piece[] {
  const pieces: Piece[] = [];
  for (const row of seconds) {
    const { at, steps, leq, lp } = row;
    if (leq !== null) pieces.push({ at, to: at + 1, seconds: steps * STEP_S, levels: row, lp });
  }
  for (const row of intervals)
    pieces.push({ at: row.at, to: row.at + row.duration, seconds: row.duration, levels: row });
  return pieces;
}

/** A row of the history; undefined if it has no measured time. */
export function pieceOf(row: HistoryRow): Piece | undefined {
  const { from, to, measured, leq, counts, bounds } = row;
  return leq === null ? undefined : { at: from, to, seconds: measured, levels: row, bounds, counts };
}

/** The part of a piece within `[from, to)`; its energy is spread evenly over it. */
export function cut(piece: Piece, from: number, to: number): Piece {
  const [at, end] = [Math.max(piece.at, from), Math.min(piece.to, to)];
  if (at === piece.at && end === piece.to) return piece;
  const share = (end - at) / (piece.to - piece.at);
  return { ...piece, at, to: end, seconds: piece.seconds * share };
}
