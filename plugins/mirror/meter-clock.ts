/**
 * Times of the card in UTC. A meter's clock knows no zone and no summer time. If two readings of it agree, its
 * difference to UTC is known between them. If not, it was set in between at an unknown time: times there are not turned
 * into UTC. Before the first reading it is assumed to have run in the same way. At a change of the local clocks this
 * ends, because people then set their meters. The uncertainty grows with the time.
 */
import type { CardItem } from '../../lib/built-in.ts';
import type { ClockRow } from './tables.ts';

type ClockReading = Omit<ClockRow, 'unitId'>;

/** `offset`: that was used. */
interface CardMoment {
  readonly utc: number;
  readonly offset: number;
  readonly uncertainty: number;
}

/** A change of the difference up to this is drift; a larger one means that the clock was set. Ms. */
const SET_MS = 10_000;
/** How much a clock may drift in a day. An inferred figure: 10 parts in a million are 0.9 s. */
const DRIFT_MS_PER_DAY = 1_000;
const DAY_MS = 86_400_000;

interface LinePlace {
  readonly line: number;
  readonly steps: readonly CardStep[];
}

export class MeterClock {
  readonly #readings: readonly ClockReading[];
  readonly #changes: (from: number, to: number) => readonly number[];

  /** `changes` gives the times (ms UTC) in a span at which the local clocks of the unit's zone change. */
  constructor(readings: readonly ClockReading[], changes: (from: number, to: number) => readonly number[]) {
    this.#readings = surest(readings.toSorted((a, b) => a.at - b.at));
    this.#changes = changes;
  }

  /**
   * A text is the reason for an unknown time. `place`: if a step in the file is as large as the difference between two
   * readings, the clock was set there.
   */
  toUtc(local: number, place?: LinePlace): CardMoment | string {
    const set = place && this.#setIn(local, place);
    if (set) return this.#by(local, set);
    const after = this.#readings.findIndex(({ at, offset }) => local - offset <= at);
    const next = this.#readings[after];
    const before = after < 0 ? this.#readings.at(-1) : this.#readings[after - 1];
    if (next && before) return between(local, before, next);
    const nearest = next ?? before;
    return nearest ? this.#beyond(local, nearest) : 'The clock of the meter was never read.';
  }

  /** The reading that counts on this side of the step in the file at which the clock was set. */
  #setIn(local: number, { line, steps }: LinePlace): ClockReading | undefined {
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
      return 'The local clocks were changed between this time and the nearest reading of the clock of the meter.';
    return this.#by(local, reading);
  }
}

/**
 * Leaves out readings that agree with a much more exact reading nearby: they would bend the line between two exact
 * ones.
 */
const surest = (readings: readonly ClockReading[]): ClockReading[] =>
  unsurpassed(unsurpassed(readings.toReversed()).toReversed());

function unsurpassed(readings: readonly ClockReading[]): ClockReading[] {
  const kept: ClockReading[] = [];
  for (const one of readings) {
    const last = kept.at(-1);
    const agrees = last && Math.abs(last.offset - one.offset) <= last.uncertainty + one.uncertainty;
    const isNear = last && Math.abs(last.at - one.at) <= DAY_MS;
    if (!(agrees && isNear && last.uncertainty <= one.uncertainty / 2)) kept.push(one);
  }
  return kept;
}

function between(local: number, before: ClockReading, next: ClockReading): CardMoment | string {
  const drift = next.offset - before.offset;
  if (Math.abs(drift) > SET_MS)
    return 'The clock of the meter was set between two readings of it, and it is not known when.';
  const share = Math.min(1, Math.max(0, (local - before.offset - before.at) / Math.max(1, next.at - before.at)));
  const offset = Math.round(before.offset + drift * share);
  const uncertainty = Math.max(before.uncertainty, next.uncertainty);
  return { utc: local - offset, offset, uncertainty };
}

interface CardStep {
  readonly line: number;
  /** Change of the clock, ms: positive is forward, negative is back. */
  readonly by: number;
}

/** A file with more steps was not written by a measuring meter; the rest is not reported. */
const MOST_STEPS = 1_000;
/** In some files the start of a row has only whole seconds. */
const TOLERANCE_MS = 1_500;

/** `interval` is the length of rows without a length of their own, ms. */
export async function findSteps(items: AsyncIterable<CardItem>, interval: number): Promise<readonly CardStep[]> {
  const steps: CardStep[] = [];
  let end: number | undefined;
  for await (const item of items) {
    if (!('row' in item)) continue;
    const { line, start, duration } = item.row;
    const by = end === undefined ? 0 : start - end;
    if (Math.abs(by) > TOLERANCE_MS && steps.length < MOST_STEPS) steps.push({ line, by });
    end = start + (duration ?? interval);
  }
  return steps;
}
