/** Rows of an import of CSV, and the errors of bad rows. */
import t from 'tap';
import { type IntervalRow, tables } from '../../lib/built-in.ts';
import { GatewayError } from '../../lib/index.ts';
import { type LeftOut, readRows } from '../../plugins/history/import-csv.ts';

const HEADER = 'start,duration_s,leq';
const at = (hour: number) => `2026-01-01T0${hour}:00:00Z`;
const seconds = (hour: number) => Date.UTC(2026, 0, 1, hour) / 1_000;

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function read(
  text: string | Buffer,
  size = 65_536,
  leftOut: LeftOut = { count: 0, rows: [] },
): Promise<IntervalRow[]> {
  const rows: IntervalRow[] = [];
  for await (const page of readRows(inPieces(Buffer.from(text), size), leftOut)) rows.push(...page);
  return rows;
}

t.test('line ends, quotes, spaces and empty lines of every kind; the same in pieces of one byte', async (t) => {
  const text = [
    `\ufeff${HEADER.toUpperCase()},"L10",quality`,
    '',
    `${at(0)}, 3600 ,"50.5",,"a ""word"", and`,
    'more"',
    ` "${at(1)}" ,3600,60,61.5,x"y`,
    `${at(2)},3600,,,`,
  ];
  for (const end of ['\n', '\r\n'])
    for (const size of [1, 65_536]) {
      const rows = await read(text.join(end), size);
      t.match(rows, [
        { at: seconds(0), duration: 3_600, leq: 50.5 },
        { at: seconds(1), leq: 60, ln: { 10: 61.5 } },
      ]);
      t.equal(rows.length, 2, 'a row without levels is a gap');
      t.equal(rows[1]?.line, 5, 'lines are counted as an editor shows them');
    }
});

t.test('semicolons with decimal commas, as a spreadsheet writes them', async (t) => {
  t.match(await read(`start;duration_s;leq\r\n${at(0)};60;50,5\r\n${at(1)};60;51.5\r\n`), [
    { leq: 50.5 },
    { leq: 51.5 },
  ]);
});

t.test('errors name their lines, up to twenty at once', async (t) => {
  const wrong = (line: number, message: RegExp) => ({ code: 'INVALID', errors: [{ path: `/line/${line}`, message }] });
  await t.rejects(read(''), wrong(1, /is empty/));
  await t.rejects(read(`${HEADER}\n${at(0)},60,50,\n`), wrong(2, /4 cells/));
  await t.rejects(read(`${HEADER}\n${at(0)},60,50\n"${at(1)},60,50\n`), wrong(3, /quotation mark/));
  await t.rejects(read(`${HEADER}\n${'x'.repeat(5_000)}`), wrong(2, /longer than 4096/));
  await t.rejects(read('x'.repeat(100_000)), wrong(1, /longer than 4096/));
  const latin = Buffer.from(`${HEADER},quality\n${at(0)},60,50,\n${at(1)},60,50,Z\u00fcrich\n`, 'latin1');
  await t.rejects(read(latin), wrong(1, /UTF-8/));
  const many = Array.from({ length: 30 }, () => `${at(0)},60,loud`).join('\n');
  const error = await read(`${HEADER}\n${many}`).catch((thrown: GatewayError) => thrown);
  const paths = error instanceof GatewayError ? error.errors?.map(({ path }) => path) : [];
  t.match([paths?.length, paths?.[0], paths?.[19]], [20, '/line/2', '/line/21']);
});

t.test('a file that is no CSV of levels is refused with what it is', async (t) => {
  const row = `${at(0)},60,50`;
  const refused = (text: string, line: number, message: RegExp) =>
    t.rejects(read(text), { code: 'INVALID', errors: [{ path: `/line/${line}`, message }] }, String(message));
  await refused(`${HEADER}\n${row}\n`.replaceAll(',', '\t'), 1, /^has tabs between its cells/);
  await refused(`${HEADER}\r${row}\r`, 1, /^ends with CR alone/);
  await refused(`sep=;\n${HEADER}\n${row}\n`.replaceAll(',', ';'), 1, /^is sep=;, which is for spreadsheet programs/);
  await refused('CSV\r\nAddress,Start Time,Leq(Main),\r\n', 1, /^is "CSV": this is a \.rnd file/);
  await refused(`${HEADER}\n`, 2, /the file has one line only/);
  await refused(`${HEADER},Mittelungspegel\n${row},50\n`, 1, /unknown column "Mittelungspegel", number 4/);
});

t.test('a row with a level beyond -20 to 160 dB is left out and named; a file of such rows is refused', async (t) => {
  const leftOut = { count: 0, rows: [] };
  const text = `${HEADER},lmax,l10\n${at(0)},60,50,60,55\n${at(1)},60,243,,\n${at(2)},60,50,160.1,\n${at(3)},60,50,,-21\n`;
  t.match(await read(text, 65_536, leftOut), [{ leq: 50, lmax: 60, ln: { 10: 55 } }]);
  t.same(leftOut, {
    count: 3,
    rows: [
      { path: '/line/3', message: 'has leq 243 dB, which is not from -20 to 160 dB' },
      { path: '/line/4', message: 'has lmax 160.1 dB, which is not from -20 to 160 dB' },
      { path: '/line/5', message: 'has l10 -21 dB, which is not from -20 to 160 dB' },
    ],
  });
  await t.rejects(read(`${HEADER}\n${at(1)},60,243\n`), { errors: [{ path: '/line/2' }] });
});

t.test('a row whose levels contradict each other refuses the file, with line and columns', async (t) => {
  const header = `${HEADER},lmax,lmin,l10,l50,l90`;
  const refused = (cells: string, message: RegExp, duration = 900) =>
    t.rejects(read(`${header}\n${at(0)},900,50,60,40,55,50,45\n${at(1)},${duration},${cells}\n`), {
      errors: [{ path: '/line/3', message }],
    });
  await refused('54,71,70,,,', /^has lmin 70 dB above leq 54 dB: columns may be crossed$/);
  await refused('54,53,40,,,', /leq 54 dB above lmax 53 dB/);
  await refused('54,71,40,50,60,70', /l50 60 dB above l10 50 dB/);
  await refused('54,71,70,,,', /lmin 70/, 1);
  t.equal((await read(`${header}\n${at(0)},900,50,49.9,50.1,50,50.1,50.2\n`)).length, 1, 'a tenth is rounding');
});

t.test('a few rows of a second may have a minimum above the Leq: the time weighting lags', async (t) => {
  const row = (second: number, levels: string) => `2026-01-01T00:00:0${second}Z,1,${levels}`;
  const rows = [row(0, '80,81,79'), row(1, '50,79,60'), row(2, '50,60,50')];
  t.equal((await read(`${HEADER},lmax,lmin\n${rows.join('\n')}\n`)).length, 3);
  await t.rejects(read(`${HEADER},lmin,lmax\n${rows.join('\n')}\n`), { errors: [{ path: '/line/2' }] });
  const swapped = [0, 1, 2].map((second) => row(second, '54,70,50')).join('\n');
  await t.rejects(read(`start,duration_s,lmin,lmax,leq\n${swapped}\n`), { errors: [{ path: '/line/2' }, {}, {}] });
});

t.test('a row that crosses by more than the lag of a time weighting refuses the file', async (t) => {
  const file = (seconds: number, crossed: string) => {
    const rows = Array.from({ length: 60 }, (_, index) => {
      const start = new Date(Date.UTC(2026, 0, 1) + index * seconds * 1_000).toISOString();
      return `${start},${seconds},${index % 10 === 9 ? crossed : '54,70,50'}`;
    });
    return `${HEADER},lmax,lmin\n${rows.join('\n')}\n`;
  };
  const refused = (seconds: number, crossed: string, message: RegExp) =>
    t.rejects(read(file(seconds, crossed)), { errors: [{ path: '/line/11', message }] }, `${seconds} s, ${crossed}`);
  await refused(10, '54,70,64', /^has lmin 64 dB above leq 54 dB: columns may be crossed$/);
  await refused(10, '54,70,57', /^has lmin 57 dB above leq 54 dB/);
  await refused(59, '54,70,55', /lmin/);
  await refused(2, '54,57,56', /lmin/);
  await refused(1, '54,56,55.9', /lmin/);
  await refused(10, '54,53,50', /leq 54 dB above lmax 53 dB/);
  await refused(1, '54,50,49', /lmax/);
  await refused(1, '54,55,57', /lmin 57 dB above/);
  for (const [seconds, levels] of [
    [10, '54,55,54.2'],
    [10, '54,53.6,50'],
    [2, '54,70,64'],
    [1, '54,51,49'],
  ] as const)
    t.equal((await read(file(seconds, levels))).length, 60, `${seconds} s, ${levels}`);
});

for (const [weighting, tau] of [
  ['F', 0.125],
  ['S', 1],
] as const)
  for (const seconds of [1, 2, 10, 30])
    t.test(`rows of ${seconds} s of a right meter with time weighting ${weighting} are never refused`, async (t) => {
      const lines: string[] = [];
      let [mean, state] = [1e6, 7];
      const random = () => {
        state = (state * 48_271) % 2_147_483_647;
        return state / 2_147_483_647;
      };
      let [sound, left] = [1e6, 0];
      for (let row = 0; row < 300; row++) {
        let [sum, most, least] = [0, 0, Number.POSITIVE_INFINITY];
        for (let step = 1; step <= seconds * 100; step++) {
          left -= 1;
          // Now and then a bang, else a calm or a loud time of up to ten seconds.
          if (left <= 0) [sound, left] = [10 ** (2 + 8 * random()), random() < 0.2 ? 5 : 1_000 * random()];
          sum += sound;
          mean = sound + (mean - sound) * Math.exp(-0.01 / tau);
          if (step % 10 === 0) [most, least] = [Math.max(most, mean), Math.min(least, mean)];
        }
        const levels = [sum / (seconds * 100), most, least].map((square) => (10 * Math.log10(square)).toFixed(1));
        const start = new Date(Date.UTC(2026, 0, 1) + row * seconds * 1_000).toISOString();
        lines.push(`${start},${seconds},${levels.join(',')}`);
      }
      t.equal((await read(`${HEADER},lmax,lmin\n${lines.join('\n')}\n`)).length, 300);
    });

t.test('rows come in pages while the file arrives, and nothing more is read when they are not wanted', async (t) => {
  let sent = 0;
  const endless = async function* () {
    yield Buffer.from(`${HEADER}\n`);
    for (; sent < 1_000; sent += 1) yield Buffer.from(`${at(0)},60,50\n`.repeat(500));
  };
  for await (const page of readRows(endless(), { count: 0, rows: [] })) {
    t.equal(page.length, 1_000);
    break;
  }
  t.ok(sent < 100, `${sent} pieces were read`);
});

t.test('a local time counts only with its offset: which of two equal hours is meant is never guessed', async (t) => {
  const header = 'local_time,utc_offset,duration_s,leq';
  const rows = await read(
    `${header}\n2026-10-25 02:00:00,UTC+02:00,3600,50\n2026-10-25 02:00:00,UTC+01:00,3600,60\n2026-10-25T03:00,+01:00,60,70\n2026-10-25 02:31,UTC,60,80\n`,
  );
  const utc = (text: string) => Date.parse(text) / 1_000;
  t.strictSame(
    rows.map(({ at, leq }) => [at, leq]),
    [
      [utc('2026-10-25T00:00:00Z'), 50],
      [utc('2026-10-25T01:00:00Z'), 60],
      [utc('2026-10-25T02:00:00Z'), 70],
      [utc('2026-10-25T02:31:00Z'), 80],
    ],
  );
  const refused = (line: number, message: RegExp) => ({
    code: 'INVALID',
    errors: [{ path: `/line/${line}`, message }],
  });
  await t.rejects(read('local_time,duration_s,leq\n2026-10-25 02:00:00,60,50\n'), refused(1, /no column start/));
  await t.rejects(read(`${header}\n2026-10-25 02:00:00,,60,50\n`), refused(2, /offset/));
  await t.rejects(read(`${header}\n2026-10-25 02:00:00,CET,60,50\n`), refused(2, /offset/));
  await t.rejects(read(`${HEADER}\n2026-10-25 02:00:00,60,50\n`), refused(2, /offset/));
  const both = `start,${header}`;
  t.match(await read(`${both}\n${at(0)},2026-01-01 01:00:00,UTC+01:00,60,50\n`), [{ at: seconds(0) }]);
  t.match(
    await read(`${both}\n${at(0)},1.1.2026 01:00,UTC+01:00,60,50\n`),
    [{ at: seconds(0) }],
    'a spreadsheet wrote it anew',
  );
  await t.rejects(read(`${both}\n${at(0)},2026-01-01 02:00:00,UTC+01:00,60,50\n`), refused(2, /not the same time/));
});

t.test('the gateway reads its own CSV with local times, also the hour that comes twice', async (t) => {
  const columns = tables.columnsOf('leq');
  if ('unknown' in columns) throw new Error('no column');
  const empty = {
    bounds: { lmax: null, lmin: null, lpeak: null },
    lieq: null,
    lmax: null,
    lmaxAt: null,
    lmin: null,
    lpeak: null,
    lp: null,
    ln: [],
    readings: 0,
    resolution: 1,
  };
  const begin = Date.UTC(2026, 9, 25) / 1_000;
  const rows = [0, 1, 2].map((hour) => ({
    from: begin + hour * 3_600,
    to: begin + (hour + 1) * 3_600,
    leq: 50 + hour,
    measured: 3_600,
    ...empty,
    flagged: { over: 0, under: 0, frozen: 0, implausible: 0, weighting: 0 },
    sources: ['stream' as const],
  }));
  for (const format of ['csv', 'csv-de'] as const) {
    const local = tables.clockOf('Europe/Berlin');
    const lines = rows.map((row) => tables.csvRow(row, { columns, format, local }));
    const text = tables.csvHeader({ columns, format, local }) + lines.join('');
    const wanted = rows.map(({ from, leq }) => ({ at: from, duration: 3_600, leq }));
    t.match(await read(text), wanted);
    const separator = format === 'csv' ? ',' : ';';
    const withoutStart = text.replaceAll(new RegExp(`^[^${separator}\\r\\n]+${separator}`, 'gm'), '');
    t.match(await read(withoutStart), wanted, 'also without its first column');
  }
});
