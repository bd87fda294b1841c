/**
 * Keeps a connection to the broker: connects, sends the queue, and tries again with growing pauses. A message leaves the
 * queue when the broker has confirmed it. Bytes of the broker are parsed in small parts.
 */

import { connect, isIP, type Socket } from 'node:net';
import { Duplex, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectByTls } from 'node:tls';
import type { IClientOptions, IPublishPacket, MqttClient } from 'mqtt';
import { inSeconds, unlessAborted, withoutSecret } from '../../lib/built-in.ts';
import { type Clock, type Log, messageOf, sleep, within } from '../../lib/index.ts';
import { type Message, OutgoingQueue } from './outgoing-queue.ts';

interface HandoverParts {
  readonly client: MqttClient;
  readonly queue: OutgoingQueue;
  readonly clock: Clock;
  greeting(): Iterable<Message>;
  current(): Iterable<Message>;
}

/** The most messages that the broker has not confirmed yet. */
const WINDOW = 64;
/** Longest wait for a confirmation, ms. */
const CONFIRM_MS = 30_000;

/** Sends messages to the broker over one connection, in order; some are sent before earlier messages are confirmed. */
class Handover {
  readonly #parts: HandoverParts;
  #first: OutgoingQueue;
  #isCurrent = false;
  #unconfirmed = 0;
  #ended = false;
  #cancelLimit: (() => void) | undefined;
  #fail: (reason: string) => void = () => {};
  readonly #end = Promise.withResolvers<void>();
  /** Resolves with the reason when the broker does not confirm messages in time. */
  readonly failed = new Promise<string>((resolve) => {
    this.#fail = resolve;
  });

  constructor(parts: HandoverParts) {
    this.#parts = parts;
    this.#first = filled(parts.greeting());
  }

  /** Sends waiting messages, as far as the broker confirms them. */
  go(): void {
    while (!this.#ended && this.#unconfirmed < WINDOW) {
      const next = this.#next();
      if (!next) return;
      const { message, number, from } = next;
      this.#unconfirmed += 1;
      this.#limit();
      this.#publish(message, (error) => {
        if (this.#ended) return;
        this.#unconfirmed -= 1;
        this.#limit();
        if (error) return this.#fail(error.message);
        from.confirm(number);
        this.go();
      });
    }
  }

  sendNow(message: Message): Promise<void> {
    const said = new Promise<void>((resolve) => this.#publish(message, () => resolve()));
    return Promise.race([said, this.#end.promise]);
  }

  end(): void {
    this.#ended = true;
    this.#cancelLimit?.();
    this.#end.resolve();
  }

  #next() {
    for (const from of [this.#first, this.#parts.queue]) {
      const taken = from.take();
      if (taken) return { ...taken, from };
    }
    if (this.#isCurrent) return undefined;
    this.#isCurrent = true;
    this.#first = filled(this.#parts.current());
    const taken = this.#first.take();
    return taken && { ...taken, from: this.#first };
  }

  #publish({ topic, payload, retain }: Message, done: (error?: Error) => void): void {
    this.#parts.client.publish(topic, payload, { qos: 1, retain }, (error) => done(error ?? undefined));
  }

  #limit(): void {
    this.#cancelLimit?.();
    this.#cancelLimit =
      this.#unconfirmed === 0
        ? undefined
        : this.#parts.clock.after(CONFIRM_MS, () => this.#fail(`no confirmation within ${inSeconds(CONFIRM_MS)}`));
  }
}

function filled(messages: Iterable<Message>): OutgoingQueue {
  const queue = new OutgoingQueue(Number.POSITIVE_INFINITY);
  for (const message of messages) queue.add(message);
  return queue;
}

export type Arrived = Pick<IPublishPacket, 'topic' | 'retain'> & { readonly payload: Buffer };

export interface BrokerParts {
  /** Address and all; read for each connection. Throws when a file cannot be read. */
  readonly options: () => IClientOptions;
  readonly queue: OutgoingQueue;
  /** The retained topic that says whether the gateway is online. */
  readonly availability: string;
  /** Sent before the queue, with each connection. */
  greeting(): Iterable<Message>;
  /** Sent after the queue. */
  current(): Iterable<Message>;
  /** Undefined: no subscriptions. */
  readonly incoming?: { readonly topics: readonly string[]; arrived(message: Arrived): void };
  readonly retryMinMs: number;
  readonly retryMaxMs: number;
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** The largest message of a broker that is read, bytes. */
const MOST_BYTES = 256_000;
/** Beside one answer to each packet that the gateway sent: a broker passes on a few commands. */
const MOST_PACKETS_A_SECOND = 5_000;
const MOST_BYTES_A_SECOND = 1_000_000;
/** Time for the last message before the connection ends, ms. */
const FAREWELL_MS = 1_000;

export class Broker {
  readonly #parts: BrokerParts;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #handover: Handover | undefined;
  #awaySince: number;

  constructor(parts: BrokerParts) {
    this.#parts = parts;
    this.#awaySince = parts.clock.elapsed();
    this.#running = this.#run(this.#stopping.signal);
  }

  get connected(): boolean {
    return this.#handover !== undefined;
  }

  /** Since when the connection is missing, ms of the monotonic clock; undefined: it is there. */
  get awaySince(): number | undefined {
    return this.connected ? undefined : this.#awaySince;
  }

  wake(): void {
    this.#handover?.go();
  }

  /** Sends only if the broker is connected. Resolves when the broker has the message or the connection is gone. */
  async sendNow(message: Message): Promise<void> {
    await this.#handover?.sendNow(message);
  }

  /** Sends `offline` and ends the connection. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the gateway is stopping'));
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, log, retryMinMs, retryMaxMs, queue } = this.#parts;
    // Loaded only where a broker is configured.
    const { default: mqtt } = await import('mqtt');
    const connect = (options: IClientOptions) => new mqtt.MqttClient(() => pacedStream(options), options);
    let failures = 0;
    while (!signal.aborted) {
      const begun = clock.elapsed();
      const reason = await this.#connection(connect, signal).catch(messageOf);
      if (signal.aborted) return;
      // A broker that accepts a connection and then closes it is not called every second.
      failures = clock.elapsed() - begun > retryMaxMs ? 1 : failures + 1;
      const pauseMs = Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(20, failures - 1));
      log.warn(
        { reason, again_in_ms: pauseMs, spooled: queue.size, lost: queue.lost },
        'there is no connection to the broker',
      );
      await sleep(clock, pauseMs, signal).catch(() => {});
    }
  }

  async #connection(connect: (options: IClientOptions) => MqttClient, signal: AbortSignal) {
    const { options, availability, clock, connectTimeoutMs, queue, incoming } = this.#parts;
    const will = { topic: availability, payload: Buffer.from('offline'), qos: 1, retain: true } as const;
    const own = options();
    // A reason of the broker may contain the password, such as in the name of a certificate. It must not get into the log.
    const words = (error: unknown) => withoutSecret(messageOf(error), String(own.password ?? ''));
    const client = connect({ ...own, will });
    const ended = endOf(client, clock);
    try {
      const late = () => new Error(`no connection within ${inSeconds(connectTimeoutMs)}`);
      const opened = Promise.race([connectionOf(client), ended.then((reason) => Promise.reject(new Error(reason)))]);
      await within(clock, connectTimeoutMs, late, (limit) => unlessAborted(opened, limit), signal);
      if (incoming) listen(client, incoming);
      this.#handover = this.#begin(client);
      this.#parts.log.info({}, 'connected to the broker');
      this.#handover.go();
      const reason = await unlessAborted(Promise.race([ended, this.#handover.failed]), signal).catch(messageOf);
      if (signal.aborted) await this.#farewell(this.#handover, ended);
      return words(reason);
    } catch (error) {
      return words(error);
    } finally {
      if (this.#handover) this.#awaySince = clock.elapsed();
      this.#handover?.end();
      this.#handover = undefined;
      queue.rewind();
      client.end(true);
    }
  }

  #begin(client: MqttClient): Handover {
    const { availability, greeting, current, queue, clock } = this.#parts;
    const online = { topic: availability, payload: 'online', retain: true };
    return new Handover({ client, queue, clock, greeting: () => [online, ...greeting()], current });
  }

  async #farewell(handover: Handover, ended: Promise<unknown>): Promise<void> {
    const said = handover.sendNow({ topic: this.#parts.availability, payload: 'offline', retain: true });
    const late = () => new Error('the broker does not confirm the last message');
    const work = (limit: AbortSignal) => unlessAborted(Promise.race([said, ended]), limit);
    await within(this.#parts.clock, FAREWELL_MS, late, work).catch(() => {});
  }
}

const connectionOf = (client: MqttClient): Promise<void> =>
  new Promise((resolve) => client.once('connect', () => resolve()));

/**
 * Resolves with the reason when the connection ends. Nothing that a broker sends can throw in the process. Its packets
 * have limits: beyond them the socket is closed at once, because all arrived bytes are parsed before other work.
 */
function endOf(client: MqttClient, clock: Clock): Promise<string> {
  const flood = new Flood(clock);
  let bytes = 0;
  return new Promise((resolve) => {
    const leave = (reason: string) => {
      resolve(reason);
      client.stream.destroy();
    };
    client.on('error', (error) => resolve(messageOf(error)));
    client.on('close', () => resolve('the connection was closed'));
    // The broker may answer each of them: thousands a second after a long absence.
    client.on('packetsend', () => flood.isTooMuch(-1, 0));
    client.on('packetreceive', (packet) => {
      bytes = 0;
      if (flood.isTooMuch(1, 0)) leave(FLOOD);
      // The library keeps such messages until the broker releases them, and the gateway asks for none.
      if (packet.cmd === 'publish' && packet.qos > 0) resolve('the broker sends messages that were not asked for');
    });
    client.stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (flood.isTooMuch(0, chunk.length)) leave(FLOOD);
      if (bytes > MOST_BYTES) leave(`a message of the broker is larger than ${MOST_BYTES} bytes`);
    });
  });
}

const FLOOD = `the broker sends more than ${MOST_PACKETS_A_SECOND} packets or ${MOST_BYTES_A_SECOND} bytes in a second`;

/** Packets and bytes of the present second, less the packets that the gateway sent. */
class Flood {
  readonly #clock: Clock;
  #since: number;
  #packets = 0;
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.elapsed();
  }

  isTooMuch(packets: number, bytes: number): boolean {
    const now = this.#clock.elapsed();
    if (now - this.#since >= 1_000) [this.#since, this.#packets, this.#bytes] = [now, 0, 0];
    this.#packets += packets;
    this.#bytes += bytes;
    return this.#packets > MOST_PACKETS_A_SECOND || this.#bytes > MOST_BYTES_A_SECOND;
  }
}

/** Each message at most once: a late or double command is worse than a lost command. */
function listen(client: MqttClient, { topics, arrived }: NonNullable<BrokerParts['incoming']>): void {
  client.on('message', (name, payload, { retain }) => arrived({ topic: name, payload, retain }));
  client.subscribe([...topics], { qos: 0 }, () => {});
}

/**
 * Bytes that are parsed in one turn: at most 512 confirmations. The library parses all bytes of a read before other code can run,
 * and a read of a socket brings up to 64 KB.
 */
const PIECE_BYTES = 1_024;

/** A new connection; its errors come as the event `error`. */
export function pacedStream({ protocol, host = '', port = 0, ca, cert, key }: IClientOptions): Duplex {
  const name = isIP(host) === 0 ? { servername: host } : {};
  const own = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  const socket = protocol === 'mqtts' ? connectByTls({ host, port, ...name, ...own }) : connect({ host, port });
  const stream = Duplex.from({ readable: Readable.from(piecesOf(socket), { objectMode: false }), writable: socket });
  socket.once('error', (error) => stream.destroy(error));
  // MQTT cannot use one half of a connection.
  stream.once('end', () => stream.destroy());
  return stream;
}

async function* piecesOf(socket: Socket): AsyncGenerator<Buffer> {
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      yield chunk.subarray(at, at + PIECE_BYTES);
      if (at + PIECE_BYTES < chunk.length) await turn();
    }
  }
}
