/** Instances whose address takes a link and brings nothing over it: something else listens there, or another release. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import t, { type Test } from 'tap';
import { type WebSocket, WebSocketServer } from 'ws';
import { LINK_VERSION } from '../../lib/remote/messages.ts';
import { memoryDatabase } from './support/memory-database.ts';
import { openSharing } from './support/sharing.ts';

/** What is done with each link that is opened there. */
async function listensAt(t: Test, opened: (socket: WebSocket) => void): Promise<string> {
  const http = createServer();
  const sockets = new WebSocketServer({ server: http });
  sockets.on('connection', opened);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  t.teardown(() => {
    for (const socket of sockets.clients) socket.terminate();
    http.close();
  });
  const address = http.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

/** As an instance does, until it is told units: those it does not understand. */
function refusesUnits(socket: WebSocket): void {
  socket.on('message', (text) => {
    const { kind, id } = JSON.parse(String(text));
    if (kind === 'ping') socket.send(JSON.stringify({ kind: 'pong', id, version: LINK_VERSION, elapsed: 1 }));
    else if (kind === 'units') socket.close();
  });
}

t.test('an instance whose link opens and carries nothing gets no meters, and is told', async (t) => {
  const { begin, first, atRest, unitsOf, ask, lines } = await openSharing(t, memoryDatabase, ['one'], 2);
  const peers = { ends: (socket: WebSocket) => socket.close(), silent: () => {}, refuses: refusesUnits };
  for (const [name, opened] of Object.entries(peers))
    await begin(name, name, { instance_address: await listensAt(t, opened) });
  t.strictSame(await atRest(), { one: 2, ends: 0, silent: 0, refuses: 0 });
  t.strictSame(await unitsOf(), [200, 200]);
  const { json } = await ask('GET', `http://127.0.0.1:${first.instance.port}/health`);
  for (const name of Object.keys(peers)) {
    const isToldOf = ({ part, detail }: { part: string; detail: string }) =>
      part === 'instances' && detail.startsWith(`The instance ${name} shares meters and is not reached`);
    t.ok(json.problems?.some(isToldOf), name);
    const told = lines.filter((line) => line.includes(`"instance":"${name}"`) && line.includes('has ended'));
    t.equal(told.length, 1, `${name}: the log says it once, although it is tried each second`);
  }
});

/** As an instance does for some seconds. */
function breaksOff(socket: WebSocket): void {
  let isTold = false;
  let pings = 0;
  socket.on('message', (text) => {
    const { kind, id } = JSON.parse(String(text));
    isTold ||= kind === 'units';
    if (kind !== 'ping') return;
    if (isTold) pings += 1;
    if (pings > 1) socket.close();
    else socket.send(JSON.stringify({ kind: 'pong', id, version: LINK_VERSION, elapsed: 1 }));
  });
}

t.test('an instance whose link begins and ends again and again is told', async (t) => {
  const { begin, first, ask, pass, lines } = await openSharing(t, memoryDatabase, ['one'], 0);
  await begin('breaks', 'breaks', { instance_address: await listensAt(t, breaksOff) });
  const isTold = async () => {
    const { json } = await ask('GET', `http://127.0.0.1:${first.instance.port}/health`);
    return /The instance breaks shares meters and is not reached, or never for long/.test(JSON.stringify(json));
  };
  await pass(10_000, { stepMs: 100 });
  t.notOk(await isTold());
  await pass(40_000, { stepMs: 100 });
  t.ok(await isTold());
  const linked = lines.filter((line) => line.includes('are linked') && line.includes('"instance":"breaks"'));
  t.ok(linked.length >= 2, `${linked.length} links began`);
});
