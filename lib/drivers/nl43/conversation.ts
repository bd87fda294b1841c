/**
 * The protocol of the meter: sending of commands, reading of replies, questions after a failure, and misplaced replies.
 * A reply is read line by line. It knows no time and no connection.
 *
 *   setting   `$`? [echo] R+0000
 *   request   `$`? [echo] R+0000, one data line
 *   refusal   `$`? [echo] R+000n
 *
 * A prompt left over from the command before may precede the first line, with or without a space.
 */
import { LineFramer } from '../lines.ts';
import type { Conversation, MeterReply, Named, Refusal, ReplyReader } from '../wire/contract.ts';
import { clock, liveFrames, measureState, pauseState, serialNumber, storeName } from './commands.ts';
import { COMMANDS, type CommandFact, DRD_STATUS_REQUEST } from './spec/commands.ts';
import { LINE_END, REQUEST_MARK, RESULTS, type RefusalCode, SUB } from './spec/framing.ts';
import { DRD } from './spec/layouts.ts';
import { isValueOf, withoutPrompts } from './values.ts';

const REFUSALS: Record<RefusalCode, Omit<Refusal, 'result'>> = {
  'R+0001': { code: 'DEVICE_REFUSED_COMMAND', why: 'it does not know the command' },
  'R+0002': { code: 'DEVICE_REFUSED_PARAMETER', why: 'it does not take this value' },
  'R+0003': { code: 'DEVICE_REFUSED_COMMAND', why: 'this model or option does not have it in this form' },
  'R+0004': { code: 'DEVICE_WRONG_STATE', why: 'it is not possible in its present state' },
};

const isRefusal = (text: string): text is RefusalCode => Object.hasOwn(RESULTS, text) && text !== 'R+0000';

const isPrompt = (text: string): boolean => /^\$[$ ]*$/.test(text);

const endsWithPrompt = (text: string): boolean => /\$ *$/.test(text);

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

export const CONVERSATION: Conversation = Object.freeze({
  createFramer: () => new LineFramer(),
  bytesOf: (text: string) => Buffer.from(text + LINE_END, 'latin1'),
  readReply: (command: Named) => new Nl43ReplyReader(command),
  prompt: {
    is: isPrompt,
    endsWith: endsWithPrompt,
    isAll: (line: string) => withoutPrompts(line).trim() === '',
  },
  stream: {
    command: liveFrames(),
    abort: Uint8Array.of(SUB),
    abortShown: '<SUB>',
    refusedWhen:
      'In Auto store mode the meter gives its stream only with the Lp store interval 100ms: set this interval, or the store mode Manual.',
  },
  stateQuestions: {
    measuring: measureState(),
    paused: pauseState(),
    serialNumber: serialNumber(),
    storeName: storeName(),
    clock: clock(),
  },
  proof: measureState(),
  answersAnother,
  // The meter listens again after a power cycle (field report).
  wedges: true,
});

const FRAME_FIELDS = 1 + DRD.channels * DRD.fields.length;

/**
 * A line with commas belongs to a command for data, a line without commas to another command; a result line belongs to
 * none. Texts do not help: any line may be a text. Two numbers cannot be distinguished either.
 */
function answersAnother(text: string, line: string): boolean {
  const asked = COMMANDS.find(({ name }) => text === `${name}${REQUEST_MARK}`);
  const kind = text === DRD_STATUS_REQUEST ? 'data' : asked?.values.kind;
  if (/R\+\d{4}/.test(line)) return true;
  if (line.includes(',')) return kind !== 'data' || line.split(',').length === FRAME_FIELDS;
  return COMMANDS.some((other) => other !== asked && isTelling(other, kind) && isValueOf(other, line));
}

const isTelling = ({ values }: CommandFact, asked: string | undefined): boolean =>
  values.kind !== 'text' && values.kind !== 'data' && !(values.kind === 'integer' && asked === 'integer');
