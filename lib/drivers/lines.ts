/**
 * Bytes in any segmentation -> whole lines, for the families that talk in lines. Knows neither prompt nor result codes: a single
 * `$` has no line end, so the layer above looks for it in `rest`.
 *
 * A line ends with CR LF or with LF alone: a line that never ends would cost a timeout. A CR elsewhere stays in the line, where the
 * decoder refuses it.
 */
import { meterText } from '../domain/outside-text.ts';
import type { Framed, Framer } from './wire/contract.ts';

const CR = 0x0d;
const LF = 0x0a;
const NOTHING = Buffer.alloc(0);

/** More than ten times the longest line captured of an NL-43 (351 bytes); a meter with an option board may send longer ones. */
export const MAX_LINE_BYTES = 4096;

/** Replaces a line that was longer than allowed; its bytes are dropped up to its end. */
export class LineTooLong extends Error {
  constructor(limit: number) {
    super(`a line of more than ${limit} bytes`);
    this.name = 'LineTooLong';
  }
}

/** Cuts bytes into lines; a line above the limit is dropped up to its end. */
export class LineFramer implements Framer {
  readonly #limit: number;
  #rest: Buffer = NOTHING;
  #discarding = false;

  /** `limit`: longest line in bytes, without its end. */
  constructor(limit: number = MAX_LINE_BYTES) {
    this.#limit = limit;
  }

  /** The bytes of the line that is not finished yet, as text. Empty while a line that is too long is dropped. */
  get rest(): string {
    return textOf(this.#rest);
  }

  /** The lines that these bytes complete, in order. Keeps the rest; the chunk may be reused afterwards. */
  feed(chunk: Uint8Array): Framed[] {
    const out: Framed[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
      this.#take(chunk.subarray(from, end), out);
      this.#finish(out);
      from = end + 1;
    }
    this.#take(chunk.subarray(from), out);
    return out;
  }

  /** Forgets the unfinished line: for a prompt that was recognised, or a line that is drained. */
  reset(): void {
    this.#rest = NOTHING;
    this.#discarding = false;
  }

  #take(bytes: Uint8Array, out: Framed[]): void {
    if (this.#discarding || bytes.length === 0) return;
    this.#rest = Buffer.concat([this.#rest, bytes]);
    if (withoutEnd(this.#rest).length <= this.#limit) return;
    out.push(new LineTooLong(this.#limit));
    this.#rest = NOTHING;
    this.#discarding = true;
  }

  #finish(out: Framed[]): void {
    if (!this.#discarding) out.push(textOf(withoutEnd(this.#rest)));
    this.reset();
  }
}

const textOf = (bytes: Buffer): string => meterText(bytes.toString('latin1'));

/** A CR at the end may belong to the line end, so it does not count. */
const withoutEnd = (line: Buffer): Buffer => (line.at(-1) === CR ? line.subarray(0, -1) : line);
