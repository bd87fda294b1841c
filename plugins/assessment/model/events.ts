/**
 * Single noise events in a row of seconds: an aircraft, a train, a door.
 *
 *   starts  when a second is above the threshold
 *   ends    when it stayed at or below for `holdS`; the end is after the last second above
 *   kept    if it lasted `minS` or longer
 *
 * Levels dB, times s since 1970 UTC.
 */
import { indices } from '../../../lib/built-in.ts';

interface EventSecond {
  readonly at: number;
  readonly leq: number;
  readonly lmax: number | null;
  /** Its measured part, s; at most 1. The energy is that of this part. */
  readonly seconds: number;
}

export interface NoiseEvent {
  readonly from: number;
  readonly to: number;
  /** Sound exposure level of all of it. */
  readonly lae: number;
  /** LAE of its seconds within 10 dB of the loudest. */
  readonly lae10: number;
  /** The highest LAFmax; for rows without LAFmax the loudest second. */
  readonly lmax: number;
  readonly lmaxAt: number;
  /** Time within the event without data, s; parts of a second count. */
  readonly missingS: number;
  readonly threshold: number;
}

export interface EventRule {
  readonly minS: number;
  readonly holdS: number;
  /** Threshold at a second; null: unknown, and no event begins there. */
  threshold(at: number): number | null;
}

/** Largest distance of a second from the loudest second for `lae10`, dB with two decimals. */
const WITHIN = 10;

/** Takes seconds in order of time, without those without data; returns the event that ends, if any. */
export class EventFinder {
  readonly #rule: EventRule;
  #seconds: EventSecond[] = [];
  #threshold = 0;
  #lastAbove = 0;

  constructor(rule: EventRule) {
    this.#rule = rule;
  }

  add(second: EventSecond): NoiseEvent | undefined {
    const isOpen = this.#seconds.length > 0;
    // Time without data counts as time below the threshold.
    const ended = isOpen && second.at - this.#lastAbove > this.#rule.holdS ? this.#finish() : undefined;
    const threshold = this.#seconds.length > 0 ? this.#threshold : this.#rule.threshold(second.at);
    const isAbove = threshold !== null && second.leq > threshold;
    if (isAbove && this.#seconds.length === 0) this.#threshold = threshold;
    if (isAbove) this.#lastAbove = second.at;
    if (isAbove || this.#seconds.length > 0) this.#seconds.push(second);
    return ended;
  }

  end(): NoiseEvent | undefined {
    return this.#finish();
  }

  #finish(): NoiseEvent | undefined {
    const own = this.#seconds.filter(({ at }) => at <= this.#lastAbove);
    this.#seconds = [];
    const [first] = own;
    if (!first) return undefined;
    const [from, to] = [first.at, this.#lastAbove + 1];
    if (to - from < this.#rule.minS) return undefined;
    const loudest = own.reduce((best, each) => (each.leq > best.leq ? each : best), first);
    const highest = own.reduce((best, each) => (maximumOf(each) > maximumOf(best) ? each : best), first);
    const exposure = (some: readonly EventSecond[]) =>
      indices.levelOf(some.reduce((sum, { leq, seconds }) => sum + seconds * indices.energyOf(leq), 0));
    return {
      from,
      to,
      threshold: this.#threshold,
      lmaxAt: highest.at,
      lae: exposure(own),
      lae10: exposure(own.filter(({ leq }) => Math.round((loudest.leq - leq) * 100) <= WITHIN * 100)),
      lmax: maximumOf(highest),
      missingS: Math.round((to - from - own.reduce((sum, { seconds }) => sum + seconds, 0)) * 10) / 10,
    };
  }
}

const maximumOf = ({ leq, lmax }: EventSecond): number => lmax ?? leq;

interface EventSum {
  readonly count: number;
  /** Number of events with `lmax` at or above each level. */
  readonly nat: readonly { readonly level: number; readonly count: number }[];
  readonly lae: number | null;
}

/** `levels`: levels of NAT, dB. */
export const sumOfEvents = (events: readonly NoiseEvent[], levels: readonly number[]): EventSum => ({
  count: events.length,
  nat: levels.map((level) => ({ level, count: events.filter(({ lmax }) => lmax >= level).length })),
  lae: events.length > 0 ? indices.levelOf(events.reduce((sum, { lae }) => sum + indices.energyOf(lae), 0)) : null,
});

/** Share of a whole's energy in the events, 0 to 1. `seconds`: measured time of the whole. */
export const energyShare = (lae: number | null, leq: number | null, seconds: number): number | null =>
  leq === null || !(seconds > 0)
    ? null
    : lae === null
      ? 0
      : Math.min(1, indices.energyOf(lae) / (indices.energyOf(leq) * seconds));
