import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { get, type RequestOptions } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { readPair } from '../../lib/http/tls.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { type Certificate, selfSigned } from '../support/certificate.ts';
import { BASE, serve } from './serve.ts';

const stream = { path: '/stream', access: 'public', summary: 'A stream', messages: [], errors: [] } as const;

async function secure(t: Test, settings: { receiveTimeoutMs?: number } = {}) {
  const folder = t.testdir();
  const tls = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  const put = ({ cert, key }: Certificate) => {
    writeFileSync(tls.certFile, cert);
    writeFileSync(tls.keyFile, key);
  };
  const first = selfSigned('first');
  put(first);
  const clock = new VirtualClock();
  const sockets = [{ ...stream, admit() {}, open() {} }];
  const served = await serve(t, { clock, sockets, settings: { tls, ...settings } });
  return { ...served, clock, tls, put, first };
}

/** Status and headers over TLS, with a certificate that the client trusts. */
async function ask(port: number, ca: string, options: RequestOptions = {}) {
  const [response] = await once(
    get({ port, host: 'localhost', path: '/health', ca, agent: false, ...options }),
    'response',
  );
  response.resume();
  await once(response, 'end');
  return { status: response.statusCode, headers: response.headers };
}

/** The name in the certificate that the server shows. */
async function shown(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

t.test('with certificate and key the server speaks HTTPS and asks browsers to keep to it', async (t) => {
  const { http, first } = await secure(t);
  t.match(http.origin, /^https:\/\/127\.0\.0\.1:\d+$/);
  const { status, headers } = await ask(http.port, first.cert);
  t.equal(status, 200);
  t.equal(headers['strict-transport-security'], 'max-age=31536000');
  const own = await ask(http.port, first.cert, { headers: { Origin: `https://localhost:${http.port}` } });
  t.equal(own.status, 200, 'its own origin is https');
  const plain = await ask(http.port, first.cert, { headers: { Origin: `http://localhost:${http.port}` } });
  t.equal(plain.status, 403);
  await t.rejects(fetch(`http://127.0.0.1:${http.port}/health`), 'plain HTTP gets nothing');
});

t.test('a WebSocket goes over TLS, too', async (t) => {
  const { http, first } = await secure(t);
  const client = new WebSocket(`wss://localhost:${http.port}${BASE}/stream`, { ca: first.cert });
  await once(client, 'open');
  client.terminate();
});

t.test('a new certificate is taken up without a restart', async (t) => {
  const { http, clock, put, log } = await secure(t);
  t.equal(await shown(http.port), 'first');
  put(selfSigned('second'));
  await clock.advance(5_000);
  t.equal(await shown(http.port), 'second');
  t.ok(log.some((line) => line.includes('was read again')));
});

t.test('a new pair that does not fit is not used, until it fits', async (t) => {
  const { http, clock, tls, log } = await secure(t);
  const next = selfSigned('next');
  writeFileSync(tls.certFile, next.cert);
  for (let look = 0; look < 3; look++) await clock.advance(5_000);
  t.equal(await shown(http.port), 'first');
  t.equal(log.filter((line) => line.includes('cannot be used')).length, 1, 'said once');
  writeFileSync(tls.keyFile, next.key);
  await clock.advance(5_000);
  t.equal(await shown(http.port), 'next');
});

t.test('a closed server no longer looks at its files', async (t) => {
  const { http, clock } = await secure(t);
  await http.drained(1_000);
  t.equal(clock.pending, 0);
});

t.test('files that are missing or do not fit are named', async (t) => {
  const { tls } = await secure(t);
  const certFile = `${tls.certFile}.none`;
  t.throws(() => readPair({ ...tls, certFile }), { message: /the certificate file .*none cannot be read/ });
  t.throws(() => readPair({ ...tls, keyFile: certFile }), { message: /the key file .*none cannot be read/ });
  t.throws(() => readPair({ ...tls, keyFile: tls.certFile }), { message: /do not work together/ });
});

t.test('a connection that never begins its handshake is closed in time', async (t) => {
  const { http } = await secure(t, { receiveTimeoutMs: 100 });
  const silent = connectPlain(http.port, 'localhost');
  silent.on('error', () => {});
  await once(silent, 'close');
});

t.test('a connection that never begins its handshake does not delay a stop', async (t) => {
  const { http, clock } = await secure(t);
  const silent = connectPlain(http.port, 'localhost');
  silent.on('error', () => {});
  await once(silent, 'connect');
  const gone = once(silent, 'close');
  await clock.until(http.drained(1_000));
  await gone;
});
