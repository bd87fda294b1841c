/** A recorded meter is not asked again: the known value is the answer, with its age. `max_age` limits this age. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

t.test('beside a stream what frames say is the answer with its age, and max_age=0 asks the meter', async (t) => {
  const world = await openWorld(t);
  const client = await world.watch('/sim-1/live');
  await world.until('frames', () => client.frames.length >= 5);
  const sent = () => world.meter.log.commands.filter((text) => text === 'Battery Level?').length;
  const { body } = await world.get('/sim-1/battery');
  t.match(body, { battery_level: '100', age_s: Number, read_at: String });
  t.equal(sent(), 0);
  const asked = await world.get('/sim-1/battery?max_age=0');
  t.match(asked.body, { battery_level: '100', age_s: undefined });
  t.equal(sent(), 1);
  client.socket.terminate();
});

t.test('an answer of the meter that is younger than the newest frame counts before it', async (t) => {
  const world = await openWorld(t);
  const client = await world.watch('/sim-1/live');
  await world.until('frames', () => client.frames.length >= 5);
  client.socket.terminate();
  await world.pass(6_000);
  await world.set('Battery Level', 'Low');
  const asked = await world.get('/sim-1/battery?max_age=0');
  const known = await world.get('/sim-1/battery?max_age=60');
  t.same([asked.body.battery_level, known.body.battery_level], ['30', '30']);
});

t.test('a max_age that is no number of seconds from 0 to 3600 is refused', async (t) => {
  const world = await openWorld(t);
  for (const wrong of ['-1', 'NaN', '1e9', '9999999', '', '3601']) {
    const { status, body } = await world.get(`/sim-1/battery?max_age=${wrong}`);
    t.equal(`${status} ${body.errors?.[0]?.path}`, '422 /max_age', wrong);
  }
});

t.test('Cache-Control: no-cache asks the meter, and max_age wins over it', async (t) => {
  const world = await openWorld(t);
  const client = await world.watch('/sim-1/live');
  await world.until('frames', () => client.frames.length >= 5);
  const headers = { 'Cache-Control': 'no-cache' };
  const sent = () => world.meter.log.commands.filter((text) => text === 'Battery Level?').length;
  t.match((await world.ask('GET', '/sim-1/battery', { headers })).body, { battery_level: '100', age_s: undefined });
  t.equal(sent(), 1);
  await world.ask('GET', '/sim-1/battery?max_age=60', { headers });
  t.equal(sent(), 1);
  client.socket.terminate();
});

/** Different questions that nothing known answers. */
const FRESH = [
  'sleep/status',
  'index-number',
  'lp-interval',
  'leq-interval',
  'ftp/status',
  'frequency-weighting',
  'time-weighting',
];
const freshly = (path: string) => `/sim-1/${path}?max_age=0`;

t.test('a request that would wait longer than its client is refused at once, with the time to wait', async (t) => {
  const world = await openWorld(t);
  const client = await world.watch('/sim-1/live');
  await world.until('frames', () => client.frames.length >= 20);
  for (let turn = 0; turn < 3; turn += 1) await world.get(freshly('sleep/status'));
  await world.pass(1_000);
  const refusedAtOnce = async (path: string, seconds: number) => {
    const before = world.meter.log.commands.length;
    const from = world.clock.elapsed();
    const { status, body, headers } = await world.ask('GET', freshly(path), {
      headers: { 'Request-Timeout': String(seconds) },
    });
    t.match({ status, body }, { status: 504, body: { code: 'QUEUE_TIMEOUT' } });
    t.ok(Number(headers.get('retry-after')) > seconds, `again in ${headers.get('retry-after')} s`);
    t.ok(world.clock.elapsed() - from <= 200, 'at once');
    t.notOk(world.meter.log.commands.slice(before).some((text) => text.startsWith('Sleep')));
  };
  await refusedAtOnce('sleep/status', 2);

  await world.pass(60_000);
  const waiting = FRESH.map((path) => world.asked('GET', freshly(path)));
  await world.pass(100);
  await refusedAtOnce('measurement-time', 3);
  for (const { status } of await world.passing(Promise.all(waiting))) t.equal(status, 200);
  client.socket.terminate();
});

t.test(
  'a request that waits for its turn beside a stream longer than its deadline is answered, and says so',
  async (t) => {
    const world = await openWorld(t, { settings: { request_deadline_ms: 3_000 } });
    const client = await world.watch('/sim-1/live');
    await world.until('frames', () => client.frames.length >= 20);
    const answers = [];
    for (let turn = 0; turn < 4; turn += 1) answers.push(await world.get(freshly('sleep/status')));
    for (const { status } of answers) t.equal(status, 200);
    const waits = answers.map(({ body }) => Number(body.waited_ms ?? 0));
    t.ok(Math.max(...waits) > 3_000, `waits of ${waits.join()} ms`);
    client.socket.terminate();
  },
);
