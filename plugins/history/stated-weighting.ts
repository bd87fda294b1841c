/**
 * A person states which weighting the meter had: somebody changed it at its keys, and the gateway found it later. The rows of
 * that time get this weighting. A note keeps the statement, with its author and its versions.
 */
import {
  ASKED_CHANNEL,
  countOf,
  invalid,
  MAIN_CHANNEL,
  momentOf,
  refuseChannel,
  tables,
  type Weighting,
} from '../../lib/built-in.ts';
import { type Host, type Schema, TIME } from '../../lib/index.ts';
import type { WithNotes } from '../notes/index.ts';

/** Longer than any shift or holiday, and a limit for the damage of a wrong statement. */
const LONGEST_S = 31 * 86_400;
/** The clocks of two computers may differ by this much, s. */
const CLOCKS_S = 60;

interface Statement {
  readonly channel?: string;
  readonly frequency_weighting: Weighting['frequency'];
  readonly time_weighting: Weighting['time'];
  readonly from: string;
  readonly to?: string;
  readonly text?: string;
}

const BODY: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['from', 'frequency_weighting', 'time_weighting'],
  properties: {
    from: { ...TIME, description: 'The first second that was measured with it.' },
    to: { ...TIME, description: 'The first second after it; at most 31 days later. Default: now.' },
    channel: { ...ASKED_CHANNEL, description: 'The channel of the meter. Default: main.' },
    frequency_weighting: { type: 'string', enum: ['A', 'C', 'Z'] },
    time_weighting: { type: 'string', enum: ['F', 'S', 'I'] },
    text: { type: 'string', maxLength: 1_000, description: 'How it is known; kept in the note.' },
  },
  example: {
    from: '2026-11-21T10:02:00Z',
    to: '2026-11-21T10:07:00Z',
    frequency_weighting: 'C',
    time_weighting: 'F',
    text: 'Log book: changed by mistake.',
  },
};

const COUNT: Schema = { type: 'integer', minimum: 0 };

export function addStatedWeighting(host: Host & WithNotes): void {
  host.route<Statement, unknown>({
    method: 'POST',
    path: '/{unit_id}/history/weighting',
    access: 'operator',
    operation: 'stateWeighting',
    summary: 'Say which weighting the meter had in a span',
    description:
      'Seconds and readings that were stored with another weighting get this weighting, and the span loses the flag weighting. Rows of cards and imports stay, and so do alerts that have been sent. A note keeps the statement with its author; another statement for the span replaces it.',
    body: BODY,
    answer: {
      message: { type: 'string' },
      moved: { ...COUNT, description: 'Seconds, readings and means between readings that have this weighting now.' },
      confirmed: { ...COUNT, description: 'Seconds and readings that had it and were doubtful.' },
      left_hours: { ...COUNT, description: 'Hours that stay as they are: their single seconds are no longer kept.' },
      note: { type: 'string', description: 'Id of the note.' },
    },
    errors: ['UNIT_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED', 'STOPPING'],
    async handle({ unitId, body, identity, caller }) {
      const { channel = MAIN_CHANNEL } = body;
      refuseChannel(channel, host.families.find(host.configs.of(unitId).family), '/channel');
      const { frequency_weighting: frequency, time_weighting: time, text } = body;
      const span = spanOf(body, host.clock.now() / 1_000);
      const name = `${frequency}${time}`;
      const said = { from: span.from * 1_000, to: span.to * 1_000, channels: [channel], observed: false };
      const words = `The weighting was ${name}.${text ? ` ${text}` : ''}`;
      const note = await host.notes.add(unitId, { ...said, kind: 'note', reason: 'other', text: words }, identity.name);
      const weighting = { frequency, time };
      const { moved, confirmed, left } = await host.history.restate(
        { unitId, channel, weighting, ...span },
        caller.signal,
      );
      const when = `${tables.utc(span.from)} to ${tables.utc(span.to)}`;
      const message = `The levels of ${unitId} from ${when} are ${name}: ${countOf(moved, 'row was', 'rows were')} stored otherwise.`;
      return { message, moved, confirmed, left_hours: left, note: String(note.id) };
    },
  });
}

/** Seconds since 1970. Errors: INVALID. */
function spanOf(
  { from: fromText, to: toText }: Statement,
  now: number,
): { readonly from: number; readonly to: number } {
  const from = Math.floor(momentOf(fromText, '/from') / 1_000);
  const to = toText === undefined ? Math.floor(now) : Math.floor(momentOf(toText, '/to') / 1_000);
  if (from < 0) throw invalid([{ path: '/from', message: 'must not be before 1970' }]);
  if (toText !== undefined && to > now + CLOCKS_S)
    throw invalid([{ path: '/to', message: 'must not be in the future' }]);
  if (to <= from) throw invalid([{ path: toText === undefined ? '/from' : '/to', message: 'must be later than from' }]);
  if (to - from > LONGEST_S) throw invalid([{ path: '/from', message: 'must be at most 31 days before to' }]);
  return { from, to };
}
