/** A server that waits passes on to an instance that falls silent: its connections stay open, and nothing comes any more. */
import { once } from 'node:events';
import { ClientRequest, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { WebSocket, WebSocketServer } from 'ws';
import { systemClock } from '../../lib/clock.ts';
import { type Owner, startStandby } from '../../lib/http/standby.ts';
import { createLog } from '../../lib/log.ts';
import { send } from '../support/send.ts';
import { SETTINGS } from './serve.ts';

t.test('whoever waits for an instance that is silent is told as soon as another one has the meters', async (t) => {
  let come = 0;
  const { promise: bothCame, resolve: both } = Promise.withResolvers<void>();
  const silent = createServer(() => {
    come += 1;
    if (come === 2) both();
  });
  const viewers = new WebSocketServer({ server: silent });
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const owner: Owner = { id: 'north', epoch: 3, address, proof: {} };
  const standby = await startStandby({
    ...{ settings: SETTINGS, version: '0.0.0', clock: systemClock, log: createLog('silent') },
    ...{ troubles: () => [], asked: [], owner: () => owner },
  });
  t.teardown(async () => {
    await standby.drained(0);
    for (const viewer of viewers.clients) viewer.terminate();
    silent.closeAllConnections();
    await once(silent.close(), 'close');
  });
  const url = (path: string) => new URL(path, standby.origin);
  const socket = new WebSocket(url('/_live').href.replace('http', 'ws'));
  const closed = once(socket, 'close');
  const seen = once(viewers, 'connection');
  const asked = ['GET', 'POST'].map((method) => send(url('/roof/start'), { method }));
  await once(socket, 'open');
  const [viewer] = await seen;
  const left = once(viewer, 'close');
  await bothCame;

  standby.follow(owner);
  t.equal(socket.readyState, WebSocket.OPEN, 'the same one: nothing is ended');
  standby.follow({ ...owner, epoch: 4 });
  const answers = await Promise.all(asked);
  t.match(answers, [
    { status: 503, json: { code: 'OWNER_CHANGING' } },
    { status: 502, json: { code: 'OUTCOME_UNKNOWN' } },
  ]);
  t.equal(answers[0]?.headers.get('retry-after'), '5');
  t.strictSame((await closed)[0], 1_006, 'without a word of the gateway');
  await left;
});

t.test('whoever asks by way of it waits as long as a handler may take', async (t) => {
  const { prototype } = ClientRequest;
  const limits = t.capture(prototype, 'setTimeout', prototype.setTimeout);
  const gateway = createServer((_request, response) => response.end('{}'));
  gateway.listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  const address = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const standby = await startStandby({
    ...{ settings: SETTINGS, version: '0.0.0', clock: systemClock, log: createLog('silent') },
    ...{ troubles: () => [], asked: [], owner: () => ({ id: 'north', epoch: 3, address, proof: {} }) },
  });
  t.teardown(async () => {
    await standby.drained(0);
    gateway.closeAllConnections();
    await once(gateway.close(), 'close');
  });
  t.equal((await send(new URL('/roof/doctor', standby.origin), { method: 'GET' })).status, 200);
  t.strictSame(
    limits().map(({ args: [ms] }) => ms),
    [145_000],
    '140 s, and a little for the way',
  );
});
