/** Many callers cost the meter as little as one caller: it may hang on a metered SIM. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

interface Bytes {
  readonly bytes_sent: number;
  readonly bytes_received: number;
}

t.test('a hundred GET live within a second cost the meter one reading', async (t) => {
  const world = await openWorld(t);
  await world.get('/sim-1/live');
  await world.pass(5_000);
  world.meter.log.clear();
  const asked = [];
  for (let tenth = 0; tenth < 10; tenth++) {
    for (let caller = 0; caller < 10; caller++) asked.push(world.asked('GET', '/sim-1/live'));
    await world.pass(90);
  }
  const answers = await world.passing(Promise.all(asked));
  t.same(world.meter.log.commands, ['DOD?', 'Measure?']);
  t.same(new Set(answers.map(({ status }) => status)), new Set([200]));
  t.equal(new Set(answers.map(({ body }) => body.data.measured_at)).size, 1);
  for (const { body } of answers) t.ok(body.data.age_s <= 2.5, 'and each says how old it is');
  t.equal((await world.get('/sim-1/session')).body.data.counters.joined, 99);
});

t.test('bytes of the card are counted, also with TCP switched off', async (t) => {
  const world = await openWorld(t);
  const size = 200_000;
  world.meter.card.addFile('/a.rnd', { bytes: size, seed: 1 }, world.clock.now());
  const cost = async () => (await world.get('/sim-1/session')).body.data.ftp;
  t.same(await cost(), { sessions: 0, bytes_sent: 0, bytes_received: 0 });
  await world.ftpOn();
  const listing = (await world.get('/sim-1/ftp/files')).body.count;
  const listed = await cost();
  t.equal(listed.sessions, 1);
  t.ok(listed.bytes_received > 60 * listing && listed.bytes_received < 1_000, `${listed.bytes_received} bytes`);
  await world.put('/sim-1/config', { tcp_enabled: false });
  await world.post('/sim-1/ftp/download', { remote_path: '/a.rnd' });
  const { sessions, bytes_sent, bytes_received } = await cost();
  t.equal(sessions, 2);
  t.ok(bytes_sent > listed.bytes_sent && bytes_sent < 500, `${bytes_sent} bytes sent`);
  const extra = bytes_received - listed.bytes_received - size;
  t.ok(extra > listed.bytes_received / 2 && extra < 1_000, `${extra} bytes beside the file`);
  const metrics = await (await fetch(new URL('/metrics', world.base))).text();
  // The server's goodbye may come in between.
  const counted = Number(/slm_meter_ftp_bytes_received_total\{unit_id="sim-1"\} (\d+)\n/.exec(metrics)?.[1]);
  t.ok(counted >= bytes_received && counted <= (await cost()).bytes_received, `${counted} bytes in the metrics`);
  t.match(metrics, `slm_meter_ftp_sessions_total{unit_id="sim-1"} 2\n`);
  await world.delete('/sim-1/config');
  await world.configure('sim-1', world.meter);
  t.match(await cost(), { sessions: 0 }, 'a unit of the same name is another one');
});

t.test('the bytes of today are those of the local day of the unit, of commands and card, both ways', async (t) => {
  const world = await openWorld(t);
  const session = async () => (await world.get('/sim-1/session')).body.data;
  const moved = ({ counters, ftp }: { readonly counters: Bytes; readonly ftp: Bytes }) => [
    counters.bytes_sent + ftp.bytes_sent,
    counters.bytes_received + ftp.bytes_received,
  ];
  const counted = ({ today }: { readonly today: Bytes }) => [today.bytes_sent, today.bytes_received];
  const began = await session();
  t.match(
    began.today,
    { date: '2025-12-24', since: /^2025-12-24T02:0/ },
    'since the gateway counts, not since midnight',
  );
  await world.ftpOn();
  await world.get('/sim-1/ftp/files');
  const busy = await session();
  t.strictSame(counted(busy), moved(busy), 'commands and card together');

  await world.put('/sim-1/config', { timezone: 'America/Sao_Paulo' });
  const elsewhere = await session();
  t.match(elsewhere.today, { date: '2025-12-23', since: began.today.since });
  t.strictSame(counted(elsewhere), moved(elsewhere), 'all of it is of the day there, too');
  await world.clock.advance(3_600_000);
  const before = await session();
  t.match(before.today, { date: '2025-12-24', since: '2025-12-24T03:00:00.000Z' }, 'since midnight there');
  t.strictSame(counted(before), [0, 0]);
  await world.get('/sim-1/battery');
  const after = await session();
  t.strictSame(
    counted(after),
    moved(after).map((bytes, index) => bytes - (moved(before)[index] ?? 0)),
  );

  await world.clock.advance(3_600_000);
  await world.put('/sim-1/config', { timezone: 'America/Caracas' });
  const { today } = await session();
  t.match(today, { date: '2025-12-24', since: /^2025-12-24T04:0/ });
  t.ok(today.bytes_received < (moved(after)[1] ?? 0), 'a part was yesterday at that place: the count begins at 0');

  await world.restart(1_000);
  t.match((await session()).today, { since: /^2025-12-24T04:0/, bytes_sent: 0 }, 'a restart counts from then on');
});

t.test('a reading is not shared across a command that changes something', async (t) => {
  const world = await openWorld(t);
  await world.get('/sim-1/live');
  await world.pass(5_000);
  const before = world.asked('GET', '/sim-1/live');
  await world.pass(100);
  const start = world.asked('POST', '/sim-1/start');
  await world.pass(100);
  const after = world.asked('GET', '/sim-1/live');
  const [first, , last] = await world.passing(Promise.all([before, start, after]));
  t.equal(first?.body.data.measurement_state, 'Stop');
  t.equal(last?.body.data.measurement_state, 'Measure');
});

t.test('polls and dashboards share readings, too', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/polling/config', { poll_enabled: true, poll_interval_seconds: 1 });
  await world.pass(20_000);
  world.meter.log.clear();
  for (let second = 0; second < 10; second++) {
    const asked = Array.from({ length: 20 }, () => world.asked('GET', '/sim-1/live'));
    for (const { status } of await world.passing(Promise.all(asked))) t.equal(status, 200);
  }
  const readings = world.meter.log.commands.filter((text) => text === 'DOD?').length;
  t.ok(readings <= 22, `${readings} readings for 200 callers and ten polls`);
  t.same(world.meter.log.spacingViolations(), []);
});

t.test('with 200 viewers, a stop reaches the meter within 3 s, and every viewer gets frames again', async (t) => {
  const world = await openWorld(t);
  await world.post('/sim-1/start');
  const viewers = await Promise.all(Array.from({ length: 200 }, () => world.watch('/sim-1/live')));
  await world.until('frames for all', () => viewers.every(({ frames }) => frames.length > 0));
  t.equal(world.meter.log.commands.filter((text) => text.startsWith('DRD')).length, 1, 'one stream for all of them');
  const began = world.clock.elapsed();
  t.equal((await world.post('/sim-1/stop')).status, 200);
  const stop = world.meter.log.events.find((event) => event.kind === 'command' && event.text === 'Measure,Stop');
  t.ok(stop && stop.at - began < 3_000, `${(stop?.at ?? 0) - began} ms`);
  const seen = viewers.map(({ frames }) => frames.length);
  await world.until('frames again', () => viewers.every(({ frames }, index) => frames.length > (seen[index] ?? 0)));
  for (const { messages, socket } of viewers) {
    t.ok(messages.some(({ feed_status }) => feed_status === 'interrupted'));
    socket.terminate();
  }
  t.same(world.meter.log.spacingViolations(), []);
});
