import { Duplex } from 'node:stream';
import t from 'tap';
import { WebSocket } from 'ws';
import { createClient } from '../../lib/http/client.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';

/** A socket without a network, as if its handshake were over: it notes what is sent. */
class FakeSocket extends WebSocket {
  override readyState: WebSocket['readyState'] = WebSocket.OPEN;
  override bufferedAmount = 0;
  pings = 0;
  terminated = false;
  readonly sent: string[] = [];

  constructor() {
    super('ws://192.0.2.1', {
      createConnection: () => new Duplex({ read() {}, write: (_piece, _encoding, done) => done() }),
    });
  }

  override ping() {
    this.pings++;
  }

  override send(text: string) {
    this.sent.push(text);
  }

  override terminate() {
    this.terminated = true;
  }
}

function connect() {
  const clock = new VirtualClock();
  const fake = new FakeSocket();
  const heartbeat = { clock, pingMs: 25_000, deadMs: 55_000 };
  const client = createClient(fake, {
    gone: new AbortController().signal,
    heartbeat,
    stillValid: () => true,
    checkMessage: undefined,
    log: () => createLog('silent'),
  });
  return { clock, fake, client };
}

t.test('a client that answers its pings stays, however long', async (t) => {
  const { clock, fake } = connect();
  for (let minute = 0; minute < 60; minute++) {
    await clock.advance(50_000);
    fake.emit('pong');
  }
  t.equal(fake.pings, 120);
  t.notOk(fake.terminated);
});

t.test('a message counts as a sign of life', async (t) => {
  const { clock, fake } = connect();
  await clock.advance(54_000);
  fake.emit('message', 'still here');
  await clock.advance(54_000);
  t.notOk(fake.terminated);
  await clock.advance(1_000);
  t.ok(fake.terminated);
});

t.test('a closed client leaves no timer and no listener', async (t) => {
  const { clock, fake } = connect();
  fake.emit('close');
  t.equal(clock.pending, 0);
  t.equal(fake.listenerCount('pong') + fake.listenerCount('message'), 0);
});

t.test('what the network has not taken is visible, and nothing is sent to a closing socket', async (t) => {
  const { fake, client } = connect();
  fake.bufferedAmount = 77;
  t.equal(client.buffered, 77);
  client.send({ seq: 1 });
  fake.readyState = 2;
  client.send({ seq: 2 });
  t.strictSame(fake.sent, ['{"seq":1}']);
});
