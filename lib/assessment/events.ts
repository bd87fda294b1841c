/**
 * Single noise events in a row of seconds: an aircraft, a train, a door.
 *
 *   starts  when a second is above the threshold
 *   ends    when it stayed at or below for `holdS`; the end is after the last second above
 *   kept    if it lasted `minS` or longer
 *
 * Levels dB, times s since 1970 UTC.
 */
import { energyOf, levelOf } from '../domain/indices/index.ts';

/** One second. */
export interface EventSecond {
  readonly at: number;
  readonly leq: number;
  readonly lmax: number | null;
  /** The part of it that was measured, s; at most 1. Its energy is that of this part. */
  readonly seconds: number;
}

/** A kept event. */
export interface NoiseEvent {
  readonly from: number;
  readonly to: number;
  /** Sound exposure level of all of it. */
  readonly lae: number;
  /** Of its seconds within 10 dB of the loudest. */
  readonly lae10: number;
  /** The highest LAFmax; of rows without one the loudest second. */
  readonly lmax: number;
  /** The second that has `lmax`. */
  readonly lmaxAt: number;
  /** Time within it without data, s; parts of a second count. */
  readonly missingS: number;
  /** Threshold at its start. */
  readonly threshold: number;
}

/** What makes an event. */
export interface EventRule {
  readonly minS: number;
  readonly holdS: number;
  /** At a second; null: it is not known, and nothing begins there. */
  threshold(at: number): number | null;
}

/** How far below the loudest second a second may be to count for `lae10`, dB as they are shown, with two decimals. */
const WITHIN = 10;

/** Takes seconds in order of time; those without data are left out. `add` and `end` answer with the event that ends, if one does. */
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
    // Time without data is time that is not above.
    const ended = isOpen && second.at - this.#lastAbove > this.#rule.holdS ? this.#finish() : undefined;
    const threshold = this.#seconds.length > 0 ? this.#threshold : this.#rule.threshold(second.at);
    const isAbove = threshold !== null && second.leq > threshold;
    if (isAbove && this.#seconds.length === 0) this.#threshold = threshold;
    if (isAbove) this.#lastAbove = second.at;
    if (isAbove || this.#seconds.length > 0) this.#seconds.push(second);
    return ended;
  }

  /** After the last second. */
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
      levelOf(some.reduce((sum, { leq, seconds }) => sum + seconds * energyOf(leq), 0));
    return {
      ...{ from, to, threshold: this.#threshold, lmaxAt: highest.at },
      lae: exposure(own),
      lae10: exposure(own.filter(({ leq }) => Math.round((loudest.leq - leq) * 100) <= WITHIN * 100)),
      lmax: maximumOf(highest),
      missingS: Math.round((to - from - own.reduce((sum, { seconds }) => sum + seconds, 0)) * 10) / 10,
    };
  }
}

const maximumOf = ({ leq, lmax }: EventSecond): number => lmax ?? leq;

/** What events have together. */
export interface EventSum {
  readonly count: number;
  /** Number of events with `lmax` at or above each level. */
  readonly nat: readonly { readonly level: number; readonly count: number }[];
  /** Energy of all events; null without any. */
  readonly lae: number | null;
}

/** `levels`: those of NAT, dB. */
export const sumOfEvents = (events: readonly NoiseEvent[], levels: readonly number[]): EventSum => ({
  count: events.length,
  nat: levels.map((level) => ({ level, count: events.filter(({ lmax }) => lmax >= level).length })),
  lae: events.length > 0 ? levelOf(events.reduce((sum, { lae }) => sum + energyOf(lae), 0)) : null,
});

/** Share of the energy that events have of a whole, 0 to 1. `seconds`: measured time of the whole. */
export const energyShare = (lae: number | null, leq: number | null, seconds: number): number | null =>
  leq === null || !(seconds > 0) ? null : lae === null ? 0 : Math.min(1, energyOf(lae) / (energyOf(leq) * seconds));
