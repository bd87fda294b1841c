/** Guessing and flooding, and that neither keeps others waiting. */
import t from 'tap';
import { openKeyedGateway } from '../support/keyed-gateway.ts';
import { openWorld } from '../support/world.ts';

const bearer = (text: string) => ({ Authorization: `Bearer ${text}` });
const guess = (n: number) => bearer(`slm_${String(n).padStart(8, '0')}_${'x'.repeat(43)}`);

t.test('wrong keys come by HTTP and WebSocket: valid ones of the same address pass', async (t) => {
  const keyed = await openKeyedGateway(t);
  const { headers } = await keyed.key({ name: 'a' });
  const statuses: number[] = [];
  for (let n = 0; n < 20; n++) {
    const answer =
      n % 2 ? await keyed.upgrade('/roof/live', guess(n)) : await keyed.ask('GET', '', { headers: guess(n) });
    statuses.push(answer.status);
  }
  t.ok(statuses.every((status) => status === 401));
  t.equal((await keyed.ask('GET', '', { headers })).status, 200);
  const { socket, status } = await keyed.upgrade('/_live', headers);
  t.equal(status, 101);
  socket.terminate();
});

t.test('a key that has expired or was revoked is no guess', async (t) => {
  const keyed = await openKeyedGateway(t);
  const { headers } = await keyed.key({ name: 'old', expires: '1h' });
  await keyed.clock.advance(3_600_000);
  for (let n = 0; n < 20; n++) t.equal((await keyed.ask('GET', '', { headers })).status, 401);
});

t.test('each key may make so many requests, whatever the others do', async (t) => {
  const keyed = await openKeyedGateway(t, { request_rate: 2, request_burst: 5 });
  const [one, two] = [await keyed.key({ name: 'one' }), await keyed.key({ name: 'two' })];
  const many = (headers: Record<string, string>) =>
    Promise.all(Array.from({ length: 8 }, () => keyed.ask('GET', '/roof/status', { headers })));
  const answers = await many(one.headers);
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 429, 429, 429]);
  t.equal(answers.find(({ status }) => status === 429)?.headers.get('retry-after'), '1');
  t.equal((await keyed.upgrade('/roof/live', one.headers)).status, 429, 'an upgrade is a request');
  t.equal((await keyed.ask('GET', '/roof/status', { headers: two.headers })).status, 200);
  const strangers = await many({});
  t.strictSame(strangers.map(({ status }) => status).sort(), [401, 401, 401, 401, 401, 429, 429, 429]);
  await keyed.clock.advance(1_000);
  t.equal((await keyed.ask('GET', '/roof/status', { headers: one.headers })).status, 200);
});

t.test('unknown paths, and health, are counted as well', async (t) => {
  const keyed = await openKeyedGateway(t, { request_rate: 1, request_burst: 3 });
  await keyed.key({ name: 'one' });
  const health = () => fetch(new URL('/health', keyed.gateway.baseUrl)).then(({ status }) => status);
  t.strictSame(
    [(await keyed.ask('GET', '/a/b/c')).status, await health(), await health(), await health()],
    [404, 200, 200, 429],
  );
  t.equal((await keyed.ask('GET', '/a/b/c')).status, 429);
});

t.test('200 requests for a meter that wait do not keep GET /health waiting', async (t) => {
  const world = await openWorld(t);
  let answered = 0;
  // Time stands still: the meter answers none of them before it is moved.
  const waiting = Array.from({ length: 200 }, (_, n) =>
    world
      .asked(n % 2 ? 'PUT' : 'GET', n % 2 ? '/sim-1/index-number' : '/sim-1/clock', n % 2 ? { json: { index: n } } : {})
      .then(({ status }) => {
        answered++;
        return status;
      }),
  );
  for (let n = 0; n < 20; n++) t.equal((await fetch(new URL('/health', world.base))).status, 200);
  t.ok(answered < 200, 'while some still wait');
  const statuses = new Set(await world.passing(Promise.all(waiting)));
  t.strictSame(
    [...statuses].filter((status) => ![200, 503, 504].includes(status)),
    [],
    'and all get an answer',
  );
});
