/**
 * Reads one reply, line by line: prompt, echo, result line, data line. Pure: no bytes, no time, no connection.
 *
 *   setting   `$`? [echo] R+0000
 *   request   `$`? [echo] R+0000, one data line
 *   refusal   `$`? [echo] R+000n
 *
 * A prompt left over from the command before stands in front of the first line, with or without a blank.
 */
import type { Refusal } from '../nl43/spec/results.ts';
import { RESULTS } from '../nl43/spec/results.ts';
import type { Framed } from '../transport/lines.ts';

export type Reply =
  | { readonly kind: 'done'; readonly data: string }
  | { readonly kind: 'refused'; readonly code: Refusal }
  | { readonly kind: 'garbled'; readonly raw: string };

/** What the reader waits for next; names the stage of a timeout. */
export type Stage = 'result line' | 'data line';

const PROMPTS = /^(?:\$ *)+/;
const isRefusal = (text: string): text is Refusal => Object.hasOwn(RESULTS, text) && text !== 'R+0000';

/** A line without the prompts in front of it. */
export const withoutPrompts = (line: string): string => line.replace(PROMPTS, '');

/** Nothing but prompts: what the meter shows when it is ready. */
export const isPrompt = (text: string): boolean => /^\$[$ ]*$/.test(text);

export class ReplyReader {
  readonly #command: string;
  readonly #data: boolean;
  #stage: Stage = 'result line';
  #echoed = false;

  /** `data`: a data line follows the result line of an accepted command. */
  constructor(command: string, data: boolean) {
    this.#command = command;
    this.#data = data;
  }

  get stage(): Stage {
    return this.#stage;
  }

  /** Takes the next line. Undefined: the reply is not complete yet. */
  take(line: Framed): Reply | undefined {
    if (typeof line !== 'string') return { kind: 'garbled', raw: line.message };
    return this.#stage === 'data line' ? { kind: 'done', data: line } : this.#first(withoutPrompts(line).trimEnd());
  }

  #first(text: string): Reply | undefined {
    if (text === 'R+0000') return this.#accepted();
    if (isRefusal(text)) return { kind: 'refused', code: text };
    if (text === '' || this.#isEcho(text)) return undefined;
    return { kind: 'garbled', raw: text };
  }

  #accepted(): Reply | undefined {
    if (!this.#data) return { kind: 'done', data: '' };
    this.#stage = 'data line';
    return undefined;
  }

  /** With `Echo,On` the meter sends the command back first (command list p.39). */
  #isEcho(text: string): boolean {
    if (this.#echoed || text.toLowerCase() !== this.#command.toLowerCase()) return false;
    this.#echoed = true;
    return true;
  }
}
