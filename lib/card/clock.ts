/**
 * Times of the card in UTC. A meter's clock knows no zone and no summer time: it goes on until somebody sets it. So between two
 * looks at it that agree, its difference to UTC is known. Where they do not agree, it was set in between, and nobody knows when:
 * times there are not turned into UTC. Before the first look the clock is taken to have gone on as it did, less surely
 * the longer ago; but not across a change of the local clocks of the place, when people set their meters.
 */
import type { CardMoment, ClockReading } from './contract.ts';
import type { CardStep } from './splits.ts';
import { timeOf } from './values.ts';

/** A clock that is off by no more between two looks has drifted; one that is off by more was set. Ms. */
const SET_MS = 10_000;
/** So much a day a clock may be off what it was. An inferred figure: 10 parts in a million are 0.9 s. */
const DRIFT_MS_PER_DAY = 1_000;
const DAY_MS = 86_400_000;

/** What a clock shows began up to a second ago. */
const HALF_SECOND_MS = 500;

/** A look at the clock of a meter, which was asked `ms` before `now` and showed this. Undefined: it shows no time. */
export function lookOf(shown: string, now: number, ms: number): ClockReading | undefined {
  const local = timeOf(shown);
  if (local === undefined) return undefined;
  const at = Math.round(now - ms / 2);
  return { at, offset: local + HALF_SECOND_MS - at, uncertainty: HALF_SECOND_MS + Math.ceil(ms / 2) };
}

/** Where a time stands in its file, and the steps of the file. */
export interface Place {
  readonly line: number;
  readonly steps: readonly CardStep[];
}

export class MeterClock {
  readonly #readings: readonly ClockReading[];
  readonly #changes: (from: number, to: number) => readonly number[];

  /** `changes` gives the times (ms UTC) at which the local clocks of the unit's zone change in a span. */
  constructor(readings: readonly ClockReading[], changes: (from: number, to: number) => readonly number[]) {
    this.#readings = readings.toSorted((a, b) => a.at - b.at);
    this.#changes = changes;
  }

  /**
   * A text says why the time is not known. `place` is where in its file it stands: a step of the file that is as large as the
   * difference between two looks is where the clock was set.
   */
  toUtc(local: number, place?: Place): CardMoment | string {
    const set = place && this.#setIn(local, place);
    if (set) return this.#by(local, set);
    const after = this.#readings.findIndex(({ at, offset }) => local - offset <= at);
    const next = this.#readings[after];
    const before = after < 0 ? this.#readings.at(-1) : this.#readings[after - 1];
    if (next && before) return between(local, before, next);
    const nearest = next ?? before;
    return nearest ? this.#beyond(local, nearest) : 'The clock of the meter was never read.';
  }

  /** The look that holds on this side of the one step of the file that is a setting of the clock. */
  #setIn(local: number, { line, steps }: Place): ClockReading | undefined {
    for (const [index, next] of this.#readings.entries()) {
      const before = this.#readings[index - 1];
      if (!before || Math.abs(next.offset - before.offset) <= SET_MS) continue;
      const jump = next.offset - before.offset;
      const [step, second] = steps.filter(({ by }) => Math.abs(by - jump) <= SET_MS);
      if (!step || second) continue;
      const reading = line < step.line ? before : next;
      const utc = local - reading.offset;
      if (utc >= before.at && utc <= next.at) return reading;
    }
    return undefined;
  }

  #by(local: number, reading: ClockReading): CardMoment {
    const utc = local - reading.offset;
    const uncertainty = reading.uncertainty + (Math.abs(utc - reading.at) / DAY_MS) * DRIFT_MS_PER_DAY;
    return { utc, offset: reading.offset, uncertainty };
  }

  #beyond(local: number, reading: ClockReading): CardMoment | string {
    const utc = local - reading.offset;
    const [from, to] = [Math.min(utc, reading.at), Math.max(utc, reading.at)];
    const changes = this.#changes(from, to);
    if (changes.length > 0)
      return 'The local clocks were changed between this time and the nearest look at the clock of the meter.';
    return this.#by(local, reading);
  }
}

function between(local: number, before: ClockReading, next: ClockReading): CardMoment | string {
  const drift = next.offset - before.offset;
  if (Math.abs(drift) > SET_MS)
    return 'The clock of the meter was set between two looks at it, and it is not known when.';
  const share = Math.min(1, Math.max(0, (local - before.offset - before.at) / Math.max(1, next.at - before.at)));
  const offset = Math.round(before.offset + drift * share);
  const uncertainty = Math.max(before.uncertainty, next.uncertainty);
  return { utc: local - offset, offset, uncertainty };
}
