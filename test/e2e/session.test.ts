/** GET session: what has reserved the meter, what waits, how the connection fares - told without asking the meter. */
import t from 'tap';
import { startMeter } from '../../simulator/index.ts';
import { openWorld } from '../support/world.ts';

t.test('a unit that was never used has an idle session without counters', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  await world.put('/roof/config', { host: '192.0.2.1', tcp_enabled: false });
  t.match((await world.get('/roof/session')).body.data, {
    unit_id: 'roof',
    tcp_enabled: false,
    state: 'idle',
    reservation: null,
    waiting: [],
    connection: { open: false, since: null, last_ending: null, retry_in_s: null },
    reachability: { state: 'unknown', last_success: null, consecutive_failures: 0 },
    counters: null,
  });
  t.match(await world.get('/nobody/session'), { status: 404, body: { code: 'UNIT_NOT_FOUND' } });
});

t.test('the session shows the reservation of the meter and its queue, with the callers of each job', async (t) => {
  const world = await openWorld(t, { quirks: { think_query_ms: [800, 800] } });
  const paths = ['battery', 'clock', 'clock', 'sleep/status'];
  const busy = paths.map((path) => world.asked('GET', `/sim-1/${path}`));
  await world.pass(300);
  const { body } = await world.asked('GET', '/sim-1/session');
  t.match(body.data, {
    state: 'exchanging',
    reservation: { operation: 'Battery Level?', since: String, callers: 1 },
    connection: { open: true, since: String },
    reachability: { state: 'online', reason: String, since: String, last_success: String },
  });
  t.ok(body.data.reservation.held_s <= 1);
  t.same(
    // biome-ignore lint/suspicious/noExplicitAny: the body of an answer is what the test says it is
    body.data.waiting.map(({ operation, priority, callers }: any) => `${operation} ${priority} ${callers}`),
    ['Clock? operator 2', 'Sleep Mode? operator 1'],
  );
  for (const { waited_s } of body.data.waiting) t.ok(waited_s >= 0 && waited_s < 1);
  for (const { status } of await world.passing(Promise.all(busy))) t.equal(status, 200);
});

t.test('the session counts bytes, connects, commands, refusals and joined callers', async (t) => {
  const world = await openWorld(t);
  const before = (await world.get('/sim-1/session')).body.data.counters;
  await world.post('/sim-1/pause');
  await world.get('/sim-1/battery');
  await world.pass(500);
  const { counters, clock } = (await world.get('/sim-1/session')).body.data;
  t.equal(counters.commands - before.commands, 2);
  t.equal(counters.refused - before.refused, 1, 'a pause while nothing is measured');
  t.equal(counters.bytes_sent - before.bytes_sent, 'Pause,On\r\nBattery Level?\r\n'.length);
  const left = world.meter.log.events.flatMap((event) => (event.kind === 'out' ? [event.bytes.length] : []));
  t.equal(
    counters.bytes_received - before.bytes_received,
    left.reduce((sum, bytes) => sum + bytes, 0),
    'what the meter sent: refusal, value and, where it shows them, prompts and echo',
  );
  t.equal(counters.connects, 1, 'one connection for all of it');
  t.equal(clock, null, 'the clock was not read');
  await world.get('/sim-1/clock');
  t.match((await world.get('/sim-1/session')).body.data.clock, { offset_s: Number, measured_at: String });
});

t.test('an ended connection has its reason, and the reachability is in words', async (t) => {
  const world = await openWorld(t);
  await world.get('/sim-1/battery');
  await world.passing(world.meter.stop());
  await world.get('/sim-1/battery');
  const { data } = (await world.get('/sim-1/session')).body;
  t.match(data.connection, { open: false, since: null, last_ending: { by: /peer|fault/, reason: String, at: String } });
  t.match(data.reachability, { state: /degraded|offline/, reason: /\w+ \w+/, consecutive_failures: Number });
  t.match(data.reachability.last_error, { code: 'DEVICE_UNREACHABLE', detail: String, at: String });
});

t.test('asking for session, status, config or metrics sends the meter nothing', async (t) => {
  const world = await openWorld(t);
  for (let round = 0; round < 3; round++) {
    for (const path of [
      '/sim-1/session',
      '/sim-1/status',
      '/sim-1/config',
      '/sim-1/polling/config',
      '/_polling/status',
    ])
      t.equal((await world.get(path)).status, 200, path);
    t.equal((await fetch(new URL('/metrics', world.base))).status, 200);
  }
  t.same(world.meter.log.events, []);
});

t.test('status and session agree after a stop at the keys, for each reply that shows it', async (t) => {
  const world = await openWorld(t);
  const both = async () => {
    const { measurement_state } = (await world.get('/sim-1/status')).body.data;
    return [measurement_state, (await world.get('/sim-1/session')).body.data.device_state.measuring];
  };
  await world.post('/sim-1/start');
  t.same(await both(), ['Measure', true]);
  await world.set('Measure', 'Stop');
  await world.get('/sim-1/measurement-state');
  t.same(await both(), ['Stop', false], 'a request for the state');

  await world.post('/sim-1/start');
  await world.passing(world.meter.powerCycle(5_000));
  await world.pass(10_000);
  await world.get('/sim-1/battery');
  await world.pass(8_000);
  t.same(await both(), ['Stop', false], 'a question that the gateway asks after a new connection');

  await world.post('/sim-1/start');
  const client = await world.watch('/sim-1/live');
  await world.until('frames', () => client.frames.length > 0);
  await world.set('Measure', 'Stop');
  await world.pass(2_000);
  t.same(await both(), ['Stop', false], 'a frame of the stream');
  await world.set('Measure', 'Start');
  await world.pass(2_000);
  t.same(await both(), ['Measure', true]);
  client.socket.terminate();
});

t.test(
  'a meter that is exchanged while the gateway is down is noticed after its start, another address is none',
  async (t) => {
    const world = await openWorld(t);
    await world.put('/sim-1/config', { poll_enabled: true, poll_interval_seconds: 5 });
    await world.pass(20_000);
    t.match((await world.get('/sim-1/session')).body.data.meter, { serial_number: '00144703', exchanged: null });
    await world.restart(1_000);
    await world.get('/sim-1/live');
    await world.pass(20_000);
    t.match((await world.get('/sim-1/session')).body.data.meter, { serial_number: '00144703', exchanged: null });

    const { host, tcpPort, ftpPort } = world.meter;
    await world.passing(world.gateway.stop());
    await world.passing(world.meter.stop());
    const equipment = { clock: world.clock, serial: '00999999' };
    const other = await startMeter({ ...equipment, host, tcpPort, ftpPort });
    t.teardown(() => world.passing(other.stop()));
    await world.restart(1_000);
    await world.get('/sim-1/live');
    await world.pass(20_000);
    const exchanged = { serial_number: '00999999', exchanged: { from: '00144703', to: '00999999', at: String } };
    t.match((await world.get('/sim-1/session')).body.data.meter, exchanged);
    t.match(
      (await world.get('/sim-1/status')).body.data.warning,
      /was exchanged: 00999999 answers in place of 00144703/,
    );
    t.ok(world.log.some((line) => line.includes('another meter answers at the address of this unit')));

    await world.restart(1_000);
    await world.get('/sim-1/live');
    await world.pass(20_000);
    const known = { serial_number: '00999999', exchanged: null };
    t.match((await world.get('/sim-1/session')).body.data.meter, known, 'it is told once');

    const third = await startMeter({ ...equipment, serial: '00777777' });
    t.teardown(() => world.passing(third.stop()));
    await world.put('/sim-1/config', { tcp_port: third.tcpPort });
    await world.restart(1_000);
    await world.get('/sim-1/live');
    await world.pass(20_000);
    const next = { serial_number: '00777777', exchanged: null };
    t.match((await world.get('/sim-1/session')).body.data.meter, next, 'the unit was moved to it');
  },
);
