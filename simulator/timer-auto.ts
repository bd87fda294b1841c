/**
 * Store mode Timer Auto: measurements that begin and end by the meter's own clock. One begins at the start time and at each
 * interval after it, before the stop time; without an interval there is the one. Each lasts for the preset time of an Auto
 * store, and none outlives the stop time. A start time is skipped if the meter is measuring or without power then. Names and form
 * of the settings are the manual's (VM p.166), what they do is inferred from them.
 */
import type { Clock } from './contract.ts';
import { type DeviceTime, parseDeviceTime } from './device-time.ts';
import type { Profile } from './profile.ts';
import { type Settings, spanMs } from './settings.ts';

interface Parts {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly time: DeviceTime;
  readonly profile: Profile;
  measuring(): boolean;
  /** Begins a measurement that lasts at most this long, ms. */
  begin(longestMs: number): void;
  end(): void;
}

/** Times of the settings as device times, ms. */
interface Plan {
  readonly from: number;
  readonly until: number;
  /** null: once. */
  readonly everyMs: number | null;
}

/** A date may be years away, which no timer of the system takes. */
const LONGEST_WAIT_MS = 86_400_000;

/** A timer may fire slightly before its time, and a drifting clock counts in fractions. ms */
const HAIR_MS = 1;

/** Does nothing in another store mode. */
export class TimerAuto {
  readonly #parts: Parts;
  #powered = true;
  #started = false;
  #own = false;
  /** Start times up to this one do not come again. */
  #passed = Number.NEGATIVE_INFINITY;
  #cancel = () => {};

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get waiting(): boolean {
    return this.#next() !== null;
  }

  /** Where the profile has the timer run only once it was started: true when this start was for it. */
  start(): boolean {
    const { profile, settings } = this.#parts;
    if (profile.timer_auto_begins === 'by the clock' || this.#started) return false;
    if (settings.get('Store Mode') !== 'Timer Auto') return false;
    this.#started = true;
    this.replan();
    return true;
  }

  /** Ends the wait of a start. False if no start waits. */
  stop(): boolean {
    if (!this.#started) return false;
    this.#started = false;
    this.replan();
    return true;
  }

  power(on: boolean): void {
    this.#powered = on;
    this.#started = false;
    this.#own = false;
    this.replan();
  }

  ended(): void {
    this.#own = false;
  }

  /** The mode, its times or the clock are other than before. */
  replan(): void {
    this.#passed = Number.NEGATIVE_INFINITY;
    this.#wait();
  }

  close(): void {
    this.#cancel();
  }

  get #plan(): Plan | null {
    const { profile, settings } = this.#parts;
    if (!this.#powered || settings.get('Store Mode') !== 'Timer Auto') return null;
    if (profile.timer_auto_begins === 'once started' && !this.#started) return null;
    return {
      from: parseDeviceTime(settings.get('Timer Auto Start Time')) ?? 0,
      until: parseDeviceTime(settings.get('Timer Auto Stop Time')) ?? 0,
      everyMs: spanMs(settings.get('Timer Auto Interval')),
    };
  }

  /** Device time of the next measurement, or null. */
  #next(): number | null {
    const plan = this.#plan;
    if (!plan) return null;
    const earliest = Math.max(this.#parts.time.now() - HAIR_MS, this.#passed + 2 * HAIR_MS);
    const moment = momentAfter(plan, earliest);
    return moment !== null && moment < plan.until ? moment : null;
  }

  #wait(): void {
    this.#cancel();
    const { clock, time } = this.#parts;
    const next = this.#next();
    const ends = this.#own ? (this.#plan?.until ?? null) : null;
    const soonest = Math.min(next ?? Number.POSITIVE_INFINITY, ends ?? Number.POSITIVE_INFINITY);
    if (soonest === Number.POSITIVE_INFINITY) return;
    const wait = Math.min(LONGEST_WAIT_MS, Math.max(0, time.until(soonest)));
    this.#cancel = clock.after(wait, () => this.#work(next, ends));
  }

  #work(next: number | null, ends: number | null): void {
    const now = this.#parts.time.now() + HAIR_MS;
    if (ends !== null && ends <= now && this.#own) this.#parts.end();
    if (next !== null && next <= now) {
      this.#passed = next;
      this.#begin();
    }
    this.#wait();
  }

  #begin(): void {
    const { begin, measuring, time } = this.#parts;
    const plan = this.#plan;
    if (!plan || measuring()) return;
    begin(time.until(plan.until));
    this.#own = measuring();
  }
}

/** The first start time of a plan at or after this device time, whether or not before its end. */
function momentAfter({ from, everyMs }: Plan, earliest: number): number | null {
  if (earliest <= from) return from;
  return everyMs === null ? null : from + Math.ceil((earliest - from) / everyMs) * everyMs;
}
