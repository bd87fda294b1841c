/** Texts, numbers, days and times of a report in the language of its readers. */

import type { AlertEvent, Assessment } from '../../client/schemas.ts';
import { filled, type Language, type Say, sayIn, tables, wordsFor, zones } from '../../lib/built-in.ts';
import { texts } from '../../lib/index.ts';
import { API_SENTENCES } from './api-sentences.ts';
import type { ReportCell, ReportColumn } from './document.ts';
import type { Gathered } from './gathered.ts';

const ONE_DECIMAL = new Map<string, Intl.NumberFormat>();
const PLAIN = new Map<string, Intl.NumberFormat>();
const ISO = /\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g;
const ISO_DATE = /\b\d{4}-\d\d-\d\d\b/g;
const DATE = /^\d{4}-\d\d-\d\d$/;
const HOUR_MS = 3_600_000;
/** English dates with the day before the month. */
const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de', fr: 'fr', es: 'es', ja: 'ja' };
const DATES = new Map<string, Intl.DateTimeFormat>();

/** Levels with one decimal, shares in percent and rounded down, days and times as people of the language write them. */
export function cellText(cell: ReportCell, { kind }: Pick<ReportColumn, 'kind'>, lang: Language, zone: string): string {
  if (cell === null) return '-';
  if (typeof cell === 'string')
    return kind === 'time' ? timeText(zone, cell, lang) : kind === 'date' ? dateText(cell, lang) : cell;
  if (kind === 'level') return writtenLevel(cell, lang);
  if (kind === 'share') return shareText(cell, lang);
  return numberText(cell, lang);
}

const numberText = (value: number, lang: Language): string =>
  cached(PLAIN, lang, () => new Intl.NumberFormat(lang, { useGrouping: false, maximumFractionDigits: 2 })).format(
    value,
  );

const shareText = (share: number, lang: Language): string => `${decimal(Math.floor(share * 1_000) / 10, lang)} %`;

/** As all printers have it, in the form of the language. */
const writtenLevel = (level: number, lang: Language): string => decimal(tables.shownTenths(level), lang);

/** `Sun 25 Oct 2026` of `2026-10-25`; another text stays as it is. */
export const dateText = (day: string, lang: Language): string => writtenDate(day, lang, { year: 'numeric' });

/** `Sun 25 Oct`: a day without its year. */
export const shortDateText = (day: string, lang: Language): string => writtenDate(day, lang, {});

function writtenDate(day: string, lang: Language, more: Intl.DateTimeFormatOptions): string {
  if (!DATE.test(day)) return day;
  const parts = { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC', ...more } as const;
  const format = cached(DATES, `${lang} ${more.year}`, () => new Intl.DateTimeFormat(LOCALES[lang], parts));
  const written = format.format(new Date(day));
  return lang === 'en' ? written.replace(',', '') : written;
}

/** RFC 3339 as `Sun 25 Oct 2026, 02:00`; with the offset from UTC where the clock shows this time twice. Another text stays as it is. */
function timeText(zone: string, iso: string, lang: Language): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at) || DATE.test(iso)) return iso;
  return `${dateText(zones.localIso(zone, at).slice(0, 10), lang)}, ${clockText(zone, at)}`;
}

/** `22:00` */
function clockText(zone: string, at: number): string {
  const local = zones.localIso(zone, at);
  const offset = zones.zoneOffset(zone, at);
  const isTwice = zones.zoneOffset(zone, at - HOUR_MS) > offset || zones.zoneOffset(zone, at + HOUR_MS) < offset;
  const seconds = local.slice(17, 19) === '00' ? '' : local.slice(16, 19);
  return `${local.slice(11, 16)}${seconds}${isTwice ? ` (${zones.offsetWords(offset)})` : ''}`;
}

export const isNumeric = ({ kind }: Pick<ReportColumn, 'kind'>): boolean =>
  kind === 'level' || kind === 'share' || kind === 'number';

const decimal = (value: number, lang: Language): string =>
  cached(ONE_DECIMAL, lang, () => new Intl.NumberFormat(lang, { useGrouping: false, ...ONE })).format(value);

const ONE = { minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;

function cached<Format>(formats: Map<string, Format>, key: string, make: () => Format): Format {
  const made = formats.get(key) ?? make();
  formats.set(key, made);
  return made;
}

const GAPS = /\{(\w+)\}/g;

const KNOWN = {
  period: texts({ day: 'day', evening: 'evening', night: 'night' }),
  note: texts({
    calibration: 'calibration',
    rain: 'rain',
    wind: 'wind',
    own_noise: 'own noise',
    intrusion: 'noise of others',
    fault: 'fault',
    other: 'other',
  }),
  cause: texts({
    Construction: 'Construction',
    'Road traffic': 'Road traffic',
    Railway: 'Railway',
    Aircraft: 'Aircraft',
    Music: 'Music',
    People: 'People ## a cause of noise',
    Weather: 'Weather',
    Unknown: 'Unknown ## a cause of noise',
  }),
  severity: texts({ info: 'information', warning: 'warning', critical: 'critical' }),
};

const PATTERNS = API_SENTENCES.map((sentence) => {
  const gaps = [...sentence.matchAll(GAPS)].map(([, name = '']) => name);
  const pattern = sentence.replaceAll(/[.`()]/g, '\\$&').replaceAll(GAPS, '((?:\\S+, )*\\S+?(?: %)?)');
  return { sentence, gaps, pattern: new RegExp(pattern, 'g') };
});

export class ReportWords {
  readonly lang: Language;
  readonly say: Say;
  readonly #zone: string;

  constructor(lang: Language, zone: string) {
    this.lang = lang;
    this.say = sayIn(lang);
    this.#zone = zone;
  }

  /** `day`; a name that people gave themselves stays as it is. */
  known(part: keyof typeof KNOWN, name: string): string {
    const names: Readonly<Record<string, string>> = KNOWN[part];
    return Object.hasOwn(names, name) ? this.say(names[name] ?? name) : name.replaceAll('_', ' ');
  }

  /** Sentences of an answer of the API in the language of the report. A sentence that the catalogue does not have stays English. */
  translated(sentences: string): string {
    const text = this.lang === 'en' ? sentences : this.#inLanguage(sentences);
    return text.replaceAll(ISO, (iso) => this.moment(iso)).replaceAll(ISO_DATE, this.date);
  }

  #inLanguage(sentences: string): string {
    const text = PATTERNS.reduce(
      (sofar, { sentence, gaps, pattern }) =>
        sofar.replaceAll(pattern, (_, ...found: string[]) =>
          filled(
            wordsFor(this.lang, sentence),
            Object.fromEntries(gaps.map((gap, n) => [gap, this.#filling(gap, found[n] ?? '')])),
          ),
        ),
      sentences,
    );
    // Of an index the API says which period it is about.
    return text.replaceAll(/\b(\w+): /g, (whole, name: string) =>
      Object.hasOwn(KNOWN.period, name) ? `${this.known('period', name)}: ` : whole,
    );
  }

  #filling(gap: string, text: string): string {
    if (gap === 'part') return this.known('period', text);
    const number = /^(\d+(?:\.\d+)?)( %)?$/.exec(text);
    if (!number) return text;
    return `${numberText(Number(number[1]), this.lang)}${number[2] ?? ''}`;
  }

  /** With one decimal, dB. */
  readonly level = (level: number): string => writtenLevel(level, this.lang);

  /** With up to two decimals. */
  readonly plain = (value: number): string => numberText(value, this.lang);

  /** From 0 to 1, in percent and rounded down. */
  share(share: number): string {
    return shareText(share, this.lang);
  }

  readonly date = (day: string): string => dateText(day, this.lang);

  readonly shortDate = (day: string): string => shortDateText(day, this.lang);

  /** RFC 3339 as the clock of the zone shows it. */
  readonly moment = (iso: string): string => timeText(this.#zone, iso, this.lang);

  /** `Mon 24 Nov, 22:00–23:00`, ms since 1970 UTC. */
  span(from: number, to: number): string {
    const zone = this.#zone;
    const day = (at: number) => shortDateText(zones.localIso(zone, at).slice(0, 10), this.lang);
    const [begin, clock] = [`${day(from)}, ${clockText(zone, from)}`, clockText(zone, to)];
    if (day(from) === day(to)) return `${begin}–${clock}`;
    return day(from) === day(to - 1) ? `${begin}–24:00` : `${begin} – ${day(to)}, ${clock}`;
  }

  /** The time of a report: `Mon 24 Nov 2025 to Sun 30 Nov 2025`, or one day, where it has whole days. */
  period(from: string, to: string): string {
    const zone = this.#zone;
    const [begin, end] = [zones.localIso(zone, zones.instantOf(from)), zones.instantOf(to)];
    const isWhole = [begin, zones.localIso(zone, end)].every((local) => local.slice(11, 19) === '00:00:00');
    const [first, last] = isWhole
      ? [this.date(begin.slice(0, 10)), this.date(zones.localIso(zone, end - 1).slice(0, 10))]
      : [this.moment(from), this.moment(to)];
    return first === last ? first : this.say('{from} to {to}', { from: first, to: last });
  }

  /** `1 h 30 min`: the two largest units. */
  duration(seconds: number): string {
    const { say } = this;
    const whole = Math.round(seconds);
    const [days, hours, minutes] = [
      Math.floor(whole / 86_400),
      Math.floor((whole % 86_400) / 3_600),
      Math.floor((whole % 3_600) / 60),
    ];
    const parts = [
      days > 0 ? say('{count} d', { count: days }) : '',
      hours > 0 ? say('{count} h', { count: hours }) : '',
      minutes > 0 ? say('{count} min', { count: minutes }) : '',
      whole % 60 > 0 || whole === 0 ? say('{count} s', { count: whole % 60 }) : '',
    ];
    return parts
      .filter((part) => part !== '')
      .slice(0, 2)
      .join(' ');
  }
}

type Figure = Assessment['total']['figures'][number];

/** `LAeq`, `LAFmax`, `LAF90`: a level of a report says how it is weighted. */
export function namesOf({ indices: { weighting } }: Pick<Gathered, 'indices'>) {
  const [f, t] = weighting ? [weighting.frequency, weighting.time] : ['', ''];
  return { leq: `L${f}eq`, lmax: `L${f}${t}max`, lmin: `L${f}${t}min`, ln: (n: number) => `L${f}${t}${n}` };
}

/** The level that an event is about: `LAeq 15 min`, `LAFmax`; empty where it is about no level. */
export function figureOfEvent(
  gathered: Pick<Gathered, 'indices'>,
  words: ReportWords,
  { what, unit, window_from: from, window_to: to, windows }: AlertEvent,
): string {
  if (unit !== 'dB') return '';
  const { ln, ...names } = namesOf(gathered);
  const percent = /^l(\d+)$/.exec(what)?.[1];
  const known: Readonly<Record<string, string>> = names;
  const name = percent === undefined ? (known[what] ?? what) : ln(Number(percent));
  if (what === 'lmax' || from === null || to === null) return name;
  const seconds = (zones.instantOf(to) - zones.instantOf(from)) / 1_000 / (windows ?? 1);
  return `${name} ${words.duration(seconds)}`;
}

const LEVELS = texts({ rating: 'Lr', emergence: 'Emergence', difference: 'Lr over background' });
const INDICES: Readonly<Record<string, string>> = { lden: 'Lden', ldn: 'Ldn', cnel: 'CNEL' };
const OF_AN_INDEX: Readonly<Record<string, string>> = { day: 'Lday', evening: 'Levening', night: 'Lnight' };

/** Each figure of an assessment by words: `Lden`, `LAeq, night, loudest 1 h`. Two that read alike have their own name behind. */
export function figureNames(gathered: Gathered, words: ReportWords): ReadonlyMap<string, string> {
  const figures = gathered.assessment?.total.figures ?? [];
  const hasIndex = figures.some(({ compared }) => compared === 'index');
  const names = new Map(
    figures.map((one) => [
      one.figure,
      (hasIndex && one.compared === 'leq' && one.window_s === null && OF_AN_INDEX[one.period ?? '']) ||
        wordsOf(gathered, words, one),
    ]),
  );
  const count = (name: string) => [...names.values()].filter((other) => other === name).length;
  return new Map([...names].map(([figure, name]) => [figure, count(name) > 1 ? `${name} (${figure})` : name]));
}

function wordsOf(gathered: Gathered, words: ReportWords, { figure, compared, period, percent, window_s }: Figure) {
  if (compared === 'index' || period === null) return INDICES[figure] ?? figure.replaceAll('_', ' ');
  const { leq, ln } = namesOf(gathered);
  const level = compared === 'leq' ? leq : compared === 'percentile' ? ln(percent ?? 0) : words.say(LEVELS[compared]);
  const said = { level, period: words.known('period', period) };
  return window_s === null
    ? words.say('{level}, {period}', said)
    : words.say('{level}, {period}, loudest {window}', { ...said, window: words.duration(window_s) });
}
