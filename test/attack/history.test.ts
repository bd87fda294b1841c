/** The keyed of the history: files that are no CSV, spans and steps without end, cells that a spreadsheet would run, callers who leave. */
import { connect } from 'node:net';
import t from 'tap';
import { cpuOfOthers } from '../support/cpu.ts';
import { openWorld, type World } from '../support/world.ts';

const HEADER = 'start,duration_s,leq';
const DAY = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';

const send = (world: World, raw: string, headers: Record<string, string> = {}, query = '') =>
  world.ask('POST', `/sim-1/history/import${query}`, { raw, headers: { 'Content-Type': 'text/csv', ...headers } });
const rowsOf = async (world: World, query = DAY) =>
  (await world.get(`/sim-1/history?${query}&step=1h`)).body.data.rows.filter(
    ([, leq]: [string, number | null]) => leq !== null,
  );

t.test('a row with an impossible level does not count, and the answer names its line', async (t) => {
  const world = await openWorld(t);
  const rows = ['2026-01-01T00:00:00Z,3600,54.325', '2026-01-01T01:00:00Z,3600,243'];
  const { status, body } = await send(world, [HEADER, ...rows].join('\n'));
  t.equal(status, 202);
  t.equal(
    body.message,
    '1 row was imported into the history of sim-1. 1 row was left out: line 3 has leq 243 dB, which is not from -20 to 160 dB.',
  );
  t.match(body.left_out, [{ path: '/line/3', message: /243/ }]);
  const kept = await rowsOf(world);
  t.match([kept.length, kept[0]?.[1]], [1, 54.33], 'half of a hundredth is rounded away from zero');
});

t.test('an import is all or nothing, and its error names the line', async (t) => {
  const world = await openWorld(t);
  const good = '2026-01-01T00:00:00Z,3600,50.5';
  for (const [lines, at, message] of [
    [[''], 1, /is empty/],
    [['start,leq', good], 1, /no column duration_s/],
    [[`${HEADER},evil`, good], 1, /unknown column/],
    [[`${HEADER},leq`, good], 1, /twice/],
    [[HEADER, good, '2026-01-01T01:00:00,3600,50'], 3, /offset/],
    [[HEADER, good, '2026-01-01T01:00:00.5Z,3600,50'], 3, /full second/],
    [[HEADER, good, '2026-02-30T01:00:00Z,3600,50'], 3, /does not exist/],
    [[HEADER, good, '2026-01-01T01:00:00Z,0,50'], 3, /duration_s/],
    [[HEADER, good, '2026-01-01T01:00:00Z,86401,50'], 3, /duration_s/],
    [[HEADER, good, '2026-01-01T01:00:00Z,1e9,50'], 3, /duration_s/],
    [[HEADER, good, '2026-01-01T01:00:00Z,3600,NaN'], 3, /no level/],
    [[HEADER, good, '2026-01-01T01:00:00Z,3600,1e999'], 3, /no level/],
    [[HEADER, good, '2026-01-01T01:00:00Z,3600,999'], 3, /no level/],
    [[HEADER, good, '2026-01-01T01:00:00Z,3600,=1+1'], 3, /no level/],
    [[HEADER, good, '2026-01-01T01:00:00Z,3600'], 3, /2 cells/],
    [[HEADER, good, '2026-01-01T00:30:00Z,3600,50'], 3, /overlap/],
    [[HEADER, good, 'x'.repeat(10_000)], 3, /longer/],
    [[HEADER, good, `2026-01-01T01:00:00Z,3600,"${'\u0000'}"`], 3, /no level/],
  ] as const) {
    const { status, body } = await send(world, lines.join('\r\n'));
    t.match(
      { status, body },
      { status: 422, body: { errors: [{ path: `/line/${at}`, message }] } },
      JSON.stringify(lines).slice(0, 80),
    );
  }
  t.strictSame(await rowsOf(world), [], 'and nothing of all that is kept');

  const done = await send(
    world,
    `\ufeff${HEADER},l10,l90\n${good},55,45\n"2026-01-01T02:00:00+01:00",3600,60,,\n2026-01-01T05:00:00Z,3600,,,\n`,
  );
  t.match(done, { status: 202, body: { status: 'ok', message: /^2 rows/ } });
  const job = await world.get(String(done.headers.get('location')).replace('/api/nl43', ''));
  t.match(job.body.data, {
    kind: 'history-import',
    unit_id: 'sim-1',
    state: 'done',
    result: { rows: 2, from: /Z$/, to: /Z$/ },
  });
  const rows = await rowsOf(world);
  t.match(rows, [
    ['2026-01-01T00:00:00Z', 50.5, null, null, null, 55, null, 45, 1, 'measured', 'import'],
    ['2026-01-01T01:00:00Z', 60, null, null, null, null, null, null, 1, 'measured', 'import'],
  ]);
  const twice = await send(world, `${HEADER}\n${good}\n`);
  t.match(
    twice,
    { status: 422, body: { errors: [{ path: '/line/2', message: /overlap/ }] } },
    'nothing is written over',
  );
});

t.test('what the gateway gives as CSV it takes again, and no row has become prettier', async (t) => {
  const world = await openWorld(t);
  await send(world, `${HEADER},coverage\n2026-01-01T00:00:00Z,3600,50.5,0.25\n`);
  const [row] = await rowsOf(world);
  t.equal(row.at(-3), 0.25, 'a quarter of the time had data');
  const { body } = await world.get(`/sim-1/history?${DAY}&step=1h&format=csv-de&local_time=true`);
  t.match(String(body), /^\ufeffstart;/, 'a byte order mark, which is taken again');
  const c = '?frequency_weighting=C&time_weighting=S';
  t.match(await send(world, String(body), {}, c), { status: 202, body: { message: /^1 row was/ } });
  const again = await rowsOf(world, `${DAY}&frequency_weighting=C&time_weighting=S`);
  t.strictSame(again, [row]);
});

t.test('a file that is too large, compressed or no CSV is refused before it is read', async (t) => {
  const world = await openWorld(t, { settings: { plugin_settings: { history: { import_mb: 1 } } } });
  t.match(await send(world, 'x', { 'Content-Type': 'text/plain' }), { status: 415 });
  t.match(await send(world, 'x', { 'Content-Type': 'application/json' }), { status: 415 });
  t.match(await send(world, 'x', { 'Content-Encoding': 'gzip' }), { status: 415, body: { detail: /compressed/ } });
  t.match(await send(world, 'x'.repeat(1_000_001)), { status: 413, body: { code: 'BODY_TOO_LARGE' } });
  const lines = `${HEADER}\n${'2026-01-01T00:00:00Z,3600,\n'.repeat(60_000)}`;
  t.match(await endless(world, lines), /^HTTP\/1.1 413 /, 'also where its length was not told');
  t.match(await send(world, Buffer.from([0xff, 0xfe, 0x00]).toString('latin1')), { status: 422 });
  t.equal((await world.get('/sim-1/status')).status, 200);
});

/** Sends chunks of this text until there is an answer, or for 20 MB. */
function endless(world: World, text: string): Promise<string> {
  const { port, pathname } = new URL(world.base);
  return world.passing(
    new Promise((resolve) => {
      const socket = connect(Number(port), '127.0.0.1');
      let sent = 0;
      let answer = '';
      const chunk = `${text.length.toString(16)}\r\n${text}\r\n`;
      const more = () => {
        if (answer !== '' || sent > 20_000_000) return;
        sent += chunk.length;
        socket.write(chunk, () => setImmediate(more));
      };
      socket.on('data', (data) => {
        answer += data;
        socket.destroy();
        resolve(answer);
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(answer));
      socket.write(
        `POST ${pathname}/sim-1/history/import HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n`,
      );
      more();
    }),
  );
}

t.test('a caller who leaves in the middle of an import leaves nothing behind', async (t) => {
  const world = await openWorld(t);
  const { port, pathname } = new URL(world.base);
  const socket = connect(Number(port), '127.0.0.1');
  const begin = `${HEADER}\n2026-01-01T00:00:00Z,3600,50\n`;
  socket.write(
    `POST ${pathname}/sim-1/history/import HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: text/csv\r\nContent-Length: 100000\r\n\r\n${begin}`,
  );
  const state = async () => (await world.get('/_jobs?kind=history-import')).body.data[0]?.state;
  while ((await state()) !== 'running') await world.pass(50);
  socket.destroy();
  while ((await state()) === 'running') await world.pass(50);
  t.equal(await state(), 'failed');
  t.strictSame(await rowsOf(world), []);
  t.equal((await send(world, begin)).status, 202, 'and the next one is taken');
});

t.test('spans and steps without end are refused, or bounded', async (t) => {
  const world = await openWorld(t);
  const ages = 'from=1970-01-01T00:00:00Z&to=9970-01-01T00:00:00Z';
  for (const path of [
    `history?${ages}&step=1s`,
    `history?${ages}&step=1s&format=csv`,
    `history?${ages}&step=1m&format=csv`,
    `history?${ages}&step=1d`,
    `indices?${ages}`,
    `report?${ages}`,
    `history?${DAY}&quantities=${'leq,'.repeat(500)}`,
    `history?from=NaN&to=1e999`,
    `history?from=${encodeURIComponent('2026-01-01T00:00:00Z\r\nX: y')}&to=2026-01-02T00:00:00Z`,
  ]) {
    const { status, body } = await world.get(`/sim-1/${path}`);
    t.match({ status, body }, { status: 422, body: { code: 'INVALID' } }, path.slice(0, 90));
  }
  const all = Array.from({ length: 99 }, (_, index) => `l${String(index + 1).padStart(2, '0')}`).join(',');
  t.equal((await world.get(`/sim-1/history?${DAY}&step=1h&quantities=${all}`)).status, 200, 'all percentiles at once');
  t.equal((await world.get('/sim-1/status')).status, 200);
});

t.test('a query that is abandoned midway stops its work, and the next one is answered', async (t) => {
  const world = await openWorld(t);
  const { port, pathname } = new URL(world.base);
  const year = 'from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z&step=1m&format=csv';
  const before = world.log.length;
  for (let count = 0; count < 5; count++) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET ${pathname}/sim-1/history?${year} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
  }
  t.match(await world.get(`/sim-1/history?${DAY}&step=1h`), { status: 200 });
  t.ok((await cpuOfOthers(200)) < 100, 'the work on them has ended');
  t.notOk(
    world.log.slice(before).some((line) => line.includes('"level":"error"')),
    'and no fault is logged',
  );
});
