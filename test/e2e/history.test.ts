/** From the meter to the rows: what is recorded of a stream and of readings, and how it is given out. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

const iso = (ms: number) => new Date(ms).toISOString();
const seconds = (ms: number) => Math.floor(ms / 1_000) * 1_000;

t.test(
  'a gateway that dies while it asks which meter it is does not block the stream of the next gateway',
  async (t) => {
    const world = await openWorld(t);
    await world.put('/sim-1/config', { history: 'stream' });
    const held = new Set<string>();
    while (!world.meter.log.commands.includes('Serial Number?')) {
      await world.pass(20);
      const { reservation, waiting } = (await world.get('/sim-1/session')).body.data;
      for (const each of [reservation, ...waiting]) if (each) held.add(each.operation);
    }
    t.strictSame([...held].filter((operation) => /type|serial/i.test(operation)).toSorted(), [
      'Serial Number?',
      'Type?',
    ]);
  },
);

t.test('a stream is recorded from the config on, and an interruption is a gap with its reason', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { history: 'stream', timezone: 'Europe/Berlin' });
  const asked = world.clock.now();
  const hasStream = () => world.meter.log.commands.some((command) => command.startsWith('DRD?'));
  await world.until('the stream', hasStream);
  t.ok(world.clock.now() - asked < 10_000, 'the stream begins soon');
  // The serial number for reports comes between frames; the seconds that are asked for below begin after that.
  await world.until('the serial number', () => world.meter.log.commands.includes('Serial Number?'));
  await world.pass(12_000);
  // Rows are written by the clock of the computer and not by the clock of the test.
  await world.gateway.history.flush();
  const end = seconds(world.clock.now()) - 4_000;
  const ask = (query: string) => world.get(`/sim-1/history?from=${iso(end - 5_000)}&to=${iso(end)}&${query}`);

  const { status, body, headers } = await ask('step=1s&quantities=leq,lmax,l10');
  t.equal(status, 200);
  t.match(body.data, {
    unit_id: 'sim-1',
    from: iso(end - 5_000).replace('.000', ''),
    to: iso(end).replace('.000', ''),
    step_s: 1,
    zone: 'Europe/Berlin',
    weighting: { frequency: 'A', time: 'F' },
    columns: ['start', 'leq', 'lmax', 'l10', 'coverage', 'quality', 'source'],
  });
  t.equal(body.data.rows.length, 5);
  for (const [, leq, lmax, , coverage, quality, source] of body.data.rows) {
    t.ok(leq > 20 && leq <= lmax + 0.5 && lmax < 120);
    t.strictSame([coverage, quality, source], [1, 'measured', 'stream']);
  }
  const again = await world.ask(
    'GET',
    `/sim-1/history?from=${iso(end - 5_000)}&to=${iso(end)}&step=1s&quantities=leq,lmax,l10`,
    {
      headers: { 'If-None-Match': headers.get('etag') ?? 'none' },
    },
  );
  t.equal(again.status, 304, 'the same is not sent twice');
  for (const format of ['json', 'csv']) {
    const long = `/sim-1/history?from=${iso(end - 3_600_000)}&to=${iso(end)}&step=1s&format=${format}`;
    const whole = await world.get(long);
    t.equal(whole.status, 200);
    const known = { headers: { 'If-None-Match': whole.headers.get('etag') ?? 'none' } };
    t.equal((await world.ask('GET', long, known)).status, 304, 'nor a long answer');
    t.equal(
      (await world.ask('GET', `${long}&quantities=leq`, known)).status,
      200,
      'another question is another answer',
    );
  }

  const csv = await ask('step=1s&quantities=leq&format=csv-de');
  t.match(csv.headers.get('content-disposition'), /_1s_AF\.csv"$/, 'its name says the weighting');
  t.match(csv.headers.get('content-type'), /^text\/csv/);
  const [header, ...lines] = String(csv.body).trimEnd().split('\r\n');
  t.equal(
    header,
    '\ufeffstart;duration_s;leq;coverage;quality;source;excluded_s',
    'a byte order mark: it is for people',
  );
  t.equal(lines.length, 5);
  t.match(lines[0], /^2025-12-24T02:00:\d\dZ;1;\d\d(,\d+)?;1;measured;stream;0$/);

  const local = await ask('step=1s&quantities=leq&format=csv&zone=Asia/Tokyo&local_time=true');
  t.match(
    String(local.body),
    /^start,local_time,duration_s,leq,.*\r\n2025-12-24T02:(\d\d:\d\d)Z,2025-12-24 11:\1,1,.*,UTC\+09:00\r\n/,
  );

  const spoken = await ask('step=1s&quantities=leq,lmax,l10&format=csv&header=symbols');
  t.match(
    String(spoken.body),
    /^\ufeffunit_id,start,duration_s,LAeq dB,LAFmax dB,LAF10 dB,coverage,quality,source,excluded_s\r\nsim-1,2025-12-24T/,
    'for people: meter, weighting and unit',
  );

  const interruptions = async () => (await world.get('/sim-1/history/extent')).body.data.recording.interruptions;
  const before = await interruptions();
  await world.get('/sim-1/battery?max_age=0');
  await world.pass(4_000);
  await world.gateway.history.flush();
  const { data } = (await world.get('/sim-1/history/extent')).body;
  t.match(data, {
    recording: { mode: 'stream', state: 'recording', interruptions: before + 1, losses: 0, unweighted: 0 },
    series: [{ source: 'stream', weighting: { frequency: 'A', time: 'F' }, readings: 0 }],
    gaps: [],
  });
  const report = await world.get(`/sim-1/report?from=${iso(end - 60_000)}&to=${iso(end)}`);
  t.match(report.headers.get('content-security-policy'), /default-src 'none'/);
  t.match(report.body, /<td>NL-43<\/td>[\s\S]*<td>00144703<\/td>/, 'a report knows its meter and interrupts nothing');
  t.equal(await interruptions(), before + 1);

  const span = (Date.parse(data.last) - Date.parse(data.first)) / 1_000;
  t.ok(data.series[0].measured_s <= span - 0.9, 'the command cost a second at least, and it is missing');
});

t.test('readings of a polled meter are kept as readings', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { history: 'poll' });
  await world.get('/sim-1/live');
  await world.pass(6_000);
  await world.get('/sim-1/live');
  await world.pass(2_000);
  await world.gateway.history.flush();
  const now = world.clock.now();
  const query = `from=${iso(now - 60_000)}&to=${iso(now)}&step=1m&quantities=leq,lp,l50`;
  const { rows } = (await world.get(`/sim-1/history?${query}`)).body.data;
  const [, leq, lp, l50, coverage, quality, source] = rows.at(-1);
  t.strictSame([leq, coverage, quality, source], [null, 0, 'sampled', 'poll']);
  t.ok(lp > 20 && Math.abs(lp - l50) < 5);
  const { days } = (await world.get(`/sim-1/indices?from=${iso(now - 60_000)}&to=${iso(now)}&zone=UTC`)).body.data;
  t.match(days, [{ lden: null, valid: false, reason: /only single readings/ }]);
});

t.test('an impossible question is refused with advice', async (t) => {
  const world = await openWorld(t, { meters: 1 });
  const day = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';
  const refused = async (path: string, at: string, message: RegExp) => {
    const { status, body } = await world.get(`/sim-1/${path}`);
    t.match({ status, body }, { status: 422, body: { code: 'INVALID', errors: [{ path: at, message }] } }, path);
  };
  await refused('history?from=2026-01-01T00:00:00Z', '/to', /required/);
  await refused('history?from=2026-01-01T00:00:00&to=2026-01-02T00:00:00Z', '/from', /offset from UTC/);
  await refused(`history?${day}&step=2m`, '/step', /one of/);
  await refused(`history?${day}&quantities=leq,l100`, '/quantities', /l01 to l99/);
  for (const route of ['history', 'indices', 'report'])
    await refused(`${route}?${day}&zone=Europe/Atlantis`, '/zone', /IANA/);
  await refused(`history?${day}&format=xml`, '/format', /one of/);
  for (const route of ['history', 'indices'])
    await refused(`${route}?${day}&time_weighting=F`, '/frequency_weighting', /other weighting/);
  await refused('history?from=1026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z', '/from', /1970/);
  await refused('history?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z&step=1s', '/step', /format=csv/);
  await refused(`indices?${day}&preset=custom&day=07-19`, '/night', /needed/);
  await refused(`indices?${day}&min_coverage=NaN`, '/min_coverage', /number/);
  await refused(`indices?${day}&min_coverage=1e999`, '/min_coverage', /number/);
  await refused('indices?from=1970-01-01T00:00:00Z&to=2970-01-01T00:00:00Z', '/to', /days after/);
  const { status } = await world.delete('/sim-1/history?from=2026-01-01T00:00:30Z&to=2026-01-02T00:00:00Z');
  t.equal(status, 422, 'what is removed is full minutes');
});
