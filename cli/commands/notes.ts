/** Notes of people about a time, and exclusions. The levels of an exclusion do not count. */
import type { schemas } from '../../client/index.ts';
import { givenIn, listIn, UNIT, unitPath } from '../command-line.ts';
import { type Command, type CommandCall, type Option, WrongWords } from '../contract.ts';
import { youngest } from '../list.ts';
import { moment, printedData, printedRows, text } from '../output.ts';
import { timeOf, unitZone } from '../times.ts';

const ID = { name: 'ID' } as const;
const REASONS = ['calibration', 'rain', 'wind', 'own_noise', 'intrusion', 'fault', 'other'];
const CHANNELS = ['main', 'sub1', 'sub2', 'sub3'];
const TO: Option = { name: 'to', value: 'TIME', help: 'end: 10m or 2h ago, now, a date, or a time with its offset' };
const FROM: Option = { name: 'from', value: 'TIME', help: 'begin: 10m or 2h ago, a date, or a time with its offset' };
const REASON: Option = { name: 'reason', value: 'WORD', help: 'why', completion: REASONS };
const CHANNELS_OF: Option = {
  name: 'channels',
  value: 'NAMES',
  completion: CHANNELS,
  help: 'channels of the meter, such as sub1,sub2 (all)',
};

export const NOTES: readonly Command[] = [
  {
    name: 'note add',
    summary: 'Write a note about a time, or exclude it',
    words: [UNIT, { name: 'TEXT', optional: true }],
    options: [
      { name: 'exclude', help: 'the levels of this time do not count' },
      { ...REASON, help: 'why (other)' },
      { ...FROM, help: `${FROM.help} (now)` },
      TO,
      CHANNELS_OF,
    ],
    examples: [
      'slm note add roof "Fireworks at the harbour" --from 2h --to 1h',
      'slm note add roof --exclude --reason own_noise "We cut the hedge"',
    ],
    notes: ['Without --to it goes on until slm note end.'],
    run: add,
  },
  {
    name: 'note end',
    summary: 'End a note or an exclusion that goes on',
    words: [UNIT, ID],
    options: [TO],
    examples: ['slm note end roof 12', 'slm note end roof 12 --to 30m'],
    notes: ['With --to one that has ended gets another end.'],
    run: end,
  },
  {
    name: 'note change',
    summary: 'Change the text, reason, times or channels of a note or an exclusion',
    words: [UNIT, ID, { name: 'TEXT', optional: true }],
    options: [REASON, FROM, TO, CHANNELS_OF],
    examples: ['slm note change roof 12 "We cut the hedge and the grass"', 'slm note change roof 12 --reason rain'],
    notes: ['Parts that are not given do not change. The old text is kept as a version.'],
    run: rewrite,
  },
  {
    name: 'note list',
    summary: 'List notes and exclusions, the newest first',
    words: [{ ...UNIT, optional: true }],
    options: [{ name: 'from', value: 'TIME', help: 'only what ends later: 24h or 7d ago, a date, or a time' }],
    examples: ['slm note list', 'slm note list roof --from 7d'],
    async run(call) {
      const { from } = call.options;
      const query = {
        unit: call.words.UNIT,
        ...(typeof from === 'string' && { from: await timeOf(from, call.terminal.now(), unitZone(call)) }),
      };
      const head = ['id', 'unit', 'kind', 'reason', 'from', 'to', 'channels', 'by', 'text'];
      return printedRows(call, youngest<schemas.Note>(call, '/_notes', query), head, noteRow, 'No notes.');
    },
  },
  {
    name: 'note remove',
    summary: 'Remove a note or an exclusion; its levels count again',
    words: [UNIT, ID],
    examples: ['slm note remove roof 12'],
    run: (call) => change(call, 'DELETE', pathOf(call, call.words.ID)),
  },
];

const pathOf = (call: CommandCall, id?: string): string =>
  `${unitPath(call)}/notes${id === undefined ? '' : `/${encodeURIComponent(id)}`}`;

async function add(call: CommandCall): Promise<undefined> {
  const kind = call.options.exclude === true ? 'exclusion' : 'note';
  return change(call, 'POST', pathOf(call), { kind, text: call.words.TEXT ?? '', ...(await optionsOf(call)) });
}

async function rewrite(call: CommandCall): Promise<undefined> {
  const { ID: id, TEXT: text } = call.words;
  const body = { ...(text !== undefined && { text }), ...(await optionsOf(call)) };
  if (Object.keys(body).length === 0)
    throw new WrongWords('nothing is to be changed: give a text, --reason, --from, --to or --channels');
  return change(call, 'PUT', pathOf(call, id), body);
}

/** The options as a body of the API. `all`: all channels. */
async function optionsOf(call: CommandCall): Promise<object> {
  const { from, to, channels, ...more } = givenIn(call.options, 'reason', 'from', 'to', 'channels');
  // The same for both times: the span from 1h to 1h has no length.
  const now = call.terminal.now();
  return {
    ...more,
    ...(from !== undefined && { from: await timeOf(from, now, unitZone(call)) }),
    ...(to !== undefined && { to: await timeOf(to, now, unitZone(call)) }),
    ...(channels !== undefined && { channels: channels === 'all' ? null : listIn(channels) }),
  };
}

/** Without `--to` only what goes on is ended: to end it once more would exclude all time since then. */
async function end(call: CommandCall): Promise<undefined> {
  const { UNIT: unit, ID: id } = call.words;
  const { to } = givenIn(call.options, 'to');
  const now = call.terminal.now();
  if (to === undefined) {
    const notes = await youngest<schemas.Note>(call, '/_notes', { unit, from: new Date(now).toISOString() });
    if (!notes.some((note) => note.id === id && note.to === null))
      throw new WrongWords(
        `no note or exclusion ${id} of ${unit} goes on; slm note list shows them, and --to gives one that has ended another end`,
      );
  }
  return change(call, 'PUT', pathOf(call, id), { to: await timeOf(to ?? 'now', now, unitZone(call)) });
}

const change = (call: CommandCall, method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  printedData(call, call.client().call(path, { method, ...(body && { body }) }));

const noteRow = ({ id, unit_id, kind, reason, from, to, channels, by, text: words }: schemas.Note): string[] => [
  ...[id, unit_id, kind, reason, moment(from)],
  ...[to === null ? 'goes on' : moment(to), channels?.join(',') ?? 'all', text(by), text(words)],
];
