/** Numbers, times and sentences in the language of a reader and the zone of a meter. */
import { type Language, type Say, sayIn } from '../../lib/index.ts';

/** A Monday. */
const MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;
const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** For one unit and one language. */
export class Speech {
  readonly say: Say;
  readonly #language: Language;
  readonly #time: Intl.DateTimeFormat;

  constructor(language: Language, zone: string) {
    this.say = sayIn(language);
    this.#language = language;
    this.#time = new Intl.DateTimeFormat(language, {
      timeZone: zone,
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  }

  /** `Mon, 23 Nov, 14:05` by the clock of the unit, from RFC 3339. */
  time(at: string | null): string {
    return at === null ? '' : this.#time.format(new Date(at));
  }

  /** Of a calendar day such as 2026-11-23. */
  day(date: string): string {
    const form = { timeZone: 'UTC', weekday: 'short', day: 'numeric', month: 'short' } as const;
    return new Intl.DateTimeFormat(this.#language, form).format(new Date(date));
  }

  number(value: number, decimals: number): string {
    return value.toLocaleString(this.#language, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  }

  /** Of a share of 1. */
  percent(part: number): string {
    return part.toLocaleString(this.#language, { style: 'percent', maximumFractionDigits: 0 });
  }

  /** Full units: 900 s are 15 min. */
  duration(seconds: number): string {
    const { say } = this;
    if (seconds % 86_400 === 0) return say('{count} d', { count: seconds / 86_400 });
    if (seconds % 3_600 === 0) return say('{count} h', { count: seconds / 3_600 });
    if (seconds % 60 === 0) return say('{count} min', { count: seconds / 60 });
    return say('{count} s', { count: seconds });
  }

  /** Of `mon`, `tue` ...; all seven: nothing. */
  weekdays(days: readonly string[]): string {
    if (days.length === WEEK.length) return '';
    const form = new Intl.DateTimeFormat(this.#language, { timeZone: 'UTC', weekday: 'short' });
    return days.map((day) => form.format(new Date(MONDAY + WEEK.indexOf(day) * DAY_MS))).join(', ');
  }
}
