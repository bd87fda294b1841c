/** How one talks to the meter: how commands are sent, what is asked after a failure, and which replies look misplaced. */
import type { Conversation, Named } from '../wire/contract.ts';
import { clock, liveFrames, measureState, pauseState, serialNumber, storeName } from './commands.ts';
import { endsWithPrompt, isPrompt, Nl43ReplyReader, withoutPrompts } from './reply.ts';
import { COMMANDS, type CommandFact, DRD_STATUS_REQUEST } from './spec/commands.ts';
import { LINE_END, REQUEST_MARK, SUB } from './spec/framing.ts';
import { DRD } from './spec/layouts.ts';
import { isValueOf } from './values.ts';

export const CONVERSATION: Conversation = Object.freeze({
  lineEnd: LINE_END,
  abortByte: SUB,
  stream: liveFrames(),
  stateQuestions: {
    measuring: measureState(),
    paused: pauseState(),
    serialNumber: serialNumber(),
    storeName: storeName(),
    clock: clock(),
  },
  proof: measureState(),
  readReply: (command: Named) => new Nl43ReplyReader(command),
  withoutPrompts,
  isPrompt,
  endsWithPrompt,
  answersAnother,
});

const FRAME_FIELDS = 1 + DRD.channels * DRD.fields.length;

/**
 * A line with commas belongs to a command for data, a line without to the others; a result line belongs to none. Texts do
 * not help: any line may be a text. Two numbers cannot be told apart either.
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
