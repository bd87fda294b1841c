/**
 * The meter's own time: a wall clock without a zone, set by hand, that may be wrong and may drift. Held as the milliseconds
 * that the same digits would be in UTC.
 */
import type { Clock } from './contract.ts';

const FORM = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d)$/;

/** Years that the meter takes: summary of the guide, weak. */
const YEARS = { first: 2023, last: 2079 };

/** `2025/12/24 02:10:55` (one space: captured; a comma there is R+0002: captured), or null if there is no such time. */
export function parseDeviceTime(text: string): number | null {
  const parts = FORM.exec(text)?.slice(1).map(Number);
  if (!parts) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  if (year < YEARS.first || year > YEARS.last) return null;
  const ms = Date.UTC(year, month - 1, day, hour, minute, second);
  return formatDeviceTime(ms) === text ? ms : null;
}

/** `YYYY/MM/DD HH:MM:SS`, the second that has begun. */
export function formatDeviceTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ');
}

export class DeviceTime {
  readonly #clock: Clock;
  readonly #rate: number;
  #shown: number;
  #at: number;

  /** `offsetMs` ahead of the world at first, then gaining `driftPpm`. */
  constructor(clock: Clock, offsetMs: number, driftPpm: number) {
    this.#clock = clock;
    this.#rate = 1 + driftPpm / 1e6;
    this.#shown = clock.now() + offsetMs;
    this.#at = clock.elapsed();
  }

  now(): number {
    return this.at(this.#clock.elapsed());
  }

  /** The shown time, past or future, at this time of the clock of the world (ms), in whole microseconds. */
  at(elapsed: number): number {
    return Math.round((this.#shown + (elapsed - this.#at) * this.#rate) * 1e3) / 1e3;
  }

  /** How long until it shows this, ms of the world. */
  until(ms: number): number {
    return (ms - this.now()) / this.#rate;
  }

  set(ms: number): void {
    this.#shown = ms;
    this.#at = this.#clock.elapsed();
  }
}
