/** The protocol of the meter: sending of commands, questions after a failure, and misplaced replies. */

import { LineFramer } from '../lines.ts';
import type { Conversation, Named } from '../wire/contract.ts';
import { clock, liveFrames, measureState, pauseState, serialNumber, storeName } from './commands.ts';
import { endsWithPrompt, isPrompt, Nl43ReplyReader, withoutPrompts } from './reply.ts';
import { COMMANDS, type CommandFact, DRD_STATUS_REQUEST } from './spec/commands.ts';
import { LINE_END, REQUEST_MARK, SUB } from './spec/framing.ts';
import { DRD } from './spec/layouts.ts';
import { isValueOf } from './values.ts';

/** The conversation of this family, as `lib/meter` uses it. */
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
