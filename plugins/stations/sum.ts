/**
 * Sums of observations over time. Pure; times are ms since 1970 UTC.
 *
 * An observation counts for the time that ended with it, back to the previous observation. A station may send each minute
 * the rain of the last ten minutes, with its duration: then each minute gets a tenth of it.
 *
 *   sent            |---- 10 min ----|   |---- 10 min ----|
 *   counted         |---- 10 min ----|   |---- 10 min ----|
 *   sent often      |---- 10 min ----|
 *                     |---- 10 min ----|
 *   counted         |---- 10 min ----|-|
 */
import { OBSERVED, OBSERVED_NAMES, type ObservedName, type ObservedValues, observedBy } from './quantities.ts';
import type { StationObservation } from './tables.ts';

/** A span and its observations. `duration`: the time that sums such as the rain are about. */
export interface ObservedSpan {
  readonly from: number;
  readonly to: number;
  readonly duration: number;
  readonly values: ObservedValues;
}

/** As parts without overlaps. `before`: time of the previous observation. `usual`: for observations without a duration. */
export function observedSpans(
  observations: readonly StationObservation[],
  usual: number,
  before = Number.NEGATIVE_INFINITY,
): ObservedSpan[] {
  let last = before;
  return observations.map((values) => {
    const { at, duration } = values;
    const from = Math.max(last, at - (duration ?? usual));
    last = at;
    return { from, to: at, duration: duration ?? at - from, values };
  });
}

/** One row of an answer: values, and the share of its time in which each was observed, 0 to 1. */
export interface ObservedRow {
  readonly from: number;
  readonly to: number;
  readonly values: ObservedValues;
  readonly coverage: Readonly<Record<ObservedName, number>>;
}

/** Sums of observations in steps, which are in order and do not overlap. It keeps no spans in memory. */
export class StepSums {
  readonly #steps: readonly { readonly from: number; readonly to: number }[];
  readonly #sums: readonly Sums[];
  #first = 0;

  constructor(steps: readonly { readonly from: number; readonly to: number }[]) {
    this.#steps = steps;
    this.#sums = steps.map(() => new Sums());
  }

  add(span: ObservedSpan): void {
    while ((this.#steps[this.#first]?.to ?? Number.POSITIVE_INFINITY) <= span.from) this.#first += 1;
    for (let at = this.#first; at < this.#steps.length; at++) {
      const { from = 0, to = 0 } = this.#steps[at] ?? {};
      if (from >= span.to) return;
      this.#sums[at]?.add(span, Math.min(to, span.to) - Math.max(from, span.from));
    }
  }

  *rows(): Generator<ObservedRow> {
    for (const [at, { from, to }] of this.#steps.entries())
      yield { from, to, ...(this.#sums[at] ?? new Sums()).over(to - from) };
  }
}

/** The sum of one quantity in one step. */
interface Sum {
  /** ms with a value. */
  time: number;
  /** Each value times its time; for sums the shares themselves. */
  total: number;
  most: number;
  north: number;
  east: number;
}

const QUANTITIES = OBSERVED_NAMES.map((name) => ({ name, joining: OBSERVED[name].joining }));

class Sums {
  readonly #sums: { [Name in ObservedName]?: Sum } = {};

  /** `part`: ms of the span inside the step. */
  add({ values, duration }: ObservedSpan, part: number): void {
    if (part <= 0) return;
    for (const { name, joining } of QUANTITIES) {
      const value = values[name];
      if (value === null) continue;
      this.#sums[name] ??= { time: 0, total: 0, most: Number.NEGATIVE_INFINITY, north: 0, east: 0 };
      const sum = this.#sums[name];
      sum.time += part;
      sum.total += joining === 'sum' ? (value * part) / duration : value * part;
      sum.most = Math.max(sum.most, value);
      if (joining !== 'direction') continue;
      // A wind of unknown speed counts with 1 m/s; a calm has no direction.
      const length = (values.wind_speed ?? 1) * part;
      sum.north += Math.cos((value / 180) * Math.PI) * length;
      sum.east += Math.sin((value / 180) * Math.PI) * length;
    }
  }

  over(length: number): Pick<ObservedRow, 'values' | 'coverage'> {
    const share = (name: ObservedName) => Math.round(((this.#sums[name]?.time ?? 0) / length) * 1e4) / 1e4;
    return {
      values: observedBy((name) => joinedValue(name, this.#sums[name])),
      coverage: Object.fromEntries(OBSERVED_NAMES.map((name) => [name, share(name)])) as ObservedRow['coverage'],
    };
  }
}

function joinedValue(name: ObservedName, sum: Sum | undefined): number | null {
  if (!sum) return null;
  const { joining, decimals } = OBSERVED[name];
  if (joining === 'direction') return directionOf(sum);
  const value = joining === 'maximum' ? sum.most : joining === 'sum' ? sum.total : sum.total / sum.time;
  return rounded(value, decimals);
}

/** Null where winds cancel each other out, or without wind. */
function directionOf({ north, east, time }: Sum): number | null {
  if (Math.hypot(north, east) / time < 0.01) return null;
  const degrees = Math.round((Math.atan2(east, north) / Math.PI) * 180);
  // As weather reports do: north is 360, and 0 is a calm.
  return degrees <= 0 ? degrees + 360 : degrees;
}

const rounded = (value: number, decimals: number): number => Math.round(value * 10 ** decimals) / 10 ** decimals;

export const asSent = ({ from, to, values }: ObservedSpan): ObservedRow => ({
  from,
  to,
  values: observedBy((name) => values[name]),
  coverage: Object.fromEntries(
    OBSERVED_NAMES.map((name) => [name, values[name] === null ? 0 : 1]),
  ) as ObservedRow['coverage'],
});
