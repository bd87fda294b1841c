/** A body that the gateway refuses before it has come whole, by way of an instance that waits: the caller gets the answer. */
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { systemClock } from '../../lib/clock.ts';
import { startStandby } from '../../lib/http/standby.ts';
import { createLog } from '../../lib/log.ts';
import { ending, open } from '../support/raw.ts';
import { BASE, route, SETTINGS, serve } from './serve.ts';

const path = `${BASE}/roof/thing`;
const PIECE = Buffer.alloc(65_536, ' ');

/** The port of an instance that waits, beside a gateway that takes bodies up to 1,024 bytes. */
async function waiting(t: Test): Promise<number> {
  const { http } = await serve(t, { routes: [route({ method: 'PUT', body: { type: 'object' } })] });
  const owner = { id: 'north', epoch: 3, address: http.origin, proof: {} };
  const standby = await startStandby({
    ...{ settings: SETTINGS, version: '0.0.0', clock: systemClock, log: createLog('silent') },
    ...{ troubles: () => [], asked: [], owner: () => owner },
  });
  t.teardown(() => standby.drained(0));
  return standby.port;
}

/** Of a body of 4 MB in pieces. */
function answerTo(port: number, headers: Record<string, string | number>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, path, method: 'PUT', agent: false, headers }, (answer) => {
      json(answer).then((body) => resolve({ status: answer.statusCode, body }), reject);
    });
    sent.on('error', reject);
    for (let pieces = 0; pieces < 64; pieces += 1) sent.write(PIECE);
    sent.end();
  });
}

const head = (lines: string) =>
  `PUT ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${lines}\r\n`;

t.test('a body that is too large is 413 each time, however it is sent', async (t) => {
  const port = await waiting(t);
  const type = { 'Content-Type': 'application/json', Connection: 'keep-alive' };
  const sorts = {
    'in chunks': { 'Transfer-Encoding': 'chunked' },
    'with its length': { 'Content-Length': 64 * PIECE.length },
    'in chunks, after 100': { 'Transfer-Encoding': 'chunked', Expect: '100-continue' },
  };
  for (const [sort, headers] of Object.entries(sorts)) {
    for (let times = 0; times < 10; times += 1)
      t.match(await answerTo(port, { ...type, ...headers }), { status: 413, body: { code: 'BODY_TOO_LARGE' } }, sort);
  }
});

t.test('what is left of a refused body holds up no request that comes next', async (t) => {
  const port = await waiting(t);
  for (const size of [20_000, 300_000, 3_000_000]) {
    const refused = open(port);
    refused.write(`${head(`Content-Length: ${size}\r\nConnection: close\r\n`)}${' '.repeat(size)}`);
    await ending(refused);
    const next = open(port);
    next.write(`${head('Content-Length: 2\r\nConnection: close\r\n')}{}`);
    t.match(await ending(next), /^HTTP\/1\.1 200 /, `${size} bytes`);
  }
});

t.test('the connection goes on after a refused body: its rest is no next request', async (t) => {
  const port = await waiting(t);
  const socket = open(port);
  const large = ' '.repeat(300_000);
  socket.write(`${head('Transfer-Encoding: chunked\r\n')}${large.length.toString(16)}\r\n${large}\r\n`);
  socket.once('data', () => {
    socket.write(`${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`);
    socket.write(`${head('Content-Length: 2\r\nConnection: close\r\n')}{}`);
  });
  t.match(await ending(socket), /^HTTP\/1\.1 413 [\s\S]*HTTP\/1\.1 200 /);
});

t.test('a caller that wants its connection closed after the answer has it closed', async (t) => {
  const port = await waiting(t);
  for (const [lines, body] of [
    ['Content-Length: 2\r\n', '{}'],
    ['Transfer-Encoding: chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'],
  ]) {
    const socket = open(port);
    socket.write(`${head(`${lines}Connection: close\r\n`)}${body}`);
    const answer = await ending(socket);
    t.match(answer, /^HTTP\/1\.1 200 [\s\S]*connection: close\r\n/i);
    t.notMatch(answer, /keep-alive/i);
  }
});
