/** Handlers of plugins that never answer: they are given up, named, and stop nobody. */
import { EventEmitter, once } from 'node:events';
import t from 'tap';
import { WebSocket } from 'ws';
import { VirtualClock } from '../../simulator/clock.ts';
import { BASE, route, serve } from './serve.ts';

/** 30 s for the meter, and 110 s more. */
const LIMIT_MS = 140_000;

t.test(
  'a handler that never answers is given up with the name of its plugin, and others are answered meanwhile',
  async (t) => {
    const clock = new VirtualClock();
    const told = new EventEmitter();
    const never = route({
      handle: ({ caller }) => {
        caller.signal.addEventListener('abort', () => told.emit('left', caller.signal.reason));
        told.emit('begun');
        return new Promise(() => {});
      },
    });
    const { ask, log } = await serve(t, { routes: [never, route({ path: '/{unit_id}/other' })], clock });
    const begun = once(told, 'begun');
    const left = once(told, 'left');
    let answered = false;
    const answer = ask('GET', `${BASE}/roof/thing`).finally(() => {
      answered = true;
    });
    await begun;
    await clock.advance(LIMIT_MS - 1);
    t.equal((await ask('GET', `${BASE}/roof/other`)).status, 200);
    t.notOk(answered, 'it has its whole time');
    await clock.advance(1);
    t.match(await answer, {
      status: 504,
      body: { code: 'PLUGIN_TIMEOUT', detail: 'The plugin gateway did not answer GET /{unit_id}/thing within 140 s.' },
    });
    await left;
    t.ok(log.some((line) => line.includes('was given up') && line.includes('"plugin":"gateway"')));
  },
);

t.test('an upgrade about which a plugin never decides is refused in the end', async (t) => {
  const clock = new VirtualClock();
  const told = new EventEmitter();
  const socket = {
    path: '/{unit_id}/stream',
    access: 'viewer' as const,
    summary: 'Never',
    messages: [],
    errors: [],
    admit: () => {
      told.emit('begun');
      return new Promise<void>(() => {});
    },
    open() {},
  };
  const { http } = await serve(t, { sockets: [socket], clock });
  const begun = once(told, 'begun');
  const client = new WebSocket(`${http.origin.replace('http', 'ws')}${BASE}/roof/stream`);
  client.on('error', () => {});
  const refused = once(client, 'unexpected-response');
  await begun;
  await clock.advance(LIMIT_MS);
  const [, response] = await refused;
  t.equal(response.statusCode, 504);
  response.destroy();
});
