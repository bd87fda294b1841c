/**
 * The past of the five meters: minutes of the whole week and seconds of the last day, made fast enough that they are there
 * before the demo prints its address. The same seed gives the same week. Knows no gateway: it makes rows that a history takes.
 */

import { between, type Random, seeded } from '../random.ts';
import { isTimeOf, type PlaceClock, type SiteMeter } from './sites.ts';

/** Levels of a time that begins at `at`, s since 1970 UTC, as `lib/history` takes them. */
interface PastLevels {
  readonly at: number;
  readonly leq: number;
  readonly lmax: number;
  readonly lmin: number;
  readonly lpeak: number;
}

interface PastMinute extends PastLevels {
  readonly duration: number;
}

interface PastSecond extends PastLevels {
  readonly steps: number;
  readonly lp: readonly number[];
}

/** s since 1970 UTC. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** Times of one meter that were not as usual. */
export interface Unusual {
  /** Louder than usual: the level of these times, dB(A). */
  readonly loud: readonly (TimeSpan & { readonly db: number; readonly flicker: number })[];
  readonly gaps: readonly TimeSpan[];
  readonly windy: TimeSpan;
}

const MINUTE_S = 60;
const STEPS = 10;
const PEAK_DB = 14;
/** The background wanders by this much at most, from one lattice point to the next, dB. */
const WANDER = { everyMinutes: 15, db: 1.5 };

const isWithin = (at: number, { from, to }: TimeSpan): boolean => at >= from && at < to;

export class PastSounds {
  readonly #meter: SiteMeter;
  readonly #clock: PlaceClock;
  readonly #unusual: Unusual;
  readonly #seed: number;
  readonly #levels = new Float64Array(MINUTE_S);

  constructor(meter: SiteMeter, clock: PlaceClock, unusual: Unusual, seed: number) {
    this.#meter = meter;
    this.#clock = clock;
    this.#unusual = unusual;
    this.#seed = seed * 104_729;
  }

  /** The minutes of a span without gaps; its ends are full minutes. */
  minutes({ from, to }: TimeSpan): PastMinute[] {
    const rows: PastMinute[] = [];
    for (const at of this.#minutesOf({ from, to })) {
      let energy = 0;
      let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (const level of this.#levels) {
        energy += 10 ** (level / 10);
        least = Math.min(least, level);
        most = Math.max(most, level);
      }
      const lmax = most + SWING_DB;
      const leq = 10 * Math.log10(energy / MINUTE_S);
      rows.push({ at, duration: MINUTE_S, leq, lmax, lmin: least - SWING_DB, lpeak: lmax + PEAK_DB });
    }
    return rows;
  }

  /** The seconds of a span up to now, without gaps. It begins with a full minute. */
  seconds({ from, to }: TimeSpan): PastSecond[] {
    const rows: PastSecond[] = [];
    for (const at of this.#minutesOf({ from, to })) {
      for (let second = 0; second < Math.min(MINUTE_S, to - at); second += 1) {
        const leq = this.#levels[second] as number;
        const swing = SWINGS[(at / MINUTE_S + second * 7) % SWINGS.length] as readonly number[];
        const [lmax, lmin] = [leq + SWING_DB, leq - SWING_DB];
        const lp = swing.map((part) => leq + part);
        rows.push({ at: at + second, steps: STEPS, leq, lmax, lmin, lpeak: lmax + PEAK_DB, lp });
      }
    }
    return rows;
  }

  /** The beginning of each minute of the span that has levels; its levels are then in `#levels`. */
  *#minutesOf({ from, to }: TimeSpan): Generator<number> {
    for (let at = from; at < to; at += MINUTE_S) {
      if (this.#unusual.gaps.some((gap) => isWithin(at, gap))) continue;
      this.#fill(at);
      yield at;
    }
  }

  #fill(at: number): void {
    const levels = this.#levels;
    const random = seeded(this.#seed + at / MINUTE_S);
    const quiet = this.#background(at);
    for (let second = 0; second < MINUTE_S; second += 1) levels[second] = quiet + 2 * (random() - 0.5);
    const local = this.#clock.at(at);
    for (const [place, pieces] of this.#meter.pieces.entries()) {
      if (!isTimeOf(pieces, local)) continue;
      const piece = this.#chance(at, pieces.minutes, place);
      if (piece() < pieces.share) this.#raise(between(piece, pieces.db), pieces.flicker, random);
    }
    for (const [place, passes] of this.#meter.passes.entries())
      if (isTimeOf(passes, local)) this.#pass(at, passes, this.#chance(at, passes.everyMinutes, 100 + place));
    for (const { from, to, db, flicker } of this.#unusual.loud)
      if (at >= from && at < to) this.#raise(db + flicker * (random() - 0.5), flicker, random);
  }

  #background(at: number): number {
    const { quiet, windy } = this.#meter;
    const { minute } = this.#clock.at(at);
    const [hour, part] = [Math.floor(minute / 60), (minute % 60) / 60];
    const [here = 0, next = 0] = [quiet[hour], quiet[(hour + 1) % 24]];
    const usual = here + (next - here) * part + this.#wander(at);
    return isWithin(at, this.#unusual.windy) ? Math.max(usual, windy + 2 * this.#wander(at)) : usual;
  }

  #wander(at: number): number {
    const place = at / MINUTE_S / WANDER.everyMinutes;
    const point = (lattice: number) => WANDER.db * (2 * seeded(this.#seed ^ (lattice * 7_919))() - 1);
    const first = Math.floor(place);
    const before = point(first);
    return before + (point(first + 1) - before) * (place - first);
  }

  #chance(at: number, minutes: number, place: number): Random {
    return seeded(this.#seed + 31 * place + 1_009 * Math.floor(at / MINUTE_S / minutes));
  }

  #raise(db: number, flicker: number, random: Random): void {
    const levels = this.#levels;
    for (let second = 0; second < MINUTE_S; second += 1)
      levels[second] = Math.max(levels[second] as number, db + flicker * (2 * random() - 1));
  }

  #pass(at: number, { everyMinutes, db, seconds }: SiteMeter['passes'][number], chance: Random): void {
    const minute = Math.floor(chance() * everyMinutes);
    if (Math.floor(at / MINUTE_S) % everyMinutes !== minute) return;
    const [loudest, length] = [between(chance, db), between(chance, seconds)];
    const middle = length / 2 + chance() * (MINUTE_S - length);
    const levels = this.#levels;
    for (let second = 0; second < MINUTE_S; second += 1) {
      const away = Math.abs(second - middle) / (length / 2);
      levels[second] = Math.max(levels[second] as number, loudest - 12 * Math.max(0, away - 0.5) ** 1.5);
    }
  }
}

/** How far a level of 100 ms is from the mean of its second, dB. */
const SWING_DB = 1.2;
/** Ten levels of a second, as differences from its mean. */
const SWINGS: readonly (readonly number[])[] = Array.from({ length: 31 }, (_, seed) => {
  const random = seeded(seed);
  return Array.from({ length: STEPS }, () => SWING_DB * (2 * random() - 1));
});
