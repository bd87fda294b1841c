/**
 * Lines of a file of any size in bounded memory. The bytes are ASCII, or Shift-JIS in texts that a user entered. There the second byte never looks like a line end or a
 * comma. So lines are first cut and then read as text.
 */

import { meterText } from '../../../domain/outside-text.ts';

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
export const LONGEST_LINE = 16_384;

/** The lines of a file, also a last one without its end. */
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
