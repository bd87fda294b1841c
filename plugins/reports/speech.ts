/** What a report says, in the language of its readers. */
import { filled, type Language, type Say, sayIn, texts, wordsFor, zones } from '../../lib/index.ts';
import { cellText, dateText, offsetTimeText, writtenLevel } from './cell-text.ts';

const GAPS = /\{(\w+)\}/g;

/** Words of the API and of presets. */
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
  severity: texts({ info: 'information', warning: 'warning', critical: 'critical' }),
};

/** Sentences that answers of the API have in English, word by word. */
export const API_SENTENCES = texts([
  'There is no data.',
  '{share} of the time were measured; parts with too little data: {short} of {parts}; {least} of each part are needed.',
  'This time is not over.',
  'This day has no such time.',
  'There are no percentiles of this time.',
  'The levels are not A-weighted.',
  'The {part} has no data.',
  'The {part} has only single readings.',
  'The {part} has data for {share} of its time, less than {least}.',
  'Levels of other weightings are left out: {others}.',
  'The levels are {frequency}-weighted; the indices are defined for A.',
  'The levels are {frequency}-weighted; the preset is for A.',
  'Single seconds at the edges of excluded time are no longer kept: minutes there are left out as a whole.',
  'From {from} to {to} the levels are doubtful: between these two calibrations the meter drifted by {drift} dB.',
  'Nobody has confirmed these numbers: compare with the text before an official report.',
  'No calendar was named: no day is a holiday.',
  'The calendar {name} has no days of {year}: no day of that year is a holiday.',
  'No area was named: there are no limits but those of the query.',
  'Give `residual`: the level without the source.',
  'Give `background`: the LA90 that is representative.',
  'Total and residual level are less than 10 dB apart: the specific level is uncertain.',
  'Total and residual level are less than 3 dB apart: the level of the source cannot be determined.',
  'LAFTeq is not known: it needs the seconds of the stream with LAFmax. Give `impulse` by ear.',
  'The meter gave no LAIeq. Give `impulse` by ear.',
  'The meter gave no LCeq of the same time. Give `low_frequency` by ear.',
  'Single seconds of this span are no longer kept; the rows are of {seconds} s.',
  'The clocks change by a part of a step: a row there is shorter, up to where the next begins.',
]);

const PATTERNS = API_SENTENCES.map((sentence) => {
  const gaps = [...sentence.matchAll(GAPS)].map(([, name = '']) => name);
  const pattern = sentence.replaceAll(/[.`()]/g, '\\$&').replaceAll(GAPS, '((?:\\S+, )*\\S+?(?: %)?)');
  return { sentence, gaps, pattern: new RegExp(pattern, 'g') };
});

/** For one language. */
export class ReportSpeech {
  readonly lang: Language;
  readonly say: Say;

  constructor(lang: Language) {
    this.lang = lang;
    this.say = sayIn(lang);
  }

  /** `day`; a name that people gave themselves stays as it is. */
  known(part: keyof typeof KNOWN, name: string): string {
    const words: Readonly<Record<string, string>> = KNOWN[part];
    return Object.hasOwn(words, name) ? this.say(words[name] ?? name) : name.replaceAll('_', ' ');
  }

  /** Sentences of an answer of the API in the language of the report. A sentence that the catalogue does not have stays English. */
  told(sentences: string): string {
    if (this.lang === 'en') return sentences;
    const told = PATTERNS.reduce(
      (text, { sentence, gaps, pattern }) =>
        text.replaceAll(pattern, (_, ...found: string[]) =>
          filled(
            wordsFor(this.lang, sentence),
            Object.fromEntries(gaps.map((gap, n) => [gap, this.#filling(gap, found[n] ?? '')])),
          ),
        ),
      sentences,
    );
    // Of an index the API says which period it is about.
    return told.replaceAll(/\b(\w+): /g, (whole, name: string) =>
      Object.hasOwn(KNOWN.period, name) ? `${this.known('period', name)}: ` : whole,
    );
  }

  #filling(gap: string, text: string): string {
    if (gap === 'part') return this.known('period', text);
    const number = /^(\d+(?:\.\d+)?)( %)?$/.exec(text);
    if (!number) return offsetTimeText(text, this.lang);
    return `${cellText(Number(number[1]), { kind: 'number' }, this.lang)}${number[2] ?? ''}`;
  }

  /** With one decimal, dB. */
  level(level: number): string {
    return writtenLevel(level, this.lang);
  }

  /** From 0 to 1, in percent and rounded down. */
  share(share: number): string {
    return cellText(share, { kind: 'share' }, this.lang);
  }

  /** Of a day such as `2026-10-25`. */
  date(day: string): string {
    return dateText(day, this.lang);
  }

  /** RFC 3339 as the clock of the zone shows it, with its offset. */
  moment(zone: string, iso: string): string {
    return offsetTimeText(zones.localIso(zone, zones.instantOf(iso)), this.lang);
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
