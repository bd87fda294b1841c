/** What a report says, in the language of its readers. */
import { filled, type Language, presetText, type WordTable, wordsOf, zones } from '../../lib/index.ts';
import { cellText, dateText, offsetTimeText, writtenLevel } from './cell-text.ts';
import type { ColumnKind, ReportBlock, ReportCell, ReportColumn } from './document.ts';

const GAPS = /\{(\w+)\}/g;

/** A word of the catalogues. */
export type ReportWord = keyof WordTable['report'];

/** Sentences that the API has in English. */
const SENTENCES = Object.entries(wordsOf('en').report).flatMap(([word, sentence]) => {
  if (!word.startsWith('told_')) return [];
  const gaps = [...sentence.matchAll(GAPS)].map(([, name = '']) => name);
  const pattern = sentence.replaceAll(/[.`()]/g, '\\$&').replaceAll(GAPS, '((?:\\S+, )*\\S+?(?: %)?)');
  return [{ word, gaps, pattern: new RegExp(pattern, 'g') }];
});

type Values = Readonly<Record<string, string | number>>;

/** For one language. */
export class ReportSpeech {
  readonly lang: Language;
  readonly #words: WordTable['report'];

  constructor(lang: Language) {
    this.lang = lang;
    this.#words = wordsOf(lang).report;
  }

  /** With its gaps filled. */
  readonly say = (word: ReportWord, values: Values = {}): string => filled(this.#words[word], values);

  /** `period_day`; what the catalogue does not have is a word of people, and stays as it is. */
  known(part: 'period' | 'note' | 'severity', name: string): string {
    const word = `${part}_${name}`;
    return this.#has(word) ? this.#words[word] : name.replaceAll('_', ' ');
  }

  /** A title or source of a preset; those that people wrote stay as they are. */
  preset(text: string): string {
    return presetText(this.lang, text);
  }

  #has(word: string): word is ReportWord {
    return Object.hasOwn(this.#words, word);
  }

  /** Sentences of an answer of the API in the language of the report. One that the catalogue does not have stays English. */
  told(sentences: string): string {
    if (this.lang === 'en') return sentences;
    const told = SENTENCES.reduce(
      (text, { word, gaps, pattern }) =>
        this.#has(word)
          ? text.replaceAll(pattern, (_, ...found: string[]) =>
              this.say(word, Object.fromEntries(gaps.map((gap, n) => [gap, this.#filling(gap, found[n] ?? '')]))),
            )
          : text,
      sentences,
    );
    // Of an index the API says which period it is about.
    return told.replaceAll(/\b(\w+): /g, (whole, name: string) =>
      this.#has(`period_${name}`) ? `${this.known('period', name)}: ` : whole,
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
    const whole = Math.round(seconds);
    const parts = [
      ...[this.#part('part_d', Math.floor(whole / 86_400)), this.#part('part_h', Math.floor((whole % 86_400) / 3_600))],
      ...[this.#part('part_min', Math.floor((whole % 3_600) / 60)), this.#part('part_s', whole % 60)],
    ].flat();
    return parts.slice(0, 2).join(' ') || this.say('part_s', { count: 0 });
  }

  #part(word: ReportWord, count: number): readonly string[] {
    return count > 0 ? [this.say(word, { count })] : [];
  }

  text(words: string): ReportBlock {
    return { block: 'text', text: words };
  }

  titled(word: ReportWord, kind: ColumnKind = 'text'): ReportColumn {
    return { title: this.say(word), kind };
  }

  table(name: ReportWord, columns: readonly ReportColumn[], rows: readonly (readonly ReportCell[])[]): ReportBlock {
    return { block: 'table', name: this.say(name), columns, rows };
  }
}
