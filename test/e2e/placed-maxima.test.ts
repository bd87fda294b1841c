/**
 * A loud event at the edge of an interval, through every public door. An import of rows of 15 minutes, each a second early as a meter's
 * clock makes them, and one of them with an Lmax of 110 dB. Where it is known to have been: from 06:59:59 to 07:14:59.
 */
import t from 'tap';
import { openWorld } from '../support/world.ts';

const DAY = Date.UTC(2025, 11, 20);
const ROWS = 96;
const LOUD = 28;
const iso = (ms: number) => new Date(ms).toISOString();

t.test('a maximum at the edge of an interval never vanishes', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { timezone: 'UTC' });
  const lines = Array.from({ length: ROWS }, (_, index) =>
    [iso(DAY - 1_000 + index * 900_000), 900, 60, index === LOUD ? 110 : 75, index === LOUD ? 20 : 50, 90].join(),
  );
  await world.bring(lines, 'leq,lmax,lmin,lpeak');
  const span = (fromHour: number, toHour: number) =>
    `from=${iso(DAY + fromHour * 3_600_000)}&to=${iso(DAY + toHour * 3_600_000)}`;
  const rowsOf = async (query: string) => {
    const { data } = (await world.get(`/sim-1/history?${query}`)).body;
    return data.rows.map((row: unknown[]) =>
      Object.fromEntries(data.columns.map((name: string, i: number) => [name, row[i]])),
    );
  };

  await t.test('rows have the bound', async (t) => {
    const quarters = await rowsOf(`${span(6.5, 7.5)}&step=15m`);
    const certain = { lmax: null, lmax_bound: 75, lmin_bound: 50, lpeak_bound: 90 };
    const bound = { lmax: null, lmin: null, lmax_bound: 110, lmin_bound: 20, coverage: 1 };
    t.match(quarters, [certain, bound, bound, certain]);
    t.match(await rowsOf(`${span(6, 8)}&step=30m`), [{ lmax: 75 }, bound, bound, { lmax: 75 }]);
    t.match(await rowsOf(`${span(6, 8)}&step=1h`), [bound, bound]);
    t.match(
      await rowsOf(`${span(0, 24)}&step=1d`),
      [{ lmax: 110, lmax_bound: null, lmin: 20 }],
      'of the day it is certain',
    );
    const { body } = await world.get(`/sim-1/history?${span(6, 8)}&step=1h`);
    t.match(body.data.notes, [/whose row is not certain is null/]);
    const named = await rowsOf(`${span(6, 8)}&step=1h&quantities=leq,lmax_bound`);
    t.match(named, [{ leq: 60, lmax_bound: 110 }, { lmax_bound: 110 }]);
    t.notOk('lmax' in named[0]);
  });

  await t.test('CSV, which can be imported again', async (t) => {
    const { body: csv } = await world.get(`/sim-1/history?${span(6, 8)}&step=1h&format=csv`);
    t.match(
      csv,
      /^start,duration_s,leq,lmax,lmin,lpeak,l10,l50,l90,coverage,quality,source,lmax_bound,lmin_bound,lpeak_bound,excluded_s\r\n/,
    );
    t.match(csv, /T06:00:00Z,3600,60,,,90,,,,1,measured,import,110,20,,0\r\n/);
    await world.put('/copy/config', { host: '192.0.2.1', tcp_enabled: false, timezone: 'UTC' });
    const again = await world.ask('POST', '/copy/history/import', {
      raw: csv,
      headers: { 'Content-Type': 'text/csv' },
    });
    t.equal(again.status, 202);
  });

  await t.test('days have the bound', async (t) => {
    const { data } = (await world.get(`/sim-1/indices?${span(0, 24)}`)).body;
    t.match(data.days, [{ date: '2025-12-20', lmax: 110, lmax_bound: null, coverage: { all: 0.999 } }]);
    const half = (await world.get(`/sim-1/indices?${span(0, 12)}`)).body.data;
    t.match(half.days, [{ lmax: 110 }], 'a span that cuts the day holds the row, too');
  });

  await t.test('the report marks the bound', async (t) => {
    const { body: page } = await world.get(`/sim-1/report?${span(6, 7)}&limit_db=50&limit_step=15m`);
    t.match(page, /≤ 110\.0/);
    t.match(page, /≤ and ≥ are bounds/);
    t.match(page, /class="light dotted" d="M/, 'the chart too');
    const whole = (await world.get(`/sim-1/report?${span(0, 24)}`)).body;
    t.notMatch(whole, /≤ 110/, 'of the whole day it is certain');
  });

  await t.test('a rule on Lmax does not stay silent, and its event says that it is a bound', async (t) => {
    const rule = {
      name: 'Loud',
      units: ['sim-1'],
      kind: 'level',
      quantity: 'lmax',
      window: '15m',
      limit_db: 100,
      continue: false,
    };
    const previewed = async (more: object, from = 0, to = 24) => {
      const body = { rule: { ...rule, ...more }, from: iso(DAY + from * 3_600_000), to: iso(DAY + to * 3_600_000) };
      return (await world.post('/_alerts/rules/preview', body)).body.data;
    };
    const found = await previewed({});
    t.match(found, [
      { window_from: iso(DAY + 6.75 * 3_600_000), worst: 110, worst_is_bound: true },
      { window_from: iso(DAY + 7 * 3_600_000), worst: 110, worst_is_bound: true },
    ]);
    t.equal(found.length, 2, 'both windows that it may belong to, and no other');
    t.match(
      await previewed({ window: '8h' }),
      [{ worst: 110, worst_is_bound: false }],
      'a window that holds the row is certain',
    );
    t.match(await previewed({ align: 'sliding' }), [{ worst: 110, worst_is_bound: false }]);
    t.match(await previewed({ align: 'sliding', window: '5m' }), [{ worst: 110, worst_is_bound: true }]);
    t.match(await previewed({ quantity: 'lpeak', limit_db: 89 }, 6, 7), [{ worst_is_bound: true }]);
    t.strictSame(await previewed({ limit_db: 110 }), [], 'a bound that meets the limit does not exceed it');
    t.match(await previewed({}, -24, 72), [{ worst_is_bound: true }, { worst_is_bound: true }], 'by the minute, too');
  });
});
