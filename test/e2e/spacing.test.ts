/** The rest between commands: whoever asks, and however many at once. */
import t from 'tap';
import type { MeterEvent } from '../../simulator/index.ts';
import { CONTROLS } from '../support/endpoints.ts';
import { configOf, openWorld } from '../support/world.ts';

t.test('of 50 requests at once to one meter no two commands are closer than a second', async (t) => {
  const world = await openWorld(t, { settings: { request_deadline_ms: 600_000, queue_limit: 100 } });
  const some = CONTROLS.filter(({ path }) => path !== '/settings/all');
  const requests = Array.from({ length: 50 }, (_, index) => {
    const { method, path, body } = some[index % some.length] ?? { method: 'GET', path: '/clock' };
    return world.asked(method, `/sim-1${path}`, body ? { json: body } : {});
  });
  const answers = await world.passing(Promise.all(requests));
  for (const { status, body } of answers) t.ok([200, 409].includes(status), `${status} ${JSON.stringify(body)}`);
  t.same(world.meter.log.spacingViolations(1_000), []);
  t.ok(world.meter.log.commands.length >= 30, 'and they were all sent');
  t.equal(world.meter.log.connects, 0, 'over the connection that was open');
});

/** How late the meter frees its one connection is another matter (`test/fault/slot.test.ts`). */
const FREE_AT_ONCE = { slot_free_delay_ms: 0 } as const;

t.test('a unit that is removed and comes back still waits for the rest of its meter', async (t) => {
  const world = await openWorld(t, { quirks: FREE_AT_ONCE });
  await world.get('/sim-1/battery');
  t.equal((await world.delete('/sim-1/config')).status, 200);
  await world.configure('sim-1', world.meter);
  // Its place may still be taken, so a question comes before the setting.
  t.same(world.meter.log.commands, ['Battery Level?', 'Measure?', 'Sleep Mode,Off']);
  t.same(world.meter.log.spacingViolations(), []);
});

t.test('two units with the address of one meter share its rest', async (t) => {
  const world = await openWorld(t, { quirks: FREE_AT_ONCE, settings: { connection: 'per-command' } });
  await world.put('/twin/config', configOf(world.meter));
  for (let round = 0; round < 3; round++)
    for (const unitId of ['sim-1', 'twin']) t.equal((await world.get(`/${unitId}/battery`)).status, 200);
  t.same(world.meter.log.spacingViolations(), []);
});

t.test('commands and FTP keep their distance also where TCP is switched off or on between them', async (t) => {
  const world = await openWorld(t);
  await world.ftpOn();
  const { events } = world.meter.log;
  const last = (kind: MeterEvent['kind']) => events.findLast((event) => event.kind === kind)?.at ?? 0;
  await world.get('/sim-1/battery');
  const replied = last('out');
  await world.put('/sim-1/config', { tcp_enabled: false });
  t.equal((await world.get('/sim-1/ftp/files')).status, 200);
  const first = events.find((event) => event.kind === 'ftp' && event.at > replied)?.at ?? 0;
  t.ok(first - replied >= 1_000, `${first - replied} ms from the reply to the login`);
  const left = last('ftp');
  await world.put('/sim-1/config', { tcp_enabled: true });
  t.ok(last('command') - left >= 1_000, `${last('command') - left} ms from the farewell to the command`);
});

t.test('two meters do not wait for each other', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  const began = world.clock.elapsed();
  const requests = [1, 2].flatMap((unit) =>
    ['battery', 'clock', 'sleep/status', 'ftp/status'].map((path) => world.asked('GET', `/sim-${unit}/${path}`)),
  );
  for (const { status } of await world.passing(Promise.all(requests))) t.equal(status, 200);
  t.ok(world.clock.elapsed() - began < 6_000);
  for (const meter of world.meters) t.same(meter.log.spacingViolations(), []);
});

t.test('a queue that is full answers 503 with Retry-After; a long wait ends in 504', async (t) => {
  const world = await openWorld(t, { settings: { queue_limit: 3, request_deadline_ms: 2_500 } });
  const paths = ['battery', 'clock', 'sleep/status', 'ftp/status', 'lp-interval', 'index-number', 'results'];
  const answers = await world.passing(Promise.all(paths.map((path) => world.asked('GET', `/sim-1/${path}`))));
  const busy = answers.filter(({ status }) => status === 503);
  t.ok(busy.length >= 1);
  for (const { body, headers } of busy) {
    t.match(body, { code: 'DEVICE_BUSY', detail: String });
    t.match(headers.get('retry-after'), /^\d+$/);
  }
  const late = answers.filter(({ status }) => status === 504);
  for (const { body } of late) t.match(body, { code: 'QUEUE_TIMEOUT', detail: String });
});

t.test('when a caller hangs up, its waiting command is dropped', async (t) => {
  const world = await openWorld(t);
  const busy = world.asked('GET', '/sim-1/battery');
  const leaving = new AbortController();
  const left = fetch(`${world.base}/sim-1/stop`, { method: 'POST', signal: leaving.signal }).catch(() => 'left');
  await world.pass(200);
  leaving.abort();
  t.equal(await left, 'left');
  await world.passing(busy);
  await world.pass(5_000);
  t.notOk(world.meter.log.commands.includes('Measure,Stop'));
});
