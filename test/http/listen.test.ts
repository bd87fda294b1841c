/** The listening socket in rare cases. */
import { once } from 'node:events';
import { connect } from 'node:net';
import t from 'tap';
import { announcedOrigins } from '../../lib/http/listen.ts';
import { BASE, route, serve } from './serve.ts';

const address = (address: string, internal = false, scopeid?: number) => ({
  address,
  internal,
  netmask: '',
  mac: '',
  cidr: null,
  ...(address.includes(':') ? { family: 'IPv6' as const, scopeid: scopeid ?? 0 } : { family: 'IPv4' as const }),
});

t.test('a gateway on all addresses tells those that others can reach, and no loopback address', async (t) => {
  const settings = { tls: undefined } as Parameters<typeof announcedOrigins>[0];
  const interfaces = {
    lo: [address('127.0.0.1', true), address('::1', true)],
    eth0: [address('192.0.2.7'), address('2001:db8::7'), address('fe80::1', false, 2)],
  };
  const told = (host: string) => announcedOrigins({ ...settings, host }, 8_100, interfaces);
  t.strictSame(told('0.0.0.0'), ['http://192.0.2.7:8100']);
  t.strictSame(told('::'), ['http://192.0.2.7:8100', 'http://[2001:db8::7]:8100']);
  t.strictSame(told('127.0.0.1'), ['http://127.0.0.1:8100']);
});

/** A route that answers when the test says so, and tells when its caller has gone. */
function slowThing() {
  const began = Promise.withResolvers<void>();
  const left = Promise.withResolvers<string>();
  const done = Promise.withResolvers<object>();
  const slow = route({
    answer: { word: { type: 'string' } },
    handle: ({ caller: { signal } }) => {
      signal.addEventListener('abort', () => left.resolve('aborted'));
      began.resolve();
      return done.promise;
    },
  });
  return { slow, began: began.promise, left: left.promise, answerNow: () => done.resolve({ word: 'done' }) };
}

const REQUEST = (version: string) => `GET ${BASE}/roof/thing HTTP/${version}\r\nHost: localhost\r\n\r\n`;

for (const version of ['1.0', '1.1'])
  t.test(`HTTP/${version}: a client that ends its side after the request gets its answer`, async (t) => {
    const { slow, began, left, answerNow } = slowThing();
    const { http } = await serve(t, { routes: [slow] });
    const socket = connect({ port: http.port, host: '127.0.0.1', allowHalfOpen: true });
    let read = '';
    socket.setEncoding('latin1').on('data', (text) => {
      read += text;
    });
    socket.end(REQUEST(version));
    await began;
    // After the other side has ended, the gateway sends a text that arrives before the answer.
    if (version === '1.1') while (!read.includes('100 Continue')) await once(socket, 'data');
    answerNow();
    await once(socket, 'end');
    t.match(read, /HTTP\/1\.1 200 OK.*"word":"done"/s);
    t.equal(await Promise.race([left, 'open']), 'open', 'and it never counted as gone');
  });

t.test('a client that closes both sides has left: nobody works for it', async (t) => {
  const { slow, began, left } = slowThing();
  const { http } = await serve(t, { routes: [slow] });
  const socket = connect({ port: http.port, host: '127.0.0.1' });
  socket.write(REQUEST('1.1'));
  await began;
  socket.destroy();
  t.equal(await left, 'aborted');
});

t.test('a connection is kept for a next request for longer than proxies keep theirs', async (t) => {
  const { http } = await serve(t, { routes: [route({})] });
  const answer = await fetch(`${http.origin}/livez`);
  await answer.arrayBuffer();
  t.equal(answer.headers.get('keep-alive'), 'timeout=75');
});
