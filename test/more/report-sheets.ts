/** Workbooks of reports and of events, as another library reads them: numbers are numbers, times are dates, and texts stay texts. */

import readSheets from 'read-excel-file/node';
import t from 'tap';
import { address, importHours, SPANS } from '../support/reports.ts';
import { type Json, openWorld, type World } from '../support/world.ts';

const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
/** Names that a spreadsheet would run, or read as a control character. Also names that a careless table of names already has. */
const NAMES = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '_x000D_ _x003D_1',
  'constructor',
  '__proto__',
  '<b>&"\'</b> 騒音',
];

async function bytesOf(world: World, path: string): Promise<Buffer> {
  const response = await fetch(`${world.base}${path}`);
  if (response.status !== 200) throw new Error(`${path} answered ${response.status} ${await response.text()}`);
  if (response.headers.get('content-type') !== TYPE) throw new Error(`it is ${response.headers.get('content-type')}`);
  return Buffer.from(await response.arrayBuffer());
}

interface ReadSheet {
  readonly sheet: string;
  readonly data: readonly (readonly unknown[])[];
}

/** The serial numbers of a spreadsheet have 15 digits: a time is read to a part of a millisecond. */
const read = async (bytes: Buffer): Promise<readonly ReadSheet[]> =>
  (await readSheets(bytes)).map(({ sheet, data }) => ({
    sheet,
    data: data.map((row) =>
      row.map((cell) => (cell instanceof Date ? new Date(Math.round(cell.getTime() / 10) * 10) : cell)),
    ),
  }));

const rowsOf = (sheets: readonly ReadSheet[], name: string) => sheets.find(({ sheet }) => sheet === name)?.data ?? [];

t.test('a report as a workbook has the tables of the report, a sheet for each', async (t) => {
  const world = await openWorld(t);
  await importHours(world, ...SPANS['the week in which the clocks go back']);
  const span = SPANS['the week in which the clocks go back'];
  for (const [n, text] of NAMES.filter((name) => !name.includes('\t')).entries()) {
    // The hour that comes twice: the clock shows 02:30 both times.
    const from = n === 0 ? '2025-10-26T00:30:00Z' : `2025-10-2${n % 5}T12:${10 + n}:00Z`;
    const to = n === 0 ? '2025-10-26T01:30:00Z' : `2025-10-2${n % 5}T12:${11 + n}:00Z`;
    const made = await world.post('/sim-1/notes', { from, to, kind: 'exclusion', reason: 'rain', text });
    t.equal(made.status, 201, JSON.stringify(made.body));
  }
  const query = `${address(span, '&limits=lden:58&lang=de')}`;
  const report: Json = (await world.get(query)).body.data;
  const bytes = await bytesOf(world, `${query}&format=xlsx`);
  t.ok(bytes.equals(await bytesOf(world, `${query}&format=xlsx`)), 'the same bytes again');
  const sheets = await read(bytes);
  const tablesOf = (sections: readonly Json[]) =>
    sections.flatMap(({ blocks }: Json) => blocks.filter(({ block }: Json) => block === 'table'));
  const tables = tablesOf(report.units[0].sections);
  // The first sheet is the text, the next ones have the tables of the first page.
  t.equal(sheets.length, 1 + tablesOf([report.overview]).length + tables.length);
  t.equal(sheets[0]?.sheet, 'Bericht');
  t.ok(
    sheets[0]?.data.some(([, , text]) => text === report.period),
    'it says the span and its zone',
  );
  for (const { name, columns, rows } of tables) {
    const [head = [], ...lines] = rowsOf(sheets, name.slice(0, 31));
    t.equal(lines.length, rows.length, name);
    t.strictSame(
      head.filter((title) => title !== 'UTC-Abstand'),
      columns.map(({ title }: Json) => title),
      name,
    );
    for (const [n, row] of rows.entries()) {
      const expected = columns.flatMap(({ kind }: Json, at: number) => {
        const cell = row[at];
        if (kind === 'time' && /T/.test(cell)) return [new Date(`${cell.slice(0, 19)}Z`), cell.slice(-6)];
        if (kind === 'time') return [cell, null];
        if (kind === 'date' && /^\d{4}-/.test(cell)) return [new Date(cell)];
        return [cell === '' ? null : cell];
      });
      t.strictSame(lines[n], expected, `${name} ${n}`);
    }
  }
  const excluded = rowsOf(sheets, tables.find(({ name }: Json) => name === 'Ausschlüsse').name);
  const texts = excluded.map((row) => String(row.find((cell) => NAMES.includes(String(cell)))));
  t.strictSame(
    texts.slice(1).toSorted(),
    NAMES.filter((name) => !name.includes('\t')).toSorted(),
    'texts are as they were entered',
  );
  const twice = excluded.find((row) => row.includes('=1+1'));
  t.strictSame(twice?.slice(1, 5), [
    new Date('2025-10-26T02:30:00Z'),
    '+02:00',
    new Date('2025-10-26T02:30:00Z'),
    '+01:00',
  ]);
});

t.test('several units have sheets of their own, whose names are short and differ', async (t) => {
  const world = await openWorld(t, { meters: 3 });
  const [from, to] = SPANS['a week'];
  const sheets = await read(
    await bytesOf(world, address([from, to], '&format=xlsx').replace('sim-1', 'sim-1,sim-2,sim-3')),
  );
  const names = sheets.map(({ sheet }) => sheet);
  t.equal(new Set(names.map((name) => name.toLowerCase())).size, names.length);
  t.strictSame(
    names.filter((name) => name.length > 31 || /[[\]:*?/\\]/.test(name)),
    [],
  );
  t.equal(names.filter((name) => name.startsWith('sim-2 ')).length, (names.length - 2) / 3);
});

t.test('events as a workbook: all of them, their names as they are', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { history: 'stream', timezone: 'UTC' });
  const names = NAMES.filter((name) => !name.includes('\t'));
  for (const name of names) {
    const rule = {
      name,
      units: ['sim-1'],
      kind: 'level',
      quantity: 'leq',
      window: '1m',
      limit_db: 40,
      continue: false,
    };
    const made = await world.post('/_alerts/rules', rule);
    t.equal(made.status, 201, JSON.stringify(made.body));
  }
  world.meter.instrument.play({ steadyDb: 90 });
  const events = async (): Promise<Json[]> => (await world.get('/_alerts/events?limit=1000')).body.data;
  const passUntil = async (holds: (all: Json[]) => boolean) => {
    while (!holds(await events())) await world.pass(2_000);
  };
  await passUntil((all) => all.length >= names.length);
  world.meter.instrument.play({ steadyDb: 30 });
  await passUntil((all) => all.every(({ lae }) => lae !== null));
  const all = await events();
  const bytes = await bytesOf(world, '/_alerts/events?format=xlsx');
  const [sheet] = await read(bytes);
  const [head = [], ...lines] = sheet?.data ?? [];
  t.equal(lines.length, all.length);
  const cell = (line: readonly unknown[], name: string) => line[head.indexOf(name)];
  for (const event of all) {
    const line = lines.find((one) => cell(one, 'id') === event.id) ?? [];
    for (const name of ['unit_id', 'rule_name', 'limit', 'lae', 'worst', 'detail'])
      t.equal(cell(line, name), event[name], name);
    t.strictSame(cell(line, 'opened_at'), new Date(event.opened_at));
    t.equal(cell(line, 'opened_at offset'), '+00:00');
  }
  t.strictSame(new Set(lines.map((line) => cell(line, 'rule_name'))), new Set(names));
  const none = await read(await bytesOf(world, '/_alerts/events?format=xlsx&to=2001-01-01T00:00:00Z'));
  t.equal(none[0]?.data.length, 1, 'without events the head alone');
});

t.test('noise events as CSV and as a workbook: all of them, and what may be missing', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { timezone: 'Europe/Berlin' });
  const day = Date.UTC(2025, 11, 21);
  const time = (second: number) => new Date(day + second * 1_000).toISOString();
  // Ten seconds of 80 dB at each quarter of an hour; after two hours nothing is measured.
  const lines = Array.from(
    { length: 7_200 },
    (_, n) => `${time(n)},1,${n % 900 < 10 ? 80 : 50},${n % 900 < 10 ? 85 : 55}`,
  );
  await world.bring(lines);
  const path = (to: number, more: string) => `/sim-1/events?from=${time(0)}&to=${time(to)}&threshold=60${more}`;
  const { data } = (await world.asked('GET', path(7_200, '&limit=1000'))).body;
  t.equal(data.events.length, 8);

  const csv = await world.asked('GET', path(7_200, '&format=csv&limit=1'));
  t.match(csv.headers.get('content-type'), /^text\/csv/);
  t.match(csv.headers.get('content-disposition'), /noise-events_sim-1_2025-12-21\.csv/);
  const [head = '', ...rest] = String(csv.body).trimEnd().split('\r\n');
  const cells = rest.map((line) => Object.fromEntries(head.split(',').map((name, n) => [name, line.split(',')[n]])));
  const fields = ['start', 'end', 'duration_s', 'lae', 'lae10', 'lmax', 'lmax_at', 'threshold', 'missing_s'];
  const wanted = data.events.map((event: Json) =>
    Object.fromEntries(fields.map((name) => [name, String(event[name])])),
  );
  t.match(cells, wanted, 'each field as the API has it, whatever the limit of a page');
  t.ok(cells.every(({ note, unit_id }) => note === '' && unit_id === 'sim-1'));
  const german = String((await world.asked('GET', path(7_200, '&format=csv-de'))).body).split('\r\n');
  t.match(german[0], /^\ufeffunit_id;start;/);

  const [sheet] = await read(await bytesOf(world, path(7_200, '&format=xlsx')));
  const [titles = [], ...rows] = sheet?.data ?? [];
  const cell = (row: readonly unknown[] | undefined, name: string) => row?.[titles.indexOf(name)];
  t.equal(rows.length, 8);
  t.strictSame(cell(rows[1], 'start'), new Date('2025-12-21T01:15:00Z'), 'by the clock of the unit');
  t.equal(cell(rows[1], 'start offset'), '+01:00');
  for (const name of ['lae', 'lmax', 'duration_s']) t.equal(cell(rows[1], name), data.events[1][name], name);

  // Half of the time was not measured.
  const half = String((await world.asked('GET', path(14_400, '&format=csv'))).body).split('\r\n');
  t.equal(half[1], `sim-1,${time(0)},${time(14_400)},14400,,,,,,,Only 50 % of this time was measured.`);
  const unknown = path(7_200, '&format=csv').replace('threshold=60', 'over_background=10');
  t.match((await world.asked('GET', unknown)).body, /,"The LN90 of some quarters of an hour is not known/);
  const [partly] = await read(await bytesOf(world, path(14_400, '&format=xlsx')));
  t.match(partly?.data[1]?.at(-1), /^Only 50 % /);
  t.equal((await world.asked('GET', path(7_200, '&format=pdf'))).status, 422);
});
