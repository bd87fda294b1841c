/** Reads a `.rnh` file: `CSV`, then sections of `key,value`. Unknown keys are skipped. */
import { meterText } from '../../../domain/outside-text.ts';
import type { CardHeader } from '../../card/contract.ts';

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
const SLOTS = 5;

const FREQUENCY = { A: 'A', C: 'C', Z: 'Z' } as const;
const TIME = { F: 'F', Fast: 'F', S: 'S', Slow: 'S', I: 'I', Impulse: 'I' } as const;

/** Never rejects because of the content of the file: an impossible value is null. The first value of a key counts. */
export async function readHeader(chunks: AsyncIterable<Uint8Array>): Promise<CardHeader> {
  const values = new Map<string, string>();
  for await (const { number, text } of cardLines(chunks)) {
    if (number > MOST_LINES) break;
    const [, key = '', value = ''] = /^([^,]*),(.*?)(?:,\s*)?$/.exec(text) ?? [];
    if (!values.has(key.trim())) values.set(key.trim(), value.trim());
  }
  const textOf = (key: string): string => values.get(key) ?? '';
  return {
    frequency: wordIn(FREQUENCY, textOf('Frequency Weighting (Main)')),
    time: wordIn(TIME, textOf('Time Weighting (Main)')),
    lpInterval: intervalOf(textOf('Lp Store Interval')),
    percentiles: Array.from({ length: SLOTS }, (_, at) => percentOf(textOf(`Percentile ${at + 1}`))),
  };
}

const wordIn = <T>(words: Readonly<Record<string, T>>, text: string): T | null =>
  Object.hasOwn(words, text) ? (words[text] ?? null) : null;

/** The history keeps percentiles from 1 to 99. */
const percentOf = (text: string): number | null => (/^[1-9]\d?$/.test(text) ? Number(text) : null);

const MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** `100ms`, `1s`, `15m`, `8h`; null for `Off` and everything else. */
function intervalOf(text: string): number | null {
  const [, count, unit = ''] = /^(\d{1,4}) ?(ms|s|m|h)$/.exec(text) ?? [];
  return Number(count ?? 0) * (wordIn<number>(MS, unit) ?? 0) || null;
}
