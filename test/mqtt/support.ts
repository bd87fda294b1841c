/** An MQTT broker in this process, and what it has seen. */
import { createServer, type Server, type Socket } from 'node:net';
import { Aedes } from 'aedes';
import type { Test } from 'tap';

export interface Seen {
  readonly topic: string;
  readonly text: string;
  readonly retain: boolean;
}

export class TestBroker {
  readonly aedes: Aedes;
  /** Everything that clients published, in order. */
  readonly seen: Seen[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(aedes: Aedes, server: Server) {
    this.aedes = aedes;
    this.#server = server;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
    });
    aedes.on('publish', (packet, client) => {
      if (!client && !packet.topic.endsWith('availability')) return;
      this.seen.push({ topic: packet.topic, text: String(packet.payload), retain: packet.retain });
    });
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  get url(): string {
    return `mqtt://127.0.0.1:${this.port}`;
  }

  /** Payloads of a topic, in order. */
  texts = (topic: string): string[] => this.seen.filter((seen) => seen.topic === topic).map(({ text }) => text);
  // biome-ignore lint/suspicious/noExplicitAny: a message is what the test says it is
  last = (topic: string): any => JSON.parse(this.texts(topic).at(-1) ?? 'null');

  /** As some other client of the broker. */
  say(topic: string, payload: string | Buffer, more: { readonly retain?: boolean } = {}): Promise<void> {
    const packet = { cmd: 'publish', topic, payload, qos: 0, dup: false, retain: more.retain ?? false } as const;
    return new Promise((resolve, reject) => this.aedes.publish(packet, (error) => (error ? reject(error) : resolve())));
  }

  /** Breaks every connection. With `refuse` nobody gets a new one until `allow`. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  refuse(): void {
    this.aedes.preConnect = (_client, _packet, done) => done(null, false);
    this.cut();
  }

  allow(): void {
    this.aedes.preConnect = (_client, _packet, done) => done(null, true);
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.aedes.close(() => resolve()));
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

export async function openBroker(t: Test): Promise<TestBroker> {
  const aedes = await Aedes.createBroker();
  const server = createServer(aedes.handle);
  const broker = new TestBroker(aedes, server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => broker.close());
  return broker;
}
