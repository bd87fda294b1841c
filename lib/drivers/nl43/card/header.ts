/** Reads a `.rnh` file: `CSV`, then sections of `key,value`. Unknown keys are skipped; an impossible value is a problem. */
import { meterText } from '../../../domain/outside-text.ts';
import type { CardHeader, CardProblem } from '../../card/contract.ts';

/** One line without its end; `number` counts from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
  /** Whether it has its line end: the last line of a file that grows may be half. */
  readonly whole: boolean;
  /** More than LONGEST_LINE bytes; `text` is the beginning. */
  readonly cut: boolean;
}

/** A row of four channels with 33 bands each has some 1,000 characters. */
const LONGEST_LINE = 16_384;

/**
 * Lines of a file of any size in bounded memory. The bytes are ASCII, or Shift-JIS in texts that a user entered. There
 * the second byte never looks like a line end or a comma. So lines are first cut and then read as text.
 *
 * The lines of a file, also a last one without its end.
 */
export async function* cardLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let held = '';
  let dropped = false;
  let number = 1;
  const line = (text: string, whole: boolean): Line => {
    const bare = text.endsWith('\r') ? text.slice(0, -1) : text;
    const made = {
      number,
      text: readable(bare.slice(0, LONGEST_LINE)),
      whole,
      cut: dropped || bare.length > LONGEST_LINE,
    };
    number += 1;
    dropped = false;
    return made;
  };
  for await (const chunk of chunks) {
    const parts = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1').split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      yield line(held + part, true);
      held = '';
    }
    held += last;
    if (held.length > LONGEST_LINE) {
      held = held.slice(0, LONGEST_LINE);
      dropped = true;
    }
  }
  if (held !== '') yield line(held, false);
}

const JAPANESE = new TextDecoder('shift_jis');

const readable = (text: string): string =>
  /[\x80-\xff]/.test(text) ? meterText(JAPANESE.decode(Buffer.from(text, 'latin1'))) : text;

const MOST_LINES = 2_000;
const MOST_PROBLEMS = 20;
const SLOTS = 5;

const FREQUENCY = { A: 'A', C: 'C', Z: 'Z' } as const;
const TIME = { F: 'F', Fast: 'F', S: 'S', Slow: 'S', I: 'I', Impulse: 'I' } as const;

/** Never rejects because of the content of the file: impossible values are among the problems. */
export async function readHeader(chunks: AsyncIterable<Uint8Array>): Promise<CardHeader> {
  const values = new Map<string, { readonly text: string; readonly line: number }>();
  const problems: CardProblem[] = [];
  const wrong = (line: number, message: string) => {
    if (problems.length < MOST_PROBLEMS) problems.push({ line, message });
  };
  for await (const { number, text, cut } of cardLines(chunks)) {
    if (number > MOST_LINES) {
      wrong(number, 'and the lines after it are not read: a header is never so long');
      break;
    }
    if (cut) wrong(number, 'is too long');
    const comma = text.indexOf(',');
    if (comma < 0) continue;
    const [key, value] = [
      text.slice(0, comma).trim(),
      text
        .slice(comma + 1)
        .replace(/,\s*$/, '')
        .trim(),
    ];
    if (values.has(key)) wrong(number, `says ${shown(key)} again`);
    else values.set(key, { text: value, line: number });
  }
  /** The value of a key; null, and a problem, where `read` cannot make anything of it. */
  const take = <T>(key: string, read: (text: string) => T | undefined): T | null => {
    const found = values.get(key);
    if (!found || found.text === '') return null;
    const value = read(found.text);
    if (value === undefined) wrong(found.line, `has a ${key} that is not known: ${shown(found.text)}`);
    return value ?? null;
  };
  const interval = (key: string) => take(key, intervalOf) || null;
  return {
    serial: take('Serial Number', (text) => text),
    index: take('Index Number', wholeNumber),
    storeName: take('Store Name', wholeNumber),
    frequency: take('Frequency Weighting (Main)', (text) => wordIn(FREQUENCY, text)),
    time: take('Time Weighting (Main)', (text) => wordIn(TIME, text)),
    lpInterval: interval('Lp Store Interval'),
    leqInterval: interval('Leq Calculation Interval'),
    percentiles: Array.from({ length: SLOTS }, (_, at) => take(`Percentile ${at + 1}`, percentOf)),
    problems,
  };
}

const wordIn = <T>(words: Readonly<Record<string, T>>, text: string): T | undefined =>
  Object.hasOwn(words, text) ? words[text] : undefined;

const wholeNumber = (text: string) => (/^\d{1,6}$/.test(text) ? Number(text) : undefined);

/** The history keeps percentiles from 1 to 99. */
const percentOf = (text: string) => (/^[1-9]\d?$/.test(text) ? Number(text) : undefined);

const MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** `100ms`, `1s`, `15m`, `8h`; 0 for `Off`. */
function intervalOf(text: string): number | undefined {
  if (text === 'Off') return 0;
  const [, count, unit = ''] = /^(\d{1,4}) ?(ms|s|m|h)$/.exec(text) ?? [];
  const size = wordIn<number>(MS, unit);
  return size && Number(count) > 0 ? Number(count) * size : undefined;
}

const shown = (text: string) => JSON.stringify(text.slice(0, 40));
