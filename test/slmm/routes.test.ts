/**
 * The API of SLMM, every route in its own shape, on one simulated meter. The shapes are those that its clients rely on; the
 * page docs/slmm.md names what is left out.
 */
import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { unzip } from '../support/unzip.ts';
import { openSlmmWorld, type SlmmAnswer, type SlmmWorld } from './world.ts';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{6})?$/;
const LEVEL = /^-?\d+\.\d$/;

/** `METHOD PATH`, then `>` and the body where there is one, then the answer: `=` with these properties alone, `~` at least these. */
const ENTRY = /^(\S+) (\S+)\n(?: {2}> (.*)\n)? {2}([=~]) (.*)$/gm;

/** Types for the words in the file. */
const KINDS: Readonly<Record<string, unknown>> = {
  '<text>': String,
  '<number>': Number,
  '<flag>': Boolean,
  '<object>': Object,
  // UTC, no zone, six digits of fraction or none.
  '<time>': TIME,
  '<zoned>': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{6})?Z$/,
  '<level>': LEVEL,
  '<state>': /^(Start|Stop|unknown)$/,
  '<address>': /^127\.0\.0\.1:\d+$/,
  '<clock>': /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d$/,
  '<line>': /^[\d. ,-]+$/,
};

const kindsIn = (value: unknown): unknown => {
  if (typeof value === 'string' && Object.hasOwn(KINDS, value)) return KINDS[value];
  if (Array.isArray(value)) return value.map(kindsIn);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, kindsIn(part)]));
};

/** Every route of SLMM 0.4 that is here. In this order each works on a meter that is well. */
const HERE = [...readFileSync(new URL('routes.txt', import.meta.url), 'utf8').matchAll(ENTRY)].map(
  ([, method = '', path = '', body, how, shape = '']) => ({
    method,
    path,
    body: body === undefined ? undefined : JSON.parse(body),
    shape: kindsIn(JSON.parse(shape)),
    exact: how === '=',
  }),
);

/** Routes of SLMM that are not here; docs/slmm.md has the reason of each. */
const LEFT_OUT = ['POST /{u}/status', 'POST /{u}/sync-start-time', 'DELETE /{u}/logs', 'POST /_connections/flush'];

let slmm: SlmmWorld;
t.before(async () => {
  slmm = await openSlmmWorld(t);
  // Something is known of the meter, as of every one in service.
  await slmm.ask('GET', '/sim-1/live');
});

const keysOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null && !(value instanceof RegExp) ? Object.keys(value).sort() : [];

/** No property more and none less, here and in the objects below; `Object` stands for any. */
function sameKeys(t: Test, found: unknown, shape: unknown, what: string): void {
  if (typeof shape !== 'object' || shape === null || shape instanceof RegExp) return;
  t.same(keysOf(found), keysOf(shape), `${what}: its properties`);
  for (const [name, part] of Object.entries(shape))
    sameKeys(t, (found as Record<string, unknown>)[name], part, `${what} ${name}`);
}

t.test('every route answers in the shape of SLMM', async (t) => {
  t.ok(HERE.length > 60);
  for (const { method, path, body, shape, exact } of HERE) {
    const answer = await slmm.ask(method, path.replace('{u}', 'sim-1'), body);
    const what = `${method} ${path}`;
    t.match({ status: answer.status, body: answer.body }, { status: 200, body: shape }, what);
    if (exact) sameKeys(t, answer.body, shape, what);
  }
  t.same(slmm.world.meter.log.spacingViolations(), [], 'with a rest between any two commands');
});

t.test('files come as they are, folders as a ZIP', async (t) => {
  await slmm.ask('POST', '/sim-1/ftp/enable');
  await slmm.world.pass(4_000);
  const { body } = await slmm.ask('GET', '/sim-1/ftp/files?path=/NL-43');
  const folder = body.files.find(
    ({ is_dir, name }: { is_dir: boolean; name: string }) => is_dir && name.startsWith('Manual'),
  );
  const inside = await slmm.ask('GET', `/sim-1/ftp/files?path=${folder.path}`);
  const [file] = inside.body.files;
  const whole = await slmm.ask('POST', '/sim-1/ftp/download', { remote_path: file.path });
  t.match(whole.headers.get('content-type'), 'application/octet-stream');
  t.match(whole.headers.get('content-disposition'), /^attachment/);
  t.equal(whole.body.length, file.size);
  const zip = await slmm.ask('POST', '/sim-1/ftp/download-folder', { remote_path: folder.path });
  t.equal(zip.headers.get('content-type'), 'application/zip');
  t.match(zip.headers.get('content-disposition'), `${folder.name}.zip`);
  t.same([...unzip(zip.body).values()][0], whole.body);
  const refused = await slmm.ask('POST', '/sim-1/ftp/download', { remote_path: '/NL-43/' });
  t.match(refused, { status: 400, body: { detail: String } });
});

t.test(
  'a cycle goes through the jobs of the gateway: no second start, no store written over, its files are here',
  async (t) => {
    const { world } = slmm;
    const { meter } = world;
    const { body } = await world.post('/sim-1/mirror');
    for (let state = ''; state !== 'done'; state = (await world.get(`/_jobs/${body.job}`)).body.data.state)
      await world.pass(2_000);
    meter.set('Store Mode', 'Auto');
    const clock = meter.log.commands.filter((text) => text.startsWith('Clock,')).length;
    const before = Number((await slmm.ask('GET', '/sim-1/index-number')).body.index_number);
    const asks = [1, 2].map(() => slmm.ask('POST', '/sim-1/start-cycle', { sync_clock: false }));
    for (const { status, body } of await Promise.all(asks))
      t.match({ status, body }, { status: 200, body: { started: true, clock_synced: false, server_time: null } });
    const starts = () => meter.log.commands.filter((text) => text === 'Measure,Start').length;
    const started = starts();
    t.equal(meter.read('Measure'), 'Start');
    t.equal(meter.log.commands.filter((text) => text.startsWith('Clock,')).length, clock, 'the clock is left as it is');
    t.match(await slmm.ask('POST', '/sim-1/start-cycle'), { status: 409, body: { detail: /measures already/ } });
    t.equal(starts(), started, 'a meter that measures is not started again');
    await world.pass(5_000);
    const ended = await slmm.ask('POST', '/sim-1/stop-cycle');
    t.match(ended.body, {
      stopped: true,
      ftp_enabled: true,
      download_attempted: true,
      download_success: true,
      download_error: undefined,
      downloaded_folder: /^Auto_\d{4}$/,
    });
    t.equal(meter.read('FTP'), 'On', 'SLMM leaves it on');

    await slmm.ask('PUT', '/sim-1/index-number', { index: before });
    const next = (await slmm.ask('POST', '/sim-1/start-cycle')).body;
    t.match(next, { old_index: before, clock_synced: true, server_time: /^\d{4}\/\d\d\/\d\d / });
    t.ok(
      next.new_index > before && next.attempts_made === next.new_index - before + 1,
      'a name that the card has is left out',
    );
  },
);

t.test('a meter that is stopped while its files do not come is no error', async (t) => {
  const { world } = slmm;
  await world.put('/sim-1/config', { ftp_enabled: false });
  const { status, body } = await slmm.ask('POST', '/sim-1/stop-cycle');
  await world.put('/sim-1/config', { ftp_enabled: true });
  world.meter.set('Store Mode', 'Manual');
  t.match(
    { status, body },
    {
      status: 200,
      body: {
        stopped: true,
        download_attempted: true,
        download_success: false,
        download_error: /FTP is off in the config/,
      },
    },
  );
});

t.test('refusals: wrong input 422 with a list, an unknown unit 404, a unit that is off 403', async (t) => {
  const detail = (answer: SlmmAnswer) => ({ status: answer.status, body: answer.body });
  const wrong = await slmm.ask('PUT', '/sim-1/frequency-weighting', { weighting: 'A\r\nMeasure,Start' });
  t.match(detail(wrong), {
    status: 422,
    body: { detail: [{ type: String, loc: ['body', 'weighting'], msg: String, input: null }] },
  });
  t.match(await slmm.ask('PUT', '/sim-1/clock', {}), {
    status: 422,
    body: { detail: [{ type: 'missing', loc: ['body', 'datetime'] }] },
  });
  t.match(await slmm.ask('PUT', '/sim-1/index-number', { index: 10_000 }), {
    status: 400,
    body: { detail: /0 to 9999/ },
  });
  t.match(await slmm.ask('GET', '/nobody/config'), { status: 404, body: { detail: String } });
  t.match(
    await slmm.ask('GET', '/nobody/history'),
    { status: 200, body: { count: 0 } },
    'lists of a unit that nobody knows are empty',
  );
  t.match(await slmm.ask('POST', '/roster', { unit_id: 'sim-1', host: '192.0.2.4' }), {
    status: 409,
    body: { detail: String },
  });
  t.match(await slmm.ask('POST', '/roster', { unit_id: 'u 3/x', host: '192.0.2.4' }), { status: 422 });
  t.match(await slmm.ask('POST', '/sim-1/stop'), { status: 409, body: { detail: /R\+0004/ } }, 'a stopped meter');
  t.match(await slmm.ask('POST', '/sim-1/alerts/rules', { threshold_db: 40, comparison: 'below' }), {
    status: 422,
    body: { detail: [{ loc: ['body', 'comparison'] }] },
  });
  t.same(Object.keys((await slmm.ask('GET', '/nobody/config')).body), ['detail'], 'nothing but detail');
  await slmm.ask('PUT', '/sim-1/config', { tcp_enabled: false });
  t.match(await slmm.ask('GET', '/sim-1/live'), { status: 403 });
  t.match(await slmm.ask('GET', '/sim-1/diagnostics'), {
    body: { overall_status: 'fail', tests: { tcp_enabled: { status: 'fail' } } },
  });
  await slmm.ask('PUT', '/sim-1/config', { tcp_enabled: true });
});

t.test('a password never comes out, and sending the mask or nothing back keeps it', async (t) => {
  const config = slmm.world.gateway.store.configs.get('sim-1');
  t.match(config, { ftpUsername: 'USER', ftpPassword: '0000' });
});

t.test(
  'the routes are not in the document of the gateway, and routes that are missing here have their reason',
  async (t) => {
    const { body } = await slmm.world.get('/openapi.json');
    t.same(
      Object.keys(body.paths).filter((path) => path.startsWith('/slmm')),
      [],
    );
    const page = readFileSync(new URL('../../docs/slmm.md', import.meta.url), 'utf8');
    for (const route of LEFT_OUT) {
      const [method = '', path = ''] = route.split(' ');
      t.ok(page.includes(`| \`${route.replace('{u}', '{unit_id}')}\` |`), `docs/slmm.md names ${route}`);
      const { status } = await slmm.ask(method, path.replace('{u}', 'sim-1'));
      t.ok(status === 404 || status === 405, route);
    }
  },
);

t.test('stream: frames as text, counted; for a unit that cannot be watched a message comes', async (t) => {
  const watched = await slmm.watch('/sim-1/stream');
  await slmm.world.until('frames', () => watched.messages.length > 3);
  t.match(watched.messages[0], {
    unit_id: 'sim-1',
    timestamp: TIME,
    measurement_state: 'Measure',
    counter: /^\d+$/,
    lp: LEVEL,
    leq: LEVEL,
    ln1: null,
    ln2: null,
    raw_payload: null,
  });
  watched.socket.close(1000);
  const unknown = await slmm.watch('/nobody/stream');
  await slmm.world.until('it is closed', () => unknown.closed !== undefined);
  t.match(unknown.messages, [{ error: /nobody/, unit_id: 'nobody' }]);
  t.match(unknown.closed, { code: 1000 });
  await slmm.world.pass(4_000);
});

t.test('monitor: all who watch share one reading a second; the next one gets the last frame at once', async (t) => {
  slmm.world.meter.log.clear();
  // The routes above have reset the measurement: its levels are null until the next reading.
  await slmm.world.get('/sim-1/live?max_age=0');
  const first = await slmm.watch('/sim-1/monitor');
  // A stream that has just ended, and other background reads, may have the line first: a heartbeat says that the monitor is there.
  const readings = () => first.messages.filter(({ heartbeat }) => !heartbeat);
  await slmm.world.until('frames', () => readings().length > 2);
  const second = await slmm.watch('/sim-1/monitor');
  await slmm.world.until('the last frame', () => second.messages.length > 0);
  t.match(readings()[0], {
    unit_id: 'sim-1',
    timestamp: TIME,
    counter: null,
    lp: LEVEL,
    ln1: String,
    feed_status: 'ok',
    measurement_state: /^(Start|Stop)$/,
  });
  t.match((await slmm.ask('GET', '/_monitor/status')).body.monitors['sim-1'], { subscribers: 2, mode: 'watched' });
  t.same(slmm.world.meter.log.spacingViolations(), []);
  const unknown = await slmm.watch('/nobody/monitor');
  await slmm.world.until('it is told', () => unknown.messages.length > 0);
  t.match(unknown.messages[0], { unit_id: 'nobody', feed_status: 'unreachable' });
  for (const { socket } of [first, second, unknown]) socket.close(1000);
  await slmm.world.until('nobody watches', () => first.closed !== undefined && second.closed !== undefined);
});

t.test('monitor: beside a running stream it takes what the stream brings, and does not interrupt it', async (t) => {
  const { world } = slmm;
  const stream = await slmm.watch('/sim-1/stream');
  await world.until('the stream runs', () => stream.messages.length > 3);
  world.meter.log.clear();
  const watched = await slmm.watch('/sim-1/monitor');
  await world.until('frames', () => watched.messages.length > 3);
  t.same(world.meter.log.commands, []);
  t.match(watched.messages.at(-1), { feed_status: 'ok', lp: LEVEL });
  for (const { socket } of [stream, watched]) socket.close(1000);
  await world.until('nobody watches', () => stream.closed !== undefined && watched.closed !== undefined);
  await world.pass(4_000);
});

t.test('monitor: a meter that goes away is one message, and the socket has a heartbeat', async (t) => {
  const { world } = slmm;
  const watched = await slmm.watch('/sim-1/monitor');
  const is = (feed: string, heartbeat?: boolean) => (message: Record<string, unknown>) =>
    message.feed_status === feed && message.heartbeat === heartbeat;
  await world.until('frames', () => watched.messages.some(is('ok')));
  world.meter.faults.on('refused');
  world.meter.faults.on('reset-mid-reply');
  await world.until('it is told', () => watched.messages.some(is('unreachable')));
  for (let minute = 0; minute < 2; minute += 1) await world.pass(30_000);
  t.equal(watched.messages.filter(is('unreachable')).length, 1);
  t.ok(watched.messages.filter(is('unreachable', true)).length >= 2, 'a heartbeat every 25 s');
  t.match((await slmm.ask('GET', '/_monitor/status')).body.monitors['sim-1'], { reachable: false, mode: 'backoff' });
  world.meter.faults.clear();
  const before = watched.messages.length;
  // The pause between two tries grows to a minute.
  await world.pass(30_000);
  await world.until('it is back', () => watched.messages.slice(before).some(is('ok')));
  watched.socket.close(1000);
  await world.until('it has left', () => watched.closed !== undefined);
});

t.test('a unit with another interval is polled at this interval, as the check of SLMM looks for', async (t) => {
  // A rule of an earlier test has the unit record its stream, and then no reading is made.
  await slmm.world.put('/sim-1/config', { history: 'off' });
  await slmm.ask('PUT', '/sim-1/polling/config', { poll_interval_seconds: 30, poll_enabled: true });
  await slmm.world.pass(36_000);
  t.match((await slmm.ask('GET', '/sim-1/status')).body.data, { last_poll_attempt: TIME, last_success: TIME });
  const [device] = (await slmm.ask('GET', '/_polling/status')).body.data.devices;
  t.match(device, { unit_id: 'sim-1', poll_interval_seconds: 30, is_reachable: true, last_poll_attempt: TIME });
  t.match((await slmm.ask('POST', '/_system/standby')).body, { status: 'ok', mode: 'standby', message: String });
  t.match((await slmm.ask('GET', '/_system/status')).body, { mode: 'standby', polling_active: false });
  t.equal(slmm.world.gateway.store.configs.get('sim-1')?.pollEnabled, false);
  t.match((await slmm.ask('POST', '/_system/resume')).body, { mode: 'active', message: /1 meter / });
  t.match((await slmm.ask('GET', '/_system/status')).body, { mode: 'active', polling_active: true });
  await slmm.ask('POST', '/sim-1/deactivate');
});
