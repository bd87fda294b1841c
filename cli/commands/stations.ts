/** Stations that observe weather and traffic, and the exclusions because of them. */
import { openAsBlob } from 'node:fs';
import type { schemas } from '../../client/index.ts';
import { givenIn, listIn, UNIT, unitPath } from '../command-line.ts';
import { type Command, type CommandCall, WrongWords } from '../contract.ts';
import { duration, moment, printed, printedData, printedMessage, printedRows, table, text } from '../output.ts';
import { spanOf, spanOptions } from '../times.ts';

const STATION = { name: 'STATION' } as const;

export const STATION_COMMANDS: readonly Command[] = [
  {
    name: 'station list',
    summary: 'List the stations that observe weather and traffic',
    examples: ['slm station list'],
    run(call) {
      const head = ['id', 'title', 'units', 'zone', 'last observation', 'sends', 'place'];
      return printedRows(call, call.client().stations(), head, stationRow, 'No stations.');
    },
  },
  {
    name: 'station set',
    summary: 'Create a station, or change one; what is left out stays as it is',
    words: [STATION],
    options: [
      { name: 'title', value: 'TEXT', help: 'what it is called' },
      { name: 'place', value: 'TEXT', help: 'where it stands' },
      { name: 'zone', value: 'ZONE', help: 'zone of its days and hours, such as Europe/Berlin (UTC)' },
      { name: 'units', value: 'A,B', help: 'the units that it is for; all: every unit (all)' },
      { name: 'interval', value: 'N', help: 'seconds that an observation lasts at most which does not say so (600)' },
      {
        name: 'silent-after',
        value: 'N',
        help: 'seconds without an observation until it counts as silent; auto: by itself (auto)',
      },
    ],
    examples: ['slm station set mast --title "Mast at the gate" --zone Europe/Berlin --units roof,yard'],
    run: set,
  },
  {
    name: 'station send',
    summary: 'Send what a station observed: CSV, or JSON with one object a line',
    words: [STATION, { name: 'FILE', completion: 'file' }],
    examples: ['slm station send mast weather.csv'],
    notes: ['All lines are kept, or none. The same lines may be sent again.'],
    async run(call) {
      const file = await opened(call.words.FILE ?? '');
      return printedMessage(call, call.client().call(`${pathOf(call)}/observations`, { method: 'POST', file }));
    },
  },
  {
    name: 'station remove',
    summary: 'Remove a station with all that it observed',
    words: [STATION],
    examples: ['slm station remove mast'],
    run: (call) => printedMessage(call, call.client().removeStation(call.words.STATION ?? '')),
  },
  {
    name: 'note proposals',
    summary: 'Show what the observations of a time are a reason to exclude',
    words: [UNIT],
    options: spanOptions('24h'),
    examples: ['slm note proposals roof --from 7d'],
    async run(call) {
      const { data, unobserved } = await call.client().noteProposals(call.words.UNIT ?? '', await spanOf(call, '24h'));
      return printed(call, { proposals: data, unobserved }, () =>
        [proposalTable(data), ...unobserved.map(lackLine)].join('\n'),
      );
    },
  },
  {
    name: 'note accept',
    summary: 'Exclude what the observations of a time are a reason for',
    words: [UNIT],
    options: [
      ...spanOptions('24h'),
      { name: 'reason', value: 'WORD', help: 'only this one', completion: ['wind', 'rain'] },
    ],
    examples: ['slm note accept roof --from 7d --reason wind'],
    notes: ['Once more changes nothing: what is excluded is not proposed again.'],
    async run(call) {
      const { reason } = givenIn(call.options, 'reason');
      const body = { ...(await spanOf(call, '24h')), ...(reason !== undefined && { reasons: [reason] }) };
      const path = `${unitPath(call)}/notes/proposals/accept`;
      const answer = await call.client().call<schemas.AcceptNoteProposalsAnswer>(path, { method: 'POST', body });
      return printed(call, answer.data, () => `${proposalTable(answer.data)}\n${answer.message}`);
    },
  },
  {
    name: 'note rules',
    summary: 'Show which observations are a reason to exclude levels, and whether that is done without asking',
    words: [UNIT],
    options: [
      {
        name: 'auto-exclude',
        value: 'WORD',
        help: 'on: such times are excluded from now on, without asking; off: they are only proposed',
        completion: ['on', 'off'],
      },
    ],
    examples: ['slm note rules roof', 'slm note rules roof --auto-exclude on'],
    notes: ['The author of these exclusions is auto_exclude. Where no station observes anything, nothing is excluded.'],
    run: rules,
  },
];

type Rules = schemas.ShowExclusionRulesAnswer['data'];

const pathOf = ({ words }: CommandCall): string => `/_stations/${encodeURIComponent(words.STATION ?? '')}`;

async function set(call: CommandCall): Promise<undefined> {
  const { options } = call;
  const { units, interval, silent_after: silent } = givenIn(options, 'units', 'interval', 'silent-after');
  const body = {
    ...givenIn(options, 'title', 'place', 'zone'),
    ...(units !== undefined && { units: units === 'all' ? null : listIn(units) }),
    // Other words go as they are: the gateway says what is wrong with them.
    ...(interval !== undefined && { interval_s: numberOr(interval) }),
    ...(silent !== undefined && { silent_after_s: silent === 'auto' ? null : numberOr(silent) }),
  };
  return printedData(call, call.client().call(pathOf(call), { method: 'PUT', body }));
}

const numberOr = (word: string): number | string => (/^\d+$/.test(word) ? Number(word) : word);

async function rules(call: CommandCall): Promise<undefined> {
  const { 'auto-exclude': auto } = call.options;
  const [client, unitId] = [call.client(), call.words.UNIT ?? ''];
  const present = await client.exclusionRules(unitId);
  if (auto === undefined) return printed(call, present, () => rulesShown(present));
  if (auto !== 'on' && auto !== 'off') throw new WrongWords('--auto-exclude is on or off');
  const body = { rules: present.rules, auto_exclude: auto === 'on' };
  const { message, data } = await client.replaceExclusionRules(unitId, body);
  return printed(call, data, () => `${message}\n${rulesShown(data)}`);
}

function rulesShown({ rules: all, auto_exclude, judged_until }: Rules): string {
  const rows = all.map(({ quantity, above, below, reason, before_s, after_s, min_s }) => [
    ...[quantity, above === null ? `below ${below}` : `above ${above}`, reason],
    ...[`${before_s} s`, `${after_s} s`, `${min_s} s`],
  ]);
  const auto = auto_exclude
    ? `Such times are excluded without asking; the observations are judged until ${moment(judged_until)}.`
    : 'Such times are only proposed: slm note proposals.';
  return `${table(['quantity', 'limit', 'reason', 'before', 'after', 'at least'], rows, 'No rules.')}\n${auto}`;
}

async function opened(path: string): Promise<Blob> {
  try {
    return await openAsBlob(path, { type: /\.csv$/i.test(path) ? 'text/csv' : 'application/x-ndjson' });
  } catch {
    throw new WrongWords(`the file ${path} cannot be read`);
  }
}

const stationRow = ({ id, title, units, zone, last_at, silent, place }: schemas.Station): string[] => [
  ...[id, text(title), units === null ? 'all' : units.join(','), zone],
  ...[last_at === null ? 'none' : moment(last_at), silent === null ? '?' : silent ? 'SILENT' : 'yes', text(place)],
];

const proposalTable = (proposals: readonly schemas.NoteProposal[]): string =>
  table(
    ['from', 'to', 'reason', 'observed'],
    proposals.map(({ from, to, reason, text: words }) => [moment(from), moment(to), reason, text(words)]),
    'No proposals.',
  );

const lackLine = ({ quantity, seconds }: schemas.UnobservedTime): string =>
  `Not observed: ${quantity} for ${seconds < 3_600 ? duration(seconds) : `${(seconds / 3_600).toFixed(1)} h`}. Its rules say nothing of this time.`;
