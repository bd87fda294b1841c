/**
 * A family of meters beside the NL-43, from one folder and one line in a table (`test/support/families`): a box that answers `MEAS?`
 * with JSON. It runs from config to alerts, and nothing but `MEAS?` ever reaches it, whatever is asked of the gateway.
 */
import t, { type Test } from 'tap';
import { slm } from '../cli/setup.ts';
import { TEST_FAMILIES } from '../support/families/index.ts';
import { Box } from '../support/families/jsonbox/box.ts';
import { openWorld, type World } from '../support/world.ts';

async function worldWithBox(t: Test, more: object = {}): Promise<{ world: World; box: Box }> {
  const world = await openWorld(t, { meters: 0, families: TEST_FAMILIES });
  const box = await Box.open(world.clock);
  t.teardown(() => box.close());
  const config = { host: box.host, tcp_port: box.port, family: 'jsonbox', ...more };
  t.match(await world.put('/box/config', config), { status: 200, body: { data: { family: 'jsonbox' } } });
  return { world, box };
}

t.test('config, live, status, history and an alert of a meter of another family', async (t) => {
  const { world, box } = await worldWithBox(t, { poll_enabled: true, poll_interval_seconds: 15 });
  t.match((await world.get('/_about')).body.data.families, [
    { name: 'nl43' },
    { name: 'jsonbox', title: 'box that answers in JSON' },
    { name: 'pushbox' },
  ]);
  const { status, body } = await world.get('/box/live');
  t.equal(status, 200);
  t.match(body.data, {
    lp: '61.2',
    leq: '61.2',
    lmax: '65.2',
    lpeak: null,
    ln1: null,
    over_range: false,
    stale: false,
  });
  t.match(body.data, { measurement_state: 'Measure', battery_level: null, sd_free_ratio: null, warning: null });
  const rule = {
    name: 'Loud',
    units: ['box'],
    kind: 'level',
    quantity: 'leq',
    window: '1m',
    limit_db: 70,
    min_coverage: 0,
  };
  t.match(await world.post('/_alerts/rules', rule), { status: 201 });
  await world.pass(30_000);
  box.hear(84.4);
  await world.pass(40_000);
  t.match((await world.get('/_status')).body.data, [
    { unit_id: 'box', lp: 84.4, state: 'online', frequency_weighting: 'A', time_weighting: 'F' },
  ]);
  t.match((await world.get('/_alerts/events')).body.data, [{ unit_id: 'box', limit: 70 }]);
  await world.gateway.history.flush();
  const iso = (ms: number) => new Date(ms).toISOString();
  const span = `from=${iso(world.clock.now() - 150_000)}&to=${iso(world.clock.now())}`;
  const { rows } = (await world.get(`/box/history?${span}&step=1m&quantities=lp,leq`)).body.data;
  t.ok(
    rows.some(([, , leq]: readonly unknown[]) => Math.abs(Number(leq) - 84.4) < 0.5),
    JSON.stringify(rows),
  );
  t.match((await world.get('/box/session')).body.data, { reachability: { state: 'online' }, clock: null });
  t.match((await world.get('/box/doctor')).body.data, { healthy: true });
  t.same(box.heard, ['MEAS?']);
});

/** Abilities that a box lacks, with the word in the refusal. */
const REFUSED: readonly (readonly [method: 'get' | 'post' | 'put', path: string, has: string, body?: object])[] = [
  ...['start', 'stop', 'pause', 'reset', 'store'].map((path) => ['post', path, path] as const),
  ['post', 'resume', 'pause'],
  ['post', 'sleep', 'sleep mode'],
  ['post', 'wake', 'sleep mode'],
  ['post', 'clock/sync', 'clock'],
  ['post', 'cycle/start', 'state of a measurement'],
  ['post', 'cycle/stop', 'state of a measurement'],
  ['post', 'mirror', 'files'],
  ['post', 'ftp/enable', 'FTP server'],
  ['post', 'ftp/disable', 'FTP server'],
  ['post', 'ftp/download', 'files', { remote_path: '/x.rnd' }],
  ['get', 'ftp/status', 'FTP server'],
  ['get', 'ftp/files', 'files'],
  ['get', 'ftp/archive', 'files'],
  ['get', 'measurement-state', 'state of a measurement'],
  ['get', 'results', 'result of the last measurement'],
  ['get', 'settings/all', 'setting'],
  ['get', 'clock', 'clock'],
  ['get', 'battery', 'battery level'],
  ['get', 'sleep/status', 'sleep mode'],
  ['get', 'index-number', 'store name'],
  ['get', 'measurement-time', 'setting measurement_time'],
  ['get', 'lp-interval', 'setting lp_interval'],
  ['get', 'frequency-weighting', 'setting frequency_weighting'],
  ['put', 'clock', 'clock that can be set', { datetime: '2026/11/21,06:00:00' }],
  ['put', 'time-weighting', 'setting time_weighting', { weighting: 'S' }],
  ['put', 'leq-interval', 'setting leq_interval', { preset: '15m' }],
  ['put', 'index-number', 'store name', { index: 7 }],
];

t.test('a command that its family lacks is refused in words, and no byte is sent for it', async (t) => {
  const { world, box } = await worldWithBox(t, { poll_enabled: false, ftp_enabled: true });
  for (const [method, path, has, sent] of REFUSED) {
    const { status, body } = await (method === 'get'
      ? world.get(`/box/${path}`)
      : world[method](`/box/${path}`, sent ?? {}));
    t.equal(status, 409, `${method} ${path}`);
    t.match(body, { code: 'NOT_SUPPORTED', detail: `its family (jsonbox) has no ${has}` }, `${method} ${path}`);
  }
  t.match(await world.watch('/box/live'), { refused: { status: 409, body: { code: 'NOT_SUPPORTED' } } });
  const profile = { settings: { store_mode: 'Auto' } };
  t.match(await world.put('/_profiles/site', profile), { status: 201 });
  t.match(await world.post('/_profiles/site/apply', { units: ['box'] }), {
    status: 409,
    body: { code: 'NOT_SUPPORTED' },
  });
  const said = await slm(world, 'start box');
  t.match(said, { code: 7, err: /^slm start: .* its family \(jsonbox\) has no start\. \(NOT_SUPPORTED\)$/m });
  t.equal(box.received, '');
  t.equal(box.connects, 0, 'and no connection is opened');
});

t.test(
  'nothing but MEAS? reaches it: polled, recorded, examined, reported, changed, watched, and after it was away',
  async (t) => {
    const { world, box } = await worldWithBox(t, { poll_enabled: true, poll_interval_seconds: 2, history: 'poll' });
    await world.pass(10_000);
    await world.get('/box/doctor');
    await world.get('/box/session');
    await world.get('/box/report?last=24h');
    await world.get('/metrics');
    const watched = await world.watch('/_live?units=box&events=reading,frame,state');
    t.match(await world.put('/box/config', { name: 'Box', timezone: 'Europe/Berlin' }), { status: 200 });
    t.notOk('sleep_mode' in (await world.put('/box/config', { tcp_enabled: true })).body);
    t.match(await world.put('/box/config', { history: 'stream' }), {
      status: 422,
      body: { errors: [{ path: '/history' }] },
    });
    box.says = 'nonsense';
    await world.pass(20_000);
    box.says = undefined;
    box.hangUp();
    await world.pass(10_000);
    t.match((await world.get('/box/live')).body.data, { lp: '61.2', stale: false });
    t.ok(watched.messages.some(({ event }) => event === 'reading'));
    t.same(box.heard, ['MEAS?']);
    t.ok(box.asked > 5, `${box.asked} times`);
  },
);

t.test('each meter has the capabilities of its family: the box its own, and the NL-43 all of them', async (t) => {
  const { world, box } = await worldWithBox(t, { poll_enabled: false });
  t.same((await world.get('/box/capabilities')).body.data, {
    unit_id: 'box',
    family: 'jsonbox',
    title: 'box that answers in JSON',
    model: null,
    channels: ['Main'],
    history_channels: ['main'],
    quantities: ['lp', 'leq', 'lmax', 'le'],
    stream: null,
    files: null,
    settings: [],
    operations: ['live'],
  });
  await world.put('/roof/config', { host: '192.0.2.7', tcp_enabled: false });
  const { data } = (await world.get('/roof/capabilities')).body;
  t.match(data, { family: 'nl43', channels: ['Main', 'Sub1', 'Sub2', 'Sub3'], stream: { frame_ms: 100 } });
  t.match(data.files, { roots: ['/NL-43', '/NL-53'] });
  for (const name of ['start', 'set_clock', 'battery', 'sleep_mode', 'last_result'])
    t.ok(data.operations.includes(name), name);
  t.match(
    data.settings.find(({ name }: { name: string }) => name === 'lp_interval'),
    {
      type: 'word',
      values: ['Off', '10ms', '25ms', '100ms', '200ms', '1s'],
      unit: 'ms, s',
      changes: 'stopped',
    },
  );
  for (const { name, unit } of data.settings)
    t.equal(unit !== undefined, ['measurement_time', 'leq_interval', 'lp_interval'].includes(name), `unit of ${name}`);
  t.equal(box.received, '');
});

t.test(
  'another family is another meter: the session is closed, and the values of the other meter are gone',
  async (t) => {
    const { world, box } = await worldWithBox(t, { poll_enabled: false });
    await world.get('/box/live');
    t.match((await world.get('/box/session')).body.data, {
      connection: { open: true },
      device_state: { time_weighting: 'F' },
    });
    await world.put('/box/config', { family: 'pushbox' });
    t.match((await world.get('/box/session')).body.data, {
      connection: { open: false },
      device_state: { time_weighting: null },
    });
    t.match(await world.get('/box/live'), { status: 409, body: { code: 'NOT_SUPPORTED' } });
    t.match((await world.get('/box/capabilities')).body.data, { family: 'pushbox', operations: [], stream: null });
    await world.pass(20_000);
    t.equal(box.connects, 1, 'nobody connects to a sensor that sends by itself');
  },
);

t.test('a new config has the usual port of its family', async (t) => {
  const world = await openWorld(t, { meters: 0, families: TEST_FAMILIES });
  const { data } = (await world.put('/box/config', { host: '192.0.2.9', family: 'jsonbox', tcp_enabled: false })).body;
  t.match(data, { tcp_port: 5025, family: 'jsonbox' });
});
