/** Was it within the permit? Each day by a preset; and single noise events in a span. */
import type { schemas } from '../../client/index.ts';
import { CHANNEL, givenIn, UNIT, unitPath } from '../command-line.ts';
import type { Command, CommandCall, Option } from '../contract.ts';
import { savedTable, TABLE_OPTIONS } from '../list.ts';
import { counted, harmless, level, moment, percent, printed, printedRows, table, text } from '../output.ts';
import { spanOf, spanOptions } from '../times.ts';

const said = (name: string, help: string): Option => ({ name, value: 'VALUE', help });

/** Facts that a person knows, with the names of the API; a dash is an underscore there. Reports have the same options. */
export const SAID_OPTIONS: readonly Option[] = [
  said('limits', 'your own, dB, by figure: day:55,night:40'),
  said('tonal', 'addition by ear, dB: 3, or day:3,night:0'),
  said('impulse', 'the same for impulses'),
  said('low-frequency', 'the same for low frequencies'),
  said('other', 'other additions'),
  said('residual', 'level without the source, dB'),
  said('background', 'LA90 that is representative, dB'),
  said('duration-s', 'how long the noise lasts in a period, seconds'),
];

export const ASSESSMENTS: readonly Command[] = [
  {
    name: 'assessment',
    summary: 'Judge each day by a preset: met, exceeded, or not assessable',
    words: [UNIT],
    options: [
      ...spanOptions('7d'),
      { name: 'preset', value: 'NAME', help: 'a name of slm assessment presets (eu-lden)' },
      { name: 'area', value: 'NAME', help: 'whose limits count: an area of the preset' },
      { name: 'calendar', value: 'NAME', help: 'holidays' },
      CHANNEL,
      ...SAID_OPTIONS,
    ],
    examples: [
      'slm assessment roof --limits lden:55,night:45',
      'slm assessment roof --preset de-ta-laerm --area WA --tonal 3 --from 2026-11-01 --to 2026-12-01',
    ],
    run: assessment,
  },
  {
    name: 'assessment rules',
    summary: 'Make rules of alerts of the limits of a preset',
    words: [UNIT],
    options: [
      { name: 'preset', value: 'NAME', help: 'a name of slm assessment presets (eu-lden)' },
      { name: 'area', value: 'NAME', help: 'whose limits count: an area of the preset' },
      said('limits', 'your own, dB, by figure: day:55,night:40'),
      { name: 'margin-db', value: 'DB', help: 'so many dB below the limits (0)' },
      { name: 'target', value: 'ID', help: 'targets of the alerts: ids, separated by commas' },
      { name: 'check', help: 'only show them' },
    ],
    examples: ['slm assessment rules roof --preset de-ta-laerm --area WA --margin-db 6 --target 1'],
    run: makeRules,
  },
  {
    name: 'assessment presets',
    summary: 'List the presets of assessments with their areas',
    examples: ['slm assessment presets'],
    run(call) {
      const head = ['name', 'title', 'areas', 'status'];
      return printedRows(call, call.client().assessmentPresets(), head, presetRow, 'No presets.');
    },
  },
  {
    name: 'events',
    summary: 'Find single noise events: above a level, or above the background',
    words: [UNIT],
    options: [
      { name: 'threshold', value: 'DB', help: 'an event is above this level' },
      { name: 'over-background', value: 'DB', help: 'or so much above the LA90 of its quarter of an hour' },
      ...spanOptions('24h'),
      CHANNEL,
      ...TABLE_OPTIONS,
    ],
    examples: ['slm events roof --threshold 70', 'slm events roof --over-background 10 --from 7d --output week.xlsx'],
    run: noiseEvents,
  },
];

const presetRow = ({ name, title, areas, status }: schemas.AssessmentPreset): string[] => [
  ...[name, text(title), areas.map((area) => area.name).join(' '), status],
];

async function assessment(call: CommandCall): Promise<undefined> {
  const facts = SAID_OPTIONS.map(({ name }) => name);
  const given = givenIn(call.options, 'preset', 'area', 'calendar', 'channel', ...facts);
  const span = await spanOf(call, '7d');
  const found = await call.client().assessment(call.words.UNIT ?? '', { ...span, ...given }, call.signal);
  return printed(call, found, () => shownAssessment(found));
}

function shownAssessment({ preset, zone, days, total, notes }: schemas.Assessment): string {
  const rows = days.flatMap(({ date, verdict, figures }) =>
    figures.map((figure, at) => [
      ...[at === 0 ? date : '', at === 0 ? text(verdict).replaceAll('_', ' ') : '', figure.figure],
      ...[level(figure.leq), level(figure.value), level(figure.limit), level(figure.margin), percent(figure.coverage)],
      figure.reasons.map((reason) => harmless(reason)).join(' '),
    ]),
  );
  const head = ['date', 'day', 'figure', 'leq', 'value', 'limit', 'margin', 'coverage', 'why'];
  const { met, exceeded, not_assessable, no_limit } = total;
  return [
    `Days of ${harmless(zone)} by ${harmless(preset)}, dB`,
    table(head, rows, 'No days.'),
    `${met} met, ${exceeded} exceeded, ${not_assessable} not assessable, ${no_limit} without a limit.`,
    ...notes.map((note) => harmless(note)),
  ].join('\n');
}

async function makeRules(call: CommandCall): Promise<undefined> {
  const { options, words } = call;
  const client = call.client();
  const { preset = 'eu-lden' } = options;
  const found = await client.presetRules(String(preset), givenIn(options, 'area', 'limits', 'margin-db'));
  const targets = typeof options.target === 'string' ? options.target.split(',') : [];
  const isMade = options.check !== true && found.rules.length > 0;
  const said = isMade ? await client.addRules(found.rules, [words.UNIT ?? ''], targets) : undefined;
  return printed(call, { ...found, ...said }, () => shownRules(found, said?.message ?? 'No rule is made.'));
}

function shownRules({ rules, left_out, notes }: schemas.PresetRules, message: string): string {
  const rows = rules.map(({ name, quantity, window, limit_db, schedule }) => [
    ...[text(name), quantity, window, level(limit_db)],
    schedule.map(({ from, to }) => `${from}-${to}`).join(' '),
  ]);
  return [
    table(['name', 'quantity', 'window', 'limit', 'times'], rows, 'No rules.'),
    ...left_out.map(({ figure, reason }) => `No rule for ${harmless(figure)}. ${harmless(reason)}`),
    ...notes.map((note) => harmless(note)),
    harmless(message),
  ].join('\n');
}

const MOST = 1_000;

async function noiseEvents(call: CommandCall): Promise<undefined> {
  const { options, terminal, signal } = call;
  const query = {
    ...(await spanOf(call, '24h')),
    ...givenIn(options, 'channel', 'threshold', 'over-background'),
  };
  const path = `${unitPath(call)}/events`;
  const saved = savedTable(call, path, query);
  if (saved) return saved;
  const asked = { query: { ...query, limit: MOST }, signal };
  const { data, next } = await call
    .client()
    .call<{ readonly data: schemas.NoiseEvents; readonly next: string | null }>(path, asked);
  if (next !== null) terminal.note(`Only the first ${MOST} are shown; --output FILE saves all.`);
  return printed(call, data, () => shownEvents(data));
}

function shownEvents({ events, count, lae, coverage, notes }: schemas.NoiseEvents): string {
  const rows = events.map((event) => [
    ...[moment(event.start), `${event.duration_s} s`, level(event.lae), level(event.lmax), moment(event.lmax_at)],
  ]);
  return [
    table(['start utc', 'lasted', 'lae', 'lmax', 'loudest utc'], rows, 'No events.'),
    `${counted(count, 'event')}, LAE ${level(lae)} dB; ${percent(coverage ?? 0)} of this time was measured.`,
    ...notes.map((note) => harmless(note)),
  ].join('\n');
}
