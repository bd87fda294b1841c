/** One client of a broker over its life: the broker goes and comes, is hostile, never confirms, and the gateway stops. */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import t, { type Test } from 'tap';
import { createLog } from '../../lib/log.ts';
import { Broker, type BrokerParts, pacedStream } from '../../plugins/mqtt/broker.ts';
import { type Message, OutgoingQueue } from '../../plugins/mqtt/outgoing-queue.ts';
import { clientAddress } from '../../plugins/mqtt/settings.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { selfSigned } from '../support/certificate.ts';
import { openBroker } from './support.ts';

const OPTIONS = { protocolVersion: 4, reconnectPeriod: 0, clientId: 'gateway' } as const;
const levels = (text: string): Message => ({ topic: 'slm/roof/levels', payload: text, retain: true });

function open(t: Test, url: string, more: Partial<BrokerParts> = {}) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const queue = more.queue ?? new OutgoingQueue(100);
  const broker = new Broker({
    options: () => ({ ...OPTIONS, ...clientAddress(url) }),
    queue,
    availability: 'slm/_gateway/availability',
    greeting: () => [],
    current: () => [],
    retryMinMs: 1_000,
    retryMaxMs: 60_000,
    connectTimeoutMs: 10_000,
    clock,
    log: createLog('info', { write: (line: string) => void lines.push(line) }),
    ...more,
  });
  t.teardown(() => clock.until(broker.stop()));
  const add = (text: string) => {
    queue.add(levels(text));
    broker.wake();
  };
  const until = async (holds: () => boolean) => {
    const met = (async () => {
      while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
    })();
    await clock.until(met, { stepMs: 200, limitMs: 300_000 });
  };
  /** The pauses that were said, ms. */
  const pauses = () => lines.map((line) => JSON.parse(line).again_in_ms).filter((ms) => ms !== undefined);
  return { clock, broker, queue, add, until, lines, pauses };
}

t.test('messages from while the broker is away are delivered in order when it is back, after "online"', async (t) => {
  const far = await openBroker(t);
  const current = [{ topic: 'slm/roof/state', payload: '{}', retain: true }];
  const { add, until, broker, pauses, queue } = open(t, far.url, { current: () => current });
  await until(() => far.texts('slm/roof/state').length === 1);
  add('1');
  await until(() => far.texts('slm/roof/levels').length === 1);
  far.refuse();
  await until(() => pauses().length >= 4);
  t.notOk(broker.connected);
  for (const text of ['2', '3', '4']) add(text);
  t.strictSame(pauses().slice(0, 4), [1_000, 2_000, 4_000, 8_000], 'the pauses grow');
  const before = far.seen.length;
  far.allow();
  await until(() => far.texts('slm/roof/state').length === 2);
  t.strictSame(
    far.seen.slice(before).map(({ topic, text }) => `${topic} ${text}`),
    [
      'slm/_gateway/availability online',
      'slm/roof/levels 2',
      'slm/roof/levels 3',
      'slm/roof/levels 4',
      'slm/roof/state {}',
    ],
    'and what is known now comes last',
  );
  await until(() => queue.size === 0);
  t.strictSame([queue.size, queue.lost], [0, 0]);
});

t.test('a clean stop says "offline"; a broken connection leaves it to the broker', async (t) => {
  const far = await openBroker(t);
  const { until, broker, clock } = open(t, far.url);
  await until(() => far.texts('slm/_gateway/availability').length === 1);
  far.cut();
  await until(() => far.texts('slm/_gateway/availability').length === 3);
  t.strictSame(far.texts('slm/_gateway/availability'), ['online', 'offline', 'online'], 'its last will');
  await clock.until(broker.stop());
  t.equal(far.texts('slm/_gateway/availability').at(-1), 'offline');
  t.equal(clock.pending, 0, 'and no timer is left');
});

/** A far end that does not keep to the protocol. `answer` gets each piece that arrives. */
async function hostile(
  t: Test,
  answer: (socket: Socket, piece: number) => void,
): Promise<{ url: string; count: number }> {
  const sockets = new Set<Socket>();
  const seen = { url: '', count: 0 };
  const server: Server = createServer((socket) => {
    seen.count += 1;
    sockets.add(socket);
    let piece = 0;
    socket.on('error', () => {});
    socket.on('data', () => answer(socket, piece++));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const address = server.address();
  seen.url = `mqtt://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  return seen;
}

const CONNACK = Buffer.from([0x20, 2, 0, 0]);
/** The beginning of a PUBLISH of 200 MB to `slm/roof/command`. */
const HUGE = Buffer.concat([Buffer.from([0x30, 0x80, 0xc2, 0xd7, 0x5f, 0, 16]), Buffer.from('slm/roof/command')]);
/** QoS 2, which nobody asked for. */
const QOS_2 = Buffer.concat([Buffer.from([0x34, 9, 0, 1]), Buffer.from('a'), Buffer.from([0, 1]), Buffer.from('xxxx')]);

t.test('a broker that sends rubbish is left, tried again later, and nothing is thrown or lost', async (t) => {
  const rubbish: Record<string, (socket: Socket, piece: number) => void> = {
    'no MQTT at all': (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
    'a refusal': (socket) => socket.write(Buffer.from([0x20, 2, 0, 5])),
    'a message without end': (socket, piece) => {
      if (piece > 0) return;
      socket.write(Buffer.concat([CONNACK, HUGE]));
      for (let chunk = 0; chunk < 10; chunk++) socket.write(Buffer.alloc(64_000, 0x61));
    },
    'messages that nobody asked for': (socket, piece) => piece === 0 && socket.write(Buffer.concat([CONNACK, QOS_2])),
    'random bytes': (socket, piece) =>
      piece === 0 && socket.write(Buffer.concat([CONNACK, Buffer.from('ff00f3a1557710c0ffee99', 'hex')])),
    'no word of confirmation': (socket, piece) => piece === 0 && socket.write(CONNACK),
    'no word at all': () => {},
  };
  for (const [name, answer] of Object.entries(rubbish)) {
    await t.test(name, async (t) => {
      const far = await hostile(t, answer);
      const arrived: unknown[] = [];
      const incoming = { topics: ['slm/+/command'], arrived: (message: unknown) => void arrived.push(message) };
      const { add, until, queue, broker } = open(t, far.url, { incoming });
      add('1');
      await until(() => far.count >= 2);
      t.notOk(broker.connected && queue.size === 0);
      t.strictSame([queue.size, queue.lost], [1, 0], 'the reading is still there');
      t.strictSame(arrived, [], 'and nothing came through');
    });
  }
});

t.test('a flood of confirmations or messages ends the connection after some thousand of them', async (t) => {
  const ack = Buffer.from([0x40, 2, 0, 9]);
  const text = Buffer.concat([Buffer.from([0x30, 4, 0, 1]), Buffer.from('ax')]);
  for (const packet of [ack, text]) {
    let taken = 0;
    const flood = Buffer.concat(Array<Buffer>(16_000).fill(packet));
    const far = await hostile(t, (socket, piece) => {
      if (piece > 0) return;
      const more = (): void => {
        if (socket.destroyed || taken > 500) return;
        taken += 1;
        socket.write(flood, () => more());
      };
      socket.write(CONNACK, more);
    });
    const { lines, until, pauses } = open(t, far.url);
    await until(() => pauses().length >= 1);
    t.match(lines.join(''), /the broker sends more than 5000 packets/);
    t.ok(taken < 300, `${taken} of 500 pieces of ${flood.length} bytes were sent`);
  }
});

t.test(
  'a flood of messages from a broker is handled in parts, and other work has its turn between these parts',
  async (t) => {
    const sent = Buffer.alloc(1_000_000, 7);
    const far = await hostile(t, (socket, piece) => void (piece === 0 && socket.end(sent)));
    const stream = pacedStream({ ...OPTIONS, ...clientAddress(far.url) });
    t.teardown(() => stream.destroy());
    const got: Buffer[] = [];
    let [inTurn, most] = [0, 0];
    stream.on('data', (piece: Buffer) => {
      got.push(piece);
      inTurn += piece.length;
      most = Math.max(most, inTurn);
    });
    stream.write('ask');
    const closed = once(stream, 'close');
    let over = false;
    closed.finally(() => {
      over = true;
    });
    while (!over) {
      inTurn = 0;
      await turn();
    }
    t.ok(Buffer.concat(got).equals(sent), 'all of it came');
    t.ok(most <= 4_096, `${most} bytes in one turn`);
  },
);

t.test('over TLS the certificate of the broker is checked, and that of this client is sent', async (t) => {
  const [server, own] = [selfSigned('broker'), selfSigned('gateway')];
  const far = createTlsServer({ ...server, ca: own.cert, requestCert: true }, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(String(socket.getPeerCertificate().subject?.CN)));
  });
  far.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => far.listen(0, '127.0.0.1', resolve));
  t.teardown(() => far.close());
  const address = clientAddress(`mqtts://127.0.0.1:${Object(far.address()).port}`);
  const trusting = pacedStream({ ...OPTIONS, ...address, ca: server.cert, ...own });
  trusting.write('ask');
  const [said] = await once(trusting, 'data');
  t.equal(String(said), 'gateway');
  const [error] = await once(pacedStream({ ...OPTIONS, ...address }), 'error');
  t.match(error.code, /SELF_SIGNED/);
});

t.test('a file that cannot be read is reported, without secrets, and tried again', async (t) => {
  const far = await openBroker(t);
  let readable = false;
  const options = () => {
    if (!readable) throw new Error('ENOENT: ca.pem');
    return { ...OPTIONS, ...clientAddress(far.url), username: 'me', password: 'hunter2' };
  };
  const { until, lines, pauses } = open(t, far.url, { options });
  await until(() => pauses().length === 2);
  t.match(lines.join(''), /ENOENT: ca.pem/);
  readable = true;
  await until(() => far.texts('slm/_gateway/availability').length === 1);
  t.notMatch(lines.join(''), /hunter2/);
});

t.test('when the certificate of a broker repeats the password, the log does not have it', async (t) => {
  const { cert, key } = selfSigned('broker', 'hunter2.example');
  const server = createTlsServer({ cert, key });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const options = () => ({
    ...OPTIONS,
    ...clientAddress(`mqtts://localhost:${port}`),
    ca: cert,
    username: 'slm',
    password: 'hunter2',
  });
  const { until, lines } = open(t, '', { options });
  await until(() => lines.length > 0);
  t.match(lines[0], /altnames: DNS:\*\*\*\.example/);
  t.notMatch(lines.join(), /hunter2/);
});
