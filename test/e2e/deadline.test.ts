/** How long a caller waits is up to the caller: a header or a parameter, and never longer than the setting. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

t.test('timeout_s and Request-Timeout end the wait for a meter that says nothing, at their time', async (t) => {
  const world = await openWorld(t);
  world.meter.faults.on('no-reply');
  const header = (seconds: string) => ({ headers: { 'Request-Timeout': seconds } });
  const waits = [
    [world.asked('GET', '/sim-1/battery?timeout_s=2'), 2_000],
    [world.asked('GET', '/sim-1/clock?timeout_s=1.5'), 1_500],
    [world.asked('GET', '/sim-1/sleep/status', header('3')), 3_000],
    [world.asked('GET', '/sim-1/ftp/status?timeout_s=4', header('1')), 1_000],
    [world.asked('PUT', '/sim-1/clock?timeout_s=2', { json: { datetime: '2025/12/24,02:10:55' } }), 2_000],
  ] as const;
  const answers = await world.passing(Promise.all(waits.map(async ([answer, ms]) => ({ ...(await answer), ms }))));
  // The log tells the time at the gateway: until a busy computer reads the answer, the clock of the test may have moved on.
  const lines = world.log.map((line) => JSON.parse(line) as { request?: string; ms?: number });
  for (const { status, headers, body, ms } of answers) {
    t.equal(status, 504, body.code);
    t.match(body.code, /^(DEVICE|QUEUE)_TIMEOUT$/);
    const late = (lines.find(({ request }) => request === headers.get('x-request-id'))?.ms ?? Number.NaN) - ms;
    t.ok(late >= 0 && late <= 200, `${late} ms late`);
  }
});

t.test('a wrong number of seconds is refused; requests that ask no meter ignore it', async (t) => {
  const world = await openWorld(t);
  for (const path of [
    '/sim-1/battery?timeout_s=soon',
    '/sim-1/status?timeout_s=0',
    '/sim-1/live?timeout_s=1&timeout_s=2',
  ])
    t.match(await world.get(path), { status: 422, body: { errors: [{ path: '/timeout_s' }] } }, path);
  t.equal((await world.get('/sim-1/battery?timeout_s=999999')).status, 200, 'a longer one changes nothing');
  t.equal((await world.get('/_polling/status?timeout_s=1')).status, 200);
  const viewer = await world.watch('/sim-1/live?timeout_s=5');
  t.equal(viewer.refused, undefined);
  viewer.socket.terminate();
});
