/** How long a body may take: a line of JSON a fixed time, a file as long as it keeps coming. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import t, { type Test } from 'tap';
import { stream } from '../../lib/http/reply.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { ending, open, request } from '../support/raw.ts';
import { BASE, route, serve } from './serve.ts';

const SECOND = 1_000;
const CHUNK = 'x'.repeat(15_000);

async function importing(t: Test, bytes: number) {
  const clock = new VirtualClock();
  const taken: number[] = [];
  const upload = { contentType: 'text/csv', limit: 64_000_000 };
  const take = route({
    method: 'POST',
    upload,
    answer: { taken: { type: 'integer' } },
    async handle({ upload }) {
      for await (const chunk of upload) taken.push(chunk.length);
      return { taken: sum(taken) };
    },
  });
  const { http } = await serve(t, { routes: [take], clock, settings: { receiveTimeoutMs: 15 * SECOND } });
  const socket = open(http.port);
  const answer = ending(socket);
  socket.write(
    `POST ${BASE}/roof/thing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: text/csv\r\nContent-Length: ${bytes}\r\n\r\n`,
  );
  const arrived = async (total: number) => {
    while (sum(taken) < total && !socket.closed) await turn();
  };
  return { clock, socket, answer, arrived };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);
const turn = () => new Promise((resolve) => setImmediate(resolve));
const sendTo = async (socket: Socket, text: string) => {
  if (!socket.write(text)) await once(socket, 'drain');
};

t.test('a file of 3 MB at 150 kB in a second takes longer than 15 s and arrives whole', async (t) => {
  const { clock, socket, answer, arrived } = await importing(t, 3_000_000);
  for (let sent = 0; sent < 3_000_000; ) {
    await sendTo(socket, CHUNK);
    sent += CHUNK.length;
    await arrived(sent);
    await clock.advance(100);
  }
  t.match(await answer, /^HTTP\/1\.1 200 [\s\S]*"taken":3000000\}$/);
  t.ok(clock.elapsed() > 15 * SECOND);
  t.equal(clock.pending, 0);
});

t.test('silence within a file is 408 after 15 s, and the connection ends', async (t) => {
  const { clock, socket, answer, arrived } = await importing(t, 3_000_000);
  await sendTo(socket, CHUNK);
  await arrived(CHUNK.length);
  await turn();
  await clock.advance(14_999);
  t.equal(socket.closed, false);
  await clock.advance(1);
  t.match(await answer, /^HTTP\/1\.1 408 [\s\S]*"Nothing of the body came for 15 s\."[\s\S]*"REQUEST_TIMEOUT"/);
});

t.test('a file that comes with less than 1,000 bytes in a second is 408', async (t) => {
  const { clock, socket, answer, arrived } = await importing(t, 3_000_000);
  const ended = once(socket, 'close');
  let sent = 0;
  while (!socket.closed && clock.elapsed() < 60 * SECOND) {
    socket.write('x'.repeat(5_000));
    sent += 5_000;
    await Promise.race([arrived(sent), ended]);
    await clock.advance(10 * SECOND);
    for (let turns = 0; turns < 20; turns++) await turn();
  }
  t.match(await answer, /^HTTP\/1\.1 408 [\s\S]*less than 1000 bytes in a second/);
  t.ok(clock.elapsed() <= 30 * SECOND);
});

t.test('the time that the reader of a file takes does not count', async (t) => {
  const clock = new VirtualClock();
  const slow = route({
    method: 'POST',
    upload: { contentType: 'text/csv', limit: 1_000 },
    async handle({ upload }) {
      await new Promise<void>((resolve) => clock.after(60 * SECOND, resolve));
      for await (const _ of upload);
      return {};
    },
  });
  const { http } = await serve(t, { routes: [slow], clock, settings: { receiveTimeoutMs: 15 * SECOND } });
  const headers = { Host: 'localhost', 'Content-Type': 'text/csv', 'Content-Length': '3' };
  const answer = request(http.port, `POST ${BASE}/roof/thing`, headers, 'a,b');
  t.equal((await clock.until(answer)).status, 200);
  t.ok(clock.elapsed() >= 60 * SECOND);
});

t.test('a body that is no file has 15 s in all, also where nobody reads it', async (t) => {
  const clock = new VirtualClock();
  const { http } = await serve(t, {
    routes: [route({}), route({ method: 'POST' })],
    clock,
    settings: { receiveTimeoutMs: 15 * SECOND },
  });
  for (const line of [`POST ${BASE}/roof/thing`, `GET ${BASE}/roof/thing`, 'POST /nowhere']) {
    const socket = open(http.port);
    const gone = ending(socket);
    socket.write(
      `${line} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    );
    while (clock.pending === 0) await turn();
    await clock.advance(14_999);
    t.equal(socket.closed, false, line);
    await clock.advance(1);
    await gone;
    t.equal(clock.pending, 0, line);
  }
});

async function* piecesUntil(begun: () => void): AsyncGenerator<string> {
  yield 'a,b\n';
  begun();
  await new Promise(() => {});
}

t.test('an answer that has begun is cut off when the next bytes are no HTTP; nothing is mixed into it', async (t) => {
  const { promise: first, resolve: begun } = Promise.withResolvers<void>();
  const endless = route({
    answer: 'text',
    contentTypes: ['text/csv'],
    handle: () => stream({ contentType: 'text/csv', stream: piecesUntil(begun) }),
  });
  const { http } = await serve(t, { routes: [endless] });
  const socket = open(http.port);
  const answer = ending(socket);
  socket.write(`GET ${BASE}/roof/thing HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await first;
  while (socket.bytesRead === 0) await turn();
  socket.write('nonsense\r\n\r\n');
  const text = await answer;
  t.match(text, /^HTTP\/1\.1 200 /);
  t.notMatch(text, /400 Bad Request/);
});
