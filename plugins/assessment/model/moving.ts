/** Means over a moving window, and the loudest hour. Levels dB, times s since 1970 UTC. */
import { indices } from '../../../lib/built-in.ts';

export interface MeasuredRow {
  readonly from: number;
  readonly to: number;
  readonly leq: number | null;
  readonly measured: number;
}

export interface MovingValue {
  readonly from: number;
  readonly to: number;
  /** Null: too little of the window was measured. */
  readonly leq: number | null;
  readonly coverage: number;
}

/** Takes rows of one length in order, also rows without data; each gives the value of the window that ends with it. */
export class MovingLeq {
  readonly #seconds: number;
  readonly #enough: number;
  readonly #rows: MeasuredRow[] = [];

  /** `enough`: the share of the window that must be measured. */
  constructor(seconds: number, enough: number) {
    this.#seconds = seconds;
    this.#enough = enough;
  }

  add(row: MeasuredRow): MovingValue {
    const from = row.to - this.#seconds;
    this.#rows.push(row);
    while ((this.#rows[0]?.from ?? from) < from) this.#rows.shift();
    // A new sum each time: differences of very different energies would leave rounding errors.
    let [energy, measured] = [0, 0];
    for (const { leq, measured: seconds } of this.#rows) {
      if (leq === null) continue;
      energy += seconds * indices.energyOf(leq);
      measured += seconds;
    }
    const coverage = measured / this.#seconds;
    return {
      from,
      to: row.to,
      leq: coverage >= this.#enough && energy > 0 ? indices.levelOf(energy / measured) : null,
      coverage,
    };
  }
}

/** The loudest row with enough data; of equal rows the first. Undefined: no such row. */
export function loudest<Row extends { readonly leq: number | null; readonly coverage: number }>(
  rows: readonly Row[],
  enough: number,
): Row | undefined {
  return rows.reduce<Row | undefined>(
    (best, row) =>
      row.leq !== null && row.coverage >= enough && row.leq > (best?.leq ?? Number.NEGATIVE_INFINITY) ? row : best,
    undefined,
  );
}
