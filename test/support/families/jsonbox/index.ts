/**
 * A family of meters for tests: a box that answers `MEAS?` with one line of JSON over TCP and knows nothing else. No clock,
 * no card, no start, no stream, no settings. A new family needs only this folder and its line in `../index.ts`.
 */
import type { Family, ShownValues } from '../../../../lib/drivers/contract.ts';
import { LineFramer } from '../../../../lib/drivers/lines.ts';
import { type Command, DecodeError } from '../../../../lib/drivers/wire/contract.ts';

interface Measured extends ShownValues {
  readonly runs: boolean;
}

const MEASURE: Command<Measured> = {
  text: 'MEAS?',
  kind: 'request',
  decode,
  // The box is built with these weightings.
  tells: ({ runs }) => ({ measuring: runs, frequencyWeighting: 'A', timeWeighting: 'F' }),
};

export const JSONBOX: Family = {
  name: 'jsonbox',
  title: 'box that answers in JSON',
  channels: ['Main'],
  quantities: ['lp', 'leq', 'lmax', 'le'],
  settings: [],
  operations: { live: { request: MEASURE, run: (sender) => sender.send(MEASURE) } },
  conversation: {
    createFramer: () => new LineFramer(),
    bytesOf: (text) => Buffer.from(`${text}\n`, 'latin1'),
    readReply: () => ({ stage: 'line of JSON', take: (line) => ({ kind: 'done', data: line }) }),
    stateQuestions: {},
  },
  fresh: { tcpPort: 5025 },
};

function decode(line: string): Measured {
  const { lp, leq, le, lmax, over, runs } = parsed(line);
  const level = (value: unknown) => levelOf(value, line);
  const main = { lp: level(lp), leq: level(leq), le: level(le), lmax: level(lmax), over: over === true, under: null };
  return { main, runs: runs === true };
}

function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    const found: unknown = JSON.parse(line);
    if (typeof found === 'object' && found !== null) return { ...found };
  } catch {
    // Told below.
  }
  throw new DecodeError('the line is no JSON object', line);
}

function levelOf(value: unknown, line: string): string {
  if (typeof value !== 'number') throw new DecodeError('a level is no number', line);
  return value.toFixed(1);
}
