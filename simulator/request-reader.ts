/**
 * Bytes of the client become lines: CR LF ends a line, LF too if the profile says so, SUB is a line of its own. A byte that is not
 * printable ASCII spoils the line it is in. Knows nothing of commands; `grammar.ts` reads the lines.
 */
import type { Profile } from './profile.ts';

const SUB = 0x1a;
const CR = 0x0d;
const LF = 0x0a;
const PROMPT = 0x24;

/** The longest command of the list has 44 characters; a line beyond this is held no further. Inferred. */
export const LONGEST_LINE = 256;

export type ReceivedLine =
  | { readonly kind: 'sub'; readonly firstAt: number }
  /** `text`: the typed text, shortened when endless. A `spoilt` line cannot be a command. */
  | { readonly kind: 'line'; readonly text: string; readonly spoilt: boolean; readonly firstAt: number };

export class RequestReader {
  readonly #lineFeedEnds: boolean;
  #bytes: number[] = [];
  #spoilt = false;
  #afterCr = false;
  #firstAt: number | undefined;

  constructor(profile: Profile) {
    this.#lineFeedEnds = profile.line_feed_only === 'ends the line';
  }

  /**
   * Messages that are complete after these bytes, oldest first. `at`: when the bytes came. An unfinished line has no time
   * limit.
   */
  take(bytes: Uint8Array, at: number): ReceivedLine[] {
    const heard: ReceivedLine[] = [];
    for (const byte of bytes) {
      const whole = this.#take(byte, at);
      if (whole) heard.push(whole);
    }
    return heard;
  }

  #take(byte: number, at: number): ReceivedLine | null {
    this.#firstAt ??= at;
    if (byte === SUB) return this.#sub();
    if (byte === LF && (this.#afterCr || this.#lineFeedEnds)) return this.#line();
    if (this.#afterCr) this.#spoilt = true;
    this.#afterCr = byte === CR;
    if (!this.#afterCr) this.#keep(byte);
    return null;
  }

  #keep(byte: number): void {
    if (byte < 0x20 || byte > 0x7e || byte === PROMPT) this.#spoilt = true;
    if (this.#bytes.length < LONGEST_LINE) this.#bytes.push(byte);
    else this.#spoilt = true;
  }

  /** SUB drops a line that was begun. */
  #sub(): ReceivedLine {
    return { kind: 'sub', firstAt: this.#reset().firstAt };
  }

  #line(): ReceivedLine {
    return { kind: 'line', ...this.#reset() };
  }

  #reset() {
    const done = {
      text: Buffer.from(this.#bytes).toString('latin1'),
      spoilt: this.#spoilt,
      firstAt: this.#firstAt ?? 0,
    };
    this.#bytes = [];
    this.#spoilt = false;
    this.#afterCr = false;
    this.#firstAt = undefined;
    return done;
  }
}
