/** What the listening socket does at its edges. */
import { once } from 'node:events';
import { connect } from 'node:net';
import t from 'tap';
import { announcedOrigins } from '../../lib/http/listen.ts';
import { BASE, route, serve } from './serve.ts';

const address = (address: string, internal = false, scopeid?: number) => ({
  ...{ address, internal, netmask: '', mac: '', cidr: null },
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

t.test('a client that closes its half of the connection has left: the other half is closed at once', async (t) => {
  const began = Promise.withResolvers<void>();
  const left = Promise.withResolvers<string>();
  const slow = route({
    handle: ({ caller: { signal } }) => {
      signal.addEventListener('abort', () => left.resolve(signal.aborted ? 'aborted' : 'open'));
      began.resolve();
      return new Promise(() => {});
    },
  });
  const { http } = await serve(t, { routes: [slow] });
  const socket = connect({ port: http.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.write(`GET ${BASE}/roof/thing HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await began.promise;
  socket.resume().end();
  await once(socket, 'end');
  t.equal(await left.promise, 'aborted', 'and the meter works for nobody');
});

t.test('a connection is kept for a next request for longer than proxies keep theirs', async (t) => {
  const { http } = await serve(t, { routes: [route({})] });
  const answer = await fetch(`${http.origin}/livez`);
  await answer.arrayBuffer();
  t.equal(answer.headers.get('keep-alive'), 'timeout=75');
});
