import t from 'tap';
import { EXTREMES, KEPT, levelsBy } from '../../../lib/domain/quantities.ts';
import {
  autoStep,
  type Columns,
  cellsOf,
  clockOf,
  columnsOf,
  csvHeader,
  csvLine,
  csvRow,
  headerOf,
  rowsOver,
  workbook,
} from '../../../lib/domain/tables/index.ts';
import type { HistoryRow } from '../../../lib/history/contract.ts';

const at = (text: string) => Date.parse(text);
const FROM = at('2026-06-15T12:00:00Z') / 1_000;

const rowOf = (known: Partial<HistoryRow> = {}): HistoryRow => ({
  ...levelsBy(KEPT, () => null),
  from: FROM,
  to: FROM + 900,
  leq: 54.314,
  lmax: 71.2,
  bounds: levelsBy(EXTREMES, () => null),
  lmaxAt: FROM + 5,
  lmin: 41,
  lpeak: 88.3,
  lp: null,
  ln: [57.1, 44.949],
  measured: 900,
  readings: 0,
  flagged: { over: 0, under: 0, frozen: 0, implausible: 0, weighting: 0 },
  sources: ['stream'],
  resolution: 1,
  ...known,
});

const columns = (list: string): Columns => {
  const found = columnsOf(list);
  if ('unknown' in found) throw new Error(found.unknown);
  return found;
};

t.test('any percentile from l01 to l99 is a column, in the order that was asked for', async (t) => {
  const asked = columns('L90, leq,l10,leq');
  t.strictSame(asked, { quantities: ['l90', 'leq', 'l10'], percentiles: [10, 90], bounds: [] });
  t.strictSame(headerOf(asked), ['start', 'l90', 'leq', 'l10', 'coverage', 'quality', 'source']);
  t.strictSame(cellsOf(rowOf(), asked), ['2026-06-15T12:00:00Z', 44.95, 54.31, 57.1, 1, 'measured', 'stream']);
  for (const wrong of ['l00', 'l100', 'l5', 'lxeq', '', 'leq,', '__proto__', 'toString']) {
    t.ok('unknown' in columnsOf(wrong), wrong);
  }
});

t.test('coverage is rounded down: one missing frame is never a whole', async (t) => {
  const coverage = (measured: number) => cellsOf(rowOf({ measured }), columns('leq'))[2];
  t.equal(coverage(900), 1);
  t.equal(coverage(899.9), 0.999);
  t.equal(coverage(0), 0);
  t.equal(coverage(900.1), 1, 'never above one');
});

t.test('a row without data has no level, and says so', async (t) => {
  const empty = rowOf({ leq: null, lmax: null, ln: [null, null], measured: 0, sources: [] });
  t.strictSame(cellsOf(empty, columns('leq,lmax,l10')), ['2026-06-15T12:00:00Z', null, null, null, 0, 'none', null]);
  const sampled = { ...empty, lp: 50, readings: 15, sources: ['poll' as const] };
  t.strictSame(cellsOf(sampled, columns('leq,lp')).slice(1), [null, 50, 0, 'sampled', 'poll']);
  const doubtful = rowOf({ flagged: { over: 5, under: 0, frozen: 5, implausible: 0, weighting: 0 } });
  t.equal(cellsOf(doubtful, columns('leq'))[3], 'flagged');
  t.strictSame(cellsOf(rowOf({ measured: 5.9 }), columns('leq')).slice(1), [54.31, 0.006, 'partial', 'stream']);
});

t.test('CSV is of RFC 4180, or as a German spreadsheet reads it', async (t) => {
  const asked = columns('leq,l10,l90');
  t.equal(csvHeader({ columns: asked, format: 'csv' }), 'start,duration_s,leq,l10,l90,coverage,quality,source\r\n');
  t.equal(
    csvRow(rowOf(), { columns: asked, format: 'csv' }),
    '2026-06-15T12:00:00Z,900,54.31,57.1,44.95,1,measured,stream\r\n',
  );
  t.equal(
    csvRow(rowOf(), { columns: asked, format: 'csv-de' }),
    '2026-06-15T12:00:00Z;900;54,31;57,1;44,95;1;measured;stream\r\n',
  );
  const forPeople = /^\ufeff(unit_id,)?start/;
  t.match(csvHeader({ columns: asked, format: 'csv-de' }), forPeople, 'a byte order mark, for people');
  const symbols = { unitId: 'roof', weightings: { frequency: 'A', time: 'F' } } as const;
  t.match(csvHeader({ columns: asked, format: 'csv', symbols }), forPeople);
  const local = clockOf('Europe/Berlin');
  t.equal(
    csvHeader({ columns: asked, format: 'csv', local }),
    'start,local_time,duration_s,leq,l10,l90,coverage,quality,source,utc_offset\r\n',
  );
  t.match(
    csvRow(rowOf(), { columns: asked, format: 'csv', local: local }),
    /^2026-06-15T12:00:00Z,2026-06-15 14:00:00,900,54\.31,.*,UTC\+02:00\r\n$/,
  );
  const autumn = [0, 3_600, 7_200].map((later) => Object.values(local(at('2026-10-25T00:00:00Z') / 1_000 + later)));
  t.strictSame(
    autumn,
    [
      ['2026-10-25 02:00:00', 'UTC+02:00'],
      ['2026-10-25 02:00:00', 'UTC+01:00'],
      ['2026-10-25 03:00:00', 'UTC+01:00'],
    ],
    'the two equal hours have different offsets',
  );
  t.match(
    csvRow(rowOf(), { columns: asked, format: 'csv', local: clockOf('America/St_Johns') }),
    /,UTC-02:30\r\n$/,
    'which is no formula, either',
  );
  t.equal(csvLine(['a,b', 'c"d', 'e\nf', ';', null, -1.5], 'csv'), '"a,b","c""d","e\nf",";",,-1.5\r\n');
});

t.test('no text cell is a formula of a spreadsheet; a negative level stays a number', async (t) => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1+1', '＋1', '－1', '＠SUM(A1)'])
    t.match(csvLine([text], 'csv'), /^"?'/, text);
  t.equal(csvLine(['=HYPERLINK("http://192.0.2.1","x")'], 'csv'), `"'=HYPERLINK(""http://192.0.2.1"",""x"")"\r\n`);
  t.equal(csvLine([-3.2], 'csv'), '-3.2\r\n');
});

t.test('auto gives the finest step with no more than about a thousand rows', async (t) => {
  const hours = (n: number) => autoStep({ from: 0, to: n * 3_600_000 });
  t.strictSame([0.1, 1, 12, 24, 24 * 7, 24 * 20, 24 * 30, 24 * 365].map(hours), [
    '1s',
    '10s',
    '1m',
    '5m',
    '15m',
    '30m',
    '1h',
    '1d',
  ]);
});

t.test('rows begin on full steps of the local clock, days at local midnight', async (t) => {
  const span = { from: at('2026-06-15T12:07:31Z'), to: at('2026-06-15T13:00:00.5Z') };
  t.strictSame(rowsOver(span, '15m', 'UTC'), {
    from: at('2026-06-15T12:00:00Z') / 1_000,
    to: at('2026-06-15T13:01:00Z') / 1_000,
    step: 900,
  });
  t.strictSame(rowsOver(span, '10s', 'UTC'), {
    from: at('2026-06-15T12:07:30Z') / 1_000,
    to: at('2026-06-15T13:00:01Z') / 1_000,
    step: 10,
  });
  t.match(
    rowsOver(span, '15m', 'Europe/Berlin'),
    rowsOver(span, '15m', 'UTC'),
    'the quarters of most places are those of UTC',
  );
  t.strictSame(rowsOver(span, '1h', 'Asia/Kathmandu'), {
    from: at('2026-06-15T11:15:00Z') / 1_000,
    to: at('2026-06-15T13:01:00Z') / 1_000,
    step: 3_600,
  });
  const howe = { from: at('2026-04-04T14:10:00Z'), to: at('2026-04-04T20:00:00Z') };
  t.strictSame(rowsOver(howe, '1h', 'Australia/Lord_Howe'), {
    from: at('2026-04-04T14:00:00Z') / 1_000,
    to: at('2026-04-04T20:00:00Z') / 1_000,
    step: 3_600,
    restarts: [at('2026-04-04T15:00:00Z') / 1_000, at('2026-04-04T15:30:00Z') / 1_000],
  });
  t.notOk('restarts' in rowsOver(howe, '30m', 'Australia/Lord_Howe'), 'half an hour is a whole step there');
  const seconds = { from: at('1972-01-06T12:00:00Z'), to: at('1972-01-08T00:00:00Z') };
  const liberia = rowsOver(seconds, '15m', 'Africa/Monrovia');
  t.match(liberia, { from: at('1972-01-06T11:59:00Z') / 1_000 }, 'until 1972 its clocks were off by 44 min 30 s');
  const change = { from: at('2026-03-28T12:00:00Z'), to: at('2026-03-30T12:00:00Z') };
  const over = rowsOver(change, '1d', 'Europe/Berlin');
  t.strictSame(
    'ranges' in over && over.ranges.map(({ from, to }) => [new Date(from * 1_000).toISOString(), (to - from) / 3_600]),
    [
      ['2026-03-27T23:00:00.000Z', 24],
      ['2026-03-28T23:00:00.000Z', 23],
      ['2026-03-29T22:00:00.000Z', 14],
    ],
  );
});

t.test('when the reader of a workbook leaves, its thread ends and the workbook rejects with the reason', async (t) => {
  const columns = [{ title: 'Leq', kind: 'level' as const }];
  const sheets = [{ name: 'Levels', columns, rows: Array.from({ length: 50_000 }, (_, index) => [index / 1_000]) }];
  const leaving = new AbortController();
  const work = workbook(sheets, 0, leaving.signal);
  leaving.abort(new Error('the reader has left'));
  await t.rejects(work, { message: 'the reader has left' });
  await t.rejects(workbook(sheets, 0, leaving.signal), { message: 'the reader has left' });
});
