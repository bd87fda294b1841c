/** Records: levels, indices of days, alerts. */
import {
  type AlertEvent,
  type Cell,
  type Day,
  GatewayProblem,
  type Indices,
  quantities,
  type schemas,
} from '../../client/index.ts';
import { CHANNEL, givenIn, UNIT, unitPath } from '../command-line.ts';
import { type Command, type CommandCall, type Option, WrongWords } from '../contract.ts';
import { savedTable, TABLE_OPTIONS, youngest } from '../list.ts';
import {
  counted,
  exactLevel,
  harmless,
  level,
  moment,
  NONE,
  percent,
  printed,
  printedMessage,
  printedRows,
  table,
  text,
} from '../output.ts';
import { spanOf, spanOptions, timeOf, unitZone } from '../times.ts';

const ZONE: Option = {
  name: 'zone',
  value: 'ZONE',
  help: 'zone of the days, such as Europe/Berlin (that of the unit)',
};

export const HISTORY: readonly Command[] = [
  {
    name: 'history',
    summary: 'Show the levels that were recorded',
    words: [UNIT],
    options: [
      ...spanOptions('24h'),
      {
        name: 'step',
        value: 'STEP',
        help: 'length of a row (1h)',
        completion: ['1s', '10s', '1m', '5m', '15m', '30m', '1h', '1d', 'auto'],
      },
      {
        name: 'quantities',
        value: 'A,B',
        help: `of ${quantities.KEPT.join(', ')}, l01 to l99, or with their weighting: laeq,lceq (leq,lmax,l10,l90)`,
      },
      CHANNEL,
      ZONE,
      { name: 'csv', help: 'print CSV as the gateway writes it' },
    ],
    examples: [
      'slm history roof',
      'slm history roof --from 7d --step 1d',
      'slm history roof --quantities laeq,lceq',
      'slm history roof --from 1h --step 1s --csv > hour.csv',
    ],
    run: history,
  },
  {
    name: 'weighting',
    summary: 'Say which weighting the meter had in a span: its levels get it',
    words: [UNIT, { name: 'WEIGHTING' }],
    options: [
      { name: 'from', value: 'TIME', help: 'begin: 10m or 2h ago, a date, or a time with its offset (needed)' },
      { name: 'to', value: 'TIME', help: 'end, not included (now)' },
      { name: 'text', value: 'TEXT', help: 'how you know; it is kept in a note' },
      CHANNEL,
    ],
    examples: [
      'slm weighting roof CF --from 2026-11-21T10:02:00+01:00 --to 2026-11-21T10:07:00+01:00 --text "Log book"',
    ],
    notes: ['WEIGHTING is AF, AS, CF, ZF ...: frequency weighting and time weighting.'],
    run: stateWeighting,
  },
  {
    name: 'indices',
    summary: 'Show the indices of each day: Lden, Ldn or CNEL',
    words: [UNIT],
    options: [
      ...spanOptions('7d'),
      {
        name: 'preset',
        value: 'NAME',
        help: 'periods and penalties (eu)',
        completion: ['eu', 'eu-late', 'it', 'us', 'cnel'],
      },
      {
        name: 'by',
        value: 'WORD',
        help: 'also the mean of each week, month or year',
        completion: ['week', 'month', 'year'],
      },
      CHANNEL,
      ZONE,
    ],
    examples: [
      'slm indices roof',
      'slm indices roof --from 2026-11-01 --to 2026-12-01',
      'slm indices roof --from 30d --preset us',
      'slm indices roof --from 2026-01-01 --to 2027-01-01 --by month',
    ],
    run: indices,
  },
  {
    name: 'alerts',
    summary: 'List the events of alerts, the newest first',
    words: [{ ...UNIT, optional: true }],
    options: [
      { name: 'open', help: 'only open ones' },
      { name: 'from', value: 'TIME', help: 'only later ones: 24h or 7d ago, a date, or a time' },
      ...TABLE_OPTIONS,
    ],
    examples: [
      'slm alerts',
      'slm alerts roof --open',
      'slm alerts --from 30d --output alerts.xlsx',
      'slm ack 12 "Rang the site" --cause Fireworks',
    ],
    run: alerts,
  },
  {
    name: 'ack',
    summary: 'Acknowledge the event of an alert, and say its cause',
    words: [{ name: 'EVENT' }, { name: 'NOTE', optional: true }],
    options: [{ name: 'cause', value: 'TEXT', help: 'what the noise was; it can be changed later' }],
    examples: ['slm ack 12 "Rang the site"', 'slm ack 12 --cause Fireworks'],
    run({ words: { EVENT = '', NOTE = '' }, options, ...call }) {
      return printedMessage(call, call.client().acknowledge(EVENT, NOTE, givenIn(options, 'cause').cause));
    },
  },
];

/** The zone of a date: that of the days, or that of the unit. */
const zoneOf = (call: CommandCall) => {
  const { zone } = call.options;
  return typeof zone === 'string' ? async () => zone : unitZone(call);
};

const QUANTITIES = 'leq,lmax,l10,l90';

async function history(call: CommandCall): Promise<undefined> {
  const { csv } = call.options;
  if (csv === true && call.json) throw new WrongWords('--csv and --json cannot be used together');
  const query = {
    ...(await spanOf(call, '24h', zoneOf(call))),
    step: '1h',
    quantities: QUANTITIES,
    ...givenIn(call.options, 'step', 'quantities', 'channel', 'zone'),
  };
  if (csv === true) {
    const { bytes } = await call
      .client()
      .open(`${unitPath(call)}/history`, { query: { ...query, format: 'csv' }, signal: call.signal });
    const decoder = new TextDecoder();
    try {
      // A piece may end within a letter: its rest comes with the next one.
      for await (const piece of bytes) call.terminal.write(decoder.decode(piece, { stream: true }));
    } catch (error) {
      if (call.signal.aborted) throw error;
      throw new GatewayProblem('NO_GATEWAY', 'The answer of the gateway broke off: the output is not complete.');
    }
    return;
  }
  const found = await call.client().history(call.words.UNIT ?? '', query, call.signal);
  return printed(call, found, () =>
    [
      table(
        found.columns.map((name) => (name === 'start' ? 'start utc' : name)),
        found.rows.map((row) => row.map((cell, at) => shown(cell, found.columns[at] ?? ''))),
        'No rows.',
      ),
      ...found.notes,
    ].join('\n'),
  );
}

function shown(cell: Cell, column: string): string {
  if (column === 'start') return moment(String(cell));
  if (column === 'coverage') return typeof cell === 'number' ? percent(cell) : NONE;
  return typeof cell === 'number' ? level(cell) : text(cell);
}

async function indices(call: CommandCall): Promise<undefined> {
  const query = {
    ...(await spanOf(call, '7d', zoneOf(call))),
    preset: 'eu',
    ...givenIn(call.options, 'preset', 'by', 'channel', 'zone'),
  };
  const found = await call.client().indices(call.words.UNIT ?? '', query, call.signal);
  return printed(call, found, () => daysText(found));
}

const LEVELS = [
  'lday',
  'levening',
  'lnight',
  'lden',
  'ldn',
  'cnel',
  'leq_24h',
  'l90',
  'lmax',
  'lmax_bound',
] as const satisfies readonly (keyof Day)[];

/** Columns that the preset does not fill are left out. */
function daysText({ days, groups, total, preset, zone }: Indices): string {
  const levels = LEVELS.filter((name) => days.some((day) => day[name] !== null));
  const rows = days.map((day) => [
    day.date,
    ...levels.map((name) => exactLevel(day[name])),
    percent(day.coverage.all),
    day.valid ? 'yes' : `no: ${text(day.reason)}`,
  ]);
  const mean: Partial<Record<keyof Day, unknown>> = total.mean_of_days;
  const totals = [
    ['all, by measured time', ...levels.map((name) => exactLevel(total[name])), percent(total.coverage.all), ''],
    ['all, mean of days', ...levels.map((name) => (name in mean ? exactLevel(mean[name]) : '')), '', ''],
  ];
  const grouped = groups.map(({ name, days: count, mean_of_days, standard_error }) => {
    const [means, errors]: Partial<Record<keyof Day, unknown>>[] = [mean_of_days, standard_error];
    const cells = levels.map((level) =>
      means && level in means
        ? `${exactLevel(means[level])}${errors?.[level] === null ? '' : ` ± ${exactLevel(errors?.[level])}`}`
        : '',
    );
    return [`${name}, mean of ${counted(count, 'day')}`, ...cells, '', ''];
  });
  const shown = [...rows, ...grouped, ...(total.days > 1 ? totals : [])];
  return `Days of ${harmless(zone)}, periods ${harmless(preset)}, dB\n${table(['date', ...levels, 'coverage', 'valid'], shown, 'No days.')}`;
}

const WEIGHTING_WORD = /^[ACZ][FSI]$/i;

async function stateWeighting(call: CommandCall): Promise<undefined> {
  const { WEIGHTING: word = '' } = call.words;
  const { from, to, ...more } = givenIn(call.options, 'from', 'to', 'text', 'channel');
  if (!WEIGHTING_WORD.test(word)) throw new WrongWords(`${word} is no weighting: AF, AS, CF, ZF ...`);
  if (from === undefined) throw new WrongWords('--from says since when the meter had this weighting.');
  const [frequency_weighting, time_weighting] = word.toUpperCase();
  const now = call.terminal.now();
  const given = (time: string) => timeOf(time, now, unitZone(call));
  const body = {
    frequency_weighting,
    time_weighting,
    from: await given(from),
    ...(to !== undefined && { to: await given(to) }),
    ...more,
  };
  const path = `${unitPath(call)}/history/weighting`;
  return printedMessage(call, call.client().call<schemas.StateWeightingAnswer>(path, { method: 'POST', body }));
}

async function alerts(call: CommandCall): Promise<undefined> {
  const { open, from } = call.options;
  const query = {
    unit: call.words.UNIT,
    ...(open === true && { open: 'true' }),
    ...(typeof from === 'string' && { from: await timeOf(from, call.terminal.now(), unitZone(call)) }),
  };
  const saved = savedTable(call, '/_alerts/events', query);
  if (saved) return saved;
  const head = ['id', 'severity', 'unit', 'opened', 'closed', 'what'];
  return printedRows(call, youngest<AlertEvent>(call, '/_alerts/events', query), head, alertRow, 'No alerts.');
}

const alertRow = (event: AlertEvent): string[] => [
  event.id,
  event.severity,
  event.unit_id,
  moment(event.opened_at),
  event.closed_at === null ? 'open' : moment(event.closed_at),
  `${text(event.detail)}${event.ack ? ` (acknowledged by ${text(event.ack.by)})` : ''}`,
];
