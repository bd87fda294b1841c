/** Alerts at a broker that a user has entered: confirmed, refused, silent, hostile; in the clear and by TLS. */
import { createServer as createTcp, type Server, type Socket } from 'node:net';
import tls from 'node:tls';
import { Aedes } from 'aedes';
import t, { type Test } from 'tap';
import { createOutbound } from '../../lib/outbound/index.ts';
import { createPolicy } from '../../lib/outbound/policy.ts';
import { sendMqtt } from '../../plugins/alerts/delivery/mqtt/mqtt-message.ts';
import type { Present } from '../../plugins/alerts/delivery/target-kind.ts';
import { targetProblems } from '../../plugins/alerts/delivery/target-routes.ts';
import type { DeliveryRow } from '../../plugins/alerts/tables.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { openBroker } from '../mqtt/support.ts';
import { selfSigned } from '../support/certificate.ts';

const signal = new AbortController().signal;
const names = { loopback: 'outbound_allow_networks', allowNetworks: 'outbound_allow_networks' };

function outboundTo(allowNetworks: string[]) {
  const clock = new VirtualClock();
  const settings = {
    allowLoopback: false,
    allowPrivate: true,
    allowNetworks,
    denyNetworks: [],
    allowPorts: [],
    denyPorts: [],
  };
  const { addresses } = createPolicy({ settings, names, ownPort: () => 8_100 });
  return { clock, outbound: createOutbound({ clock, addresses, internet: addresses }) };
}
const local = ['127.0.0.0/8'];
const message: DeliveryRow = {
  id: 7,
  targetId: 1,
  phone: null,
  eventId: 3,
  type: 'opened',
  event: { unit_id: 'roof' },
  state: 'waiting',
  tries: 0,
  createdAt: Date.UTC(2026, 10, 21),
  notBefore: 0,
  endedAt: null,
  outcome: '',
  batch: null,
  reach: null,
};
const target = (url: string, more: object = {}) =>
  ({ name: 'Broker', enabled: true, resolved: true, kind: 'mqtt', url, topic: 'site/alarms', ...more }) as const;

async function listening(t: Test, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    sockets.add(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

t.test('a message is confirmed by the broker, with an id that is the same at each try', async (t) => {
  const broker = await openBroker(t);
  broker.aedes.authenticate = (_client, username, password, done) =>
    done(null, username === 'slm' && String(password) === 'right');
  const { clock, outbound } = outboundTo(local);
  const send = (password: string) =>
    sendMqtt(outbound, target(broker.url, { username: 'slm' }), password, message, signal);
  t.match(await send('right'), { ok: true, outcome: /confirmed/ });
  t.match(await send('right'), { ok: true });
  const [first, second] = broker.texts('site/alarms');
  t.equal(first, second);
  t.match(JSON.parse(first ?? ''), { id: /^msg_\d+_7$/, type: 'alert.opened', data: { unit_id: 'roof' } });
  t.equal(
    broker.seen.some(({ retain }) => retain),
    false,
  );
  const refused = await send('canary').catch((error: unknown) => error);
  t.match(refused, { code: 'OUTBOUND_FAILED', message: /Not authorized/ });
  t.notMatch(String((refused as Error).message), /canary/);
  t.equal(clock.pending, 0, 'no timer is left');
});

t.test('by TLS, with a certificate that is checked', async (t) => {
  const { cert, key } = selfSigned('broker');
  const aedes = await Aedes.createBroker();
  t.teardown(() => new Promise<void>((resolve) => aedes.close(() => resolve())));
  const seen: string[] = [];
  aedes.on('publish', ({ topic }, client) => {
    if (client) seen.push(topic);
  });
  const port = await listening(t, tls.createServer({ cert, key }, aedes.handle));
  const { outbound } = outboundTo(local);
  const send = () => sendMqtt(outbound, target(`mqtts://localhost:${port}`), undefined, message, signal);
  await t.rejects(send(), { code: 'OUTBOUND_FAILED', message: /self-signed certificate/ });
  const usual = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...usual, cert]);
  t.teardown(() => tls.setDefaultCACertificates(usual));
  t.match(await send(), { ok: true });
  t.strictSame(seen, ['site/alarms']);
});

t.test('an address that is no broker, is silent, or talks without end is left in time', async (t) => {
  const { clock, outbound } = outboundTo(local);
  const to = (port: number) => sendMqtt(outbound, target(`mqtt://127.0.0.1:${port}`), undefined, message, signal);
  const rubbish = await listening(
    t,
    createTcp((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  );
  await t.rejects(to(rubbish), { code: 'OUTBOUND_FAILED' });
  const endless = createTcp((socket) => {
    // The beginning of a message of 200 MB, and then more and more.
    socket.write(Buffer.from([0x20, 2, 0, 0, 0x30, 0x80, 0xc2, 0xd7, 0x5f, 0, 1, 0x61]));
    const more = () => socket.write(Buffer.alloc(32_000), (error) => void (error ?? setImmediate(more)));
    more();
  });
  await t.rejects(to(await listening(t, endless)), { code: 'OUTBOUND_FAILED', message: /65536 bytes/ });
  const silent = to(
    await listening(
      t,
      createTcp(() => {}),
    ),
  );
  silent.catch(() => {});
  await clock.advance(15_000);
  await t.rejects(silent, { code: 'OUTBOUND_FAILED', message: /15 s/ });
  await t.rejects(to(1), { message: /ECONNREFUSED/ });
  t.equal(clock.pending, 0);
});

t.test('brokers are judged as webhooks are, in every spelling', async (t) => {
  const { outbound } = outboundTo([]);
  for (const host of [
    '127.0.0.1',
    '127.1',
    '0x7f.0.0.1',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    'localhost',
    '169.254.169.254',
    '0xa9fea9fe',
  ])
    for (const scheme of ['mqtt', 'mqtts', 'MQTT'])
      await t.rejects(outbound.check(`${scheme}://${host}:1883`, signal), { code: 'ADDRESS_REFUSED' }, host);
  for (const url of [
    'mqtt://u:p@192.0.2.7',
    'mqtt://192.0.2.7/topic',
    'mqtt://',
    'mqtt://192.0.2.7:99999',
    'mqttx://192.0.2.7',
  ])
    await t.rejects(outbound.check(url, signal), { code: 'INVALID', errors: [{ path: '/url' }] }, url);
  const own = outboundTo(local);
  await t.rejects(own.outbound.check('mqtt://127.0.0.1:8100', signal), { code: 'ADDRESS_REFUSED', message: /itself/ });
});

t.test('words of a target that do not belong together are refused, and a password stays with its broker', async (t) => {
  const asked = target('mqtts://192.0.2.7:8883', { username: 'slm', secret: 'x' });
  const paths = (more: object, present?: Present) =>
    targetProblems({ ...asked, ...more }, present).map(({ path }) => path);
  t.strictSame(paths({}), []);
  t.strictSame(paths({ topic: undefined }), ['/topic']);
  t.strictSame(paths({ url: 'https://192.0.2.7' }), ['/url']);
  t.strictSame(paths({ to: ['a@example.org'] }), ['/to']);
  t.strictSame(paths({ username: undefined }), ['/username']);
  t.strictSame(paths({ kind: 'webhook', topic: undefined, username: undefined }), ['/url']);
  const present = { ...asked, id: '1', createdAt: 0, changedAt: 0, hasSecret: true };
  t.strictSame(paths({ secret: undefined }, present), []);
  t.strictSame(paths({ secret: undefined, url: 'mqtt://192.0.2.8' }, present), ['/secret'], 'nobody else gets it');
});
