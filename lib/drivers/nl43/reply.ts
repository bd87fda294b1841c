/**
 * Reads one reply, line by line: prompt, echo, result line, data line. Pure: no bytes, no time, no connection.
 *
 *   setting   `$`? [echo] R+0000
 *   request   `$`? [echo] R+0000, one data line
 *   refusal   `$`? [echo] R+000n
 *
 * A prompt left over from the command before may precede the first line, with or without a space.
 */
import type { MeterReply, Named, Refusal, ReplyReader } from '../wire/contract.ts';
import { RESULTS, type RefusalCode } from './spec/framing.ts';

const PROMPTS = /^(?:\$ *)+/;

const REFUSALS: Record<RefusalCode, Omit<Refusal, 'result'>> = {
  'R+0001': { code: 'DEVICE_REFUSED_COMMAND', why: 'it does not know the command' },
  'R+0002': { code: 'DEVICE_REFUSED_PARAMETER', why: 'it does not take this value' },
  'R+0003': { code: 'DEVICE_REFUSED_COMMAND', why: 'this model or option does not have it in this form' },
  'R+0004': { code: 'DEVICE_WRONG_STATE', why: 'it is not possible in its present state' },
};

const isRefusal = (text: string): text is RefusalCode => Object.hasOwn(RESULTS, text) && text !== 'R+0000';

/** A line without the prompts in front of it. */
export const withoutPrompts = (line: string): string => line.replace(PROMPTS, '');

/** Only prompts: the meter shows them when it is ready. */
export const isPrompt = (text: string): boolean => /^\$[$ ]*$/.test(text);

/** Whether the text ends with a prompt. */
export const endsWithPrompt = (text: string): boolean => /\$ *$/.test(text);

/** Reads the reply to one command. */
export class Nl43ReplyReader implements ReplyReader {
  readonly #command: string;
  readonly #hasData: boolean;
  #stage: ReplyReader['stage'] = 'result line';
  #echoed = false;

  constructor({ text, kind }: Named) {
    this.#command = text;
    this.#hasData = kind === 'request';
  }

  get stage(): ReplyReader['stage'] {
    return this.#stage;
  }

  take(line: string): MeterReply | undefined {
    return this.#stage === 'data line' ? { kind: 'done', data: line } : this.#first(withoutPrompts(line).trimEnd());
  }

  #first(text: string): MeterReply | undefined {
    if (text === 'R+0000') return this.#accepted();
    if (isRefusal(text)) return { kind: 'refused', refusal: { result: text, ...REFUSALS[text] } };
    if (text === '' || this.#isEcho(text)) return undefined;
    return { kind: 'garbled', raw: text };
  }

  #accepted(): MeterReply | undefined {
    if (!this.#hasData) return { kind: 'done', data: '' };
    this.#stage = 'data line';
    return undefined;
  }

  /** With `Echo,On` the meter first sends the command back (command list p.39). */
  #isEcho(text: string): boolean {
    if (this.#echoed || text.toLowerCase() !== this.#command.toLowerCase()) return false;
    this.#echoed = true;
    return true;
  }
}
