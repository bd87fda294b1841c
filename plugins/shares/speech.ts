/** Numbers, times and sentences in the language of a reader and the zone of a meter. */
import type { SharedLimit } from '../../client/schemas.ts';
import { type Language, MAIN_CHANNEL, type Markup, type Say, sayIn } from '../../lib/built-in.ts';
import { html, texts } from '../../lib/index.ts';

const MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;
const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

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

/** Events are counted up to this number. */
const MOST_COUNTED = 1_000;
/** Below this share, the unmeasured time is mentioned. */
const ALL_MEASURED = 0.99;

const WINDOWS = texts({
  day: 'the day period',
  evening: 'the evening',
  night: 'the night',
  scheduled: 'the whole time',
});

const COUNTS = texts({
  none: 'Not exceeded in the measured time since {time}.',
  once: 'Exceeded once since {time}.',
  often: 'Exceeded {count} times since {time}.',
  most: 'Exceeded {count} times or more since {time}.',
});

/**
 * A limit and whether it was exceeded, in the words of a reader. Unmeasured time is mentioned, so that nobody reads
 * it as quiet. An entry of a list.
 */
export function limitItem(limit: SharedLimit, speech: Speech): Markup {
  const { say } = speech;
  const { exceeded_now, exceeded_count, coverage, since } = limit;
  const time = speech.time(since);
  const isSilent = coverage === 0 && exceeded_count === 0;
  return html`<li>${title(limit, speech)} (${schedule(limit, speech)}). ${exceeded_now ? html`<span class="exceeded">${say('Exceeded now.')}</span> ` : null}
${isSilent ? html`<span class="unknown">${say('Of the time since {time} nothing was measured: whether the limits were exceeded is not known.', { time })}</span>` : html`<span>${say(countText(exceeded_count), { count: exceeded_count, time })}</span>`}
${!isSilent && coverage < ALL_MEASURED ? html`<span class="soft">${say('Of the time since {time}, {share} was measured. Nothing is known of the rest.', { time, share: speech.percent(coverage) })}</span>` : null}</li>`;
}

function countText(count: number) {
  if (count >= MOST_COUNTED) return COUNTS.most;
  if (count === 0) return COUNTS.none;
  return count === 1 ? COUNTS.once : COUNTS.often;
}

function title({ quantity, channel, window, limit_db }: SharedLimit, speech: Speech): string {
  const { say } = speech;
  const word = quantityWord(quantity, speech);
  const name = channel === MAIN_CHANNEL ? word : `${word} (${channel})`;
  const limit = speech.number(limit_db, Number.isInteger(limit_db) ? 0 : 1);
  if (quantity === 'lmax') return say('{quantity}: {limit} dB', { quantity: name, limit });
  return say('{quantity} over {window}: {limit} dB', { quantity: name, window: windowWord(window, speech), limit });
}

function quantityWord(quantity: string, { say }: Speech): string {
  if (quantity === 'leq') return say('Mean level');
  if (quantity === 'lmax') return say('Highest level');
  const percent = /^l([0-9]{1,2})$/.exec(quantity)?.[1];
  return percent === undefined
    ? say('Level ({name})', { name: quantity })
    : say('Level that is exceeded {percent} % of the time', { percent });
}

function windowWord(window: string, { say }: Speech): string {
  if (window === 'day' || window === 'evening' || window === 'night' || window === 'scheduled')
    return say(WINDOWS[window]);
  const [, count = window, unit] = /^(\d+)([smh])$/.exec(window) ?? [];
  return say(unit === 'h' ? '{count} h' : unit === 's' ? '{count} s' : '{count} min', { count });
}

function schedule({ schedule: times }: SharedLimit, speech: Speech): string {
  if (times.length === 0) return speech.say('at all times');
  return times.map(({ days, from, to }) => `${speech.weekdays(days)} ${from}–${to}`).join('; ');
}
