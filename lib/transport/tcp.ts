/** Opens and closes; sets no time limit on dialling (the caller's signal does) and never dials again by itself. */
import { connect, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { type Clock, systemClock, unlessAborted } from '../clock.ts';
import { isGatewayError, messageOf } from '../errors.ts';
import {
  type Address,
  type ByteStream,
  DialError,
  type DialFault,
  type Ending,
  endpointOf,
  type FindAddresses,
  type Transport,
} from './contract.ts';
import type { OpenPlaces } from './open-places.ts';

interface TcpOptions {
  /** Idle time before the first keep-alive probe, ms. A mobile network forgets a flow after 30-60 s of silence. */
  readonly keepAliveMs?: number;
  /**
   * Time between two probes, ms. Some unanswered probes end the connection. Node below 24.19 fixes both: 1 s and 10.
   */
  readonly keepAliveIntervalMs?: number;
  readonly keepAliveProbes?: number;
  /** After `close`: time for the peer to close its side, ms. Then the socket is dropped. */
  readonly lingerMs?: number;
  readonly clock?: Clock;
  /** Checks and resolves a host; only the returned addresses are used. Default: no check. */
  readonly addresses?: FindAddresses | undefined;
  /** Keeps the local ports of open connections, also of an earlier process. Default: they are not kept. */
  readonly places?: OpenPlaces;
}

const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE_INTERVAL_MS = 10_000;
const KEEP_ALIVE_PROBES = 3;
const LINGER_MS = 2_000;
/** By default Node tries the next address after 250 ms; a sleeping radio link needs up to 2 s for its first answer. */
const NEXT_ADDRESS_MS = 3_000;

const FAULTS: Readonly<Record<string, DialFault>> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETDOWN: 'unreachable',
  ETIMEDOUT: 'unreachable',
  ENOTFOUND: 'unresolved',
  EAI_AGAIN: 'unresolved',
  EAI_FAIL: 'unresolved',
  EAI_NODATA: 'unresolved',
};

const SAYINGS: Readonly<Record<DialFault, string>> = {
  refused: 'refused the connection',
  unreachable: 'cannot be reached',
  unresolved: 'has no address that can be found',
  failed: 'could not be connected to',
};

/** Connections over TCP, without delay of small packets and with keep-alive. */
export function tcpTransport(options: TcpOptions = {}): Transport {
  const { addresses } = options;
  return {
    ...(addresses && { resolve: (address, signal) => find(address, addresses, signal) }),
    dial: (address, signal, resolved) => dial(address, signal, options, resolved),
  };
}

async function dial(
  address: Address,
  signal: AbortSignal,
  options: TcpOptions,
  resolved?: readonly string[],
): Promise<ByteStream> {
  signal.throwIfAborted();
  const found = resolved ?? (options.addresses && (await find(address, options.addresses, signal)));
  const left = options.places?.left(address);
  if (left === undefined) return connectTo(address, found, signal, options);
  try {
    return await connectTo(address, found, signal, options, left);
  } catch (error) {
    if (signal.aborted || !(error instanceof DialError)) throw error;
    // A peer that refuses has nothing open.
    if (error.fault === 'refused') options.places?.ended(address);
    // The port is now in use here: that says nothing about the peer.
    if (error.fault === 'failed') return connectTo(address, found, signal, options);
    throw error;
  }
}

async function find({ host, port }: Address, addresses: FindAddresses, signal: AbortSignal) {
  try {
    return await unlessAborted(addresses(host, port), signal);
  } catch (error) {
    if (signal.aborted || isGatewayError(error)) throw error;
    throw dialError({ host, port }, error);
  }
}

function connectTo(
  address: Address,
  found: readonly string[] | undefined,
  signal: AbortSignal,
  options: TcpOptions,
  localPort?: number,
): Promise<ByteStream> {
  return new Promise((resolve, reject) => {
    const socket = open(address, found, localPort);
    const abandon = () => {
      socket.destroy();
      reject(signal.reason);
    };
    const release = () => signal.removeEventListener('abort', abandon);
    signal.addEventListener('abort', abandon, { once: true });
    // Stays after a failure: a late error without a listener would end the process.
    const fail = (error: Error) => {
      release();
      reject(dialError(address, error));
    };
    socket.on('error', fail);
    socket.once('connect', () => {
      release();
      socket.off('error', fail);
      keepAlive(socket, options);
      notePlace(socket, address, options);
      resolve(new TcpByteStream(socket, endpointOf(address), options));
    });
  });
}

const RESET: readonly string[] = ['ECONNRESET', 'EPIPE'];

function notePlace(socket: Socket, address: Address, { places }: TcpOptions): void {
  const { localPort } = socket;
  if (!places || localPort === undefined) return;
  let isKnown = false;
  places.opened(address, localPort);
  socket.once('data', () => places.served(address, localPort));
  socket.once('end', () => {
    isKnown = true;
  });
  socket.on('error', (error) => {
    isKnown ||= RESET.includes(codeOf(error));
  });
  socket.once('close', () => places.closed(address, localPort, isKnown));
}

function open(address: Address, found: readonly string[] | undefined, localPort?: number): Socket {
  try {
    return connect({
      host: address.host,
      port: address.port,
      noDelay: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
      ...(localPort !== undefined && { localPort }),
      ...(found && { lookup: answering(found) }),
    });
  } catch (error) {
    throw dialError(address, error);
  }
}

/** In place of the resolver: the name is not resolved again, because the second answer could be another address. */
const answering =
  (found: readonly string[]): LookupFunction =>
  (_host, { all }, done) => {
    const addresses = found.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    const [first] = addresses;
    if (all) done(null, addresses);
    else done(null, first?.address ?? '', first?.family);
  };

/** Node rounds the times down to whole seconds. An older Node takes the first two values and ignores the others. */
function keepAlive(socket: Socket, options: TcpOptions): void {
  const {
    keepAliveMs = KEEP_ALIVE_MS,
    keepAliveIntervalMs = KEEP_ALIVE_INTERVAL_MS,
    keepAliveProbes = KEEP_ALIVE_PROBES,
  } = options;
  socket.setKeepAlive(true, keepAliveMs, keepAliveIntervalMs, keepAliveProbes);
}

/** The common part of streams over TCP and in memory: the listener, bytes that arrived before it, counts, ending. */
export abstract class BaseByteStream implements ByteStream {
  readonly peer: string;
  readonly ended: Promise<Ending>;
  readonly traffic = { sent: 0, received: 0 };
  readonly #settle: (ending: Ending) => void;
  #ending: Ending | undefined;
  #listener: ((chunk: Uint8Array) => void) | undefined;
  #kept: Uint8Array[] = [];

  constructor(peer: string) {
    const { promise, resolve } = Promise.withResolvers<Ending>();
    this.peer = peer;
    this.ended = promise;
    this.#settle = resolve;
  }

  abstract close(reason: string): void;
  abstract destroy(reason: string): void;
  abstract readPending(): Promise<void>;
  protected abstract transmit(bytes: Uint8Array): void;

  get ending(): Ending | undefined {
    return this.#ending;
  }

  send(bytes: Uint8Array): void {
    if (this.#ending) return;
    this.traffic.sent += bytes.length;
    this.transmit(Uint8Array.from(bytes));
  }

  receive(listener: (chunk: Uint8Array) => void): void {
    this.#listener = listener;
    this.#handOver();
  }

  /** True for the first ending; only this one counts. */
  protected finish(by: Ending['by'], reason: string): boolean {
    if (this.#ending) return false;
    this.#ending = Object.freeze({ by, reason });
    this.#settle(this.#ending);
    return true;
  }

  protected arrive(chunk: Uint8Array): void {
    if (this.#ending) return;
    this.traffic.received += chunk.length;
    this.#kept.push(chunk);
    this.#handOver();
  }

  /** A listener that throws ends only its own connection. */
  #handOver(): void {
    while (this.#listener) {
      const chunk = this.#kept.shift();
      if (!chunk) return;
      try {
        this.#listener(chunk);
      } catch (error) {
        this.#kept = [];
        this.finish('fault', `the receiver of the bytes failed: ${messageOf(error)}`);
        this.destroy('the receiver of the bytes failed');
      }
    }
  }
}

class TcpByteStream extends BaseByteStream {
  readonly #socket: Socket;
  readonly #lingerMs: number;
  readonly #clock: Clock;
  #stopLingering = (): void => {};

  constructor(socket: Socket, peer: string, options: TcpOptions) {
    super(peer);
    this.#socket = socket;
    this.#lingerMs = options.lingerMs ?? LINGER_MS;
    this.#clock = options.clock ?? systemClock;
    socket.on('data', (chunk: Buffer) => this.arrive(chunk));
    socket.once('end', () => this.#part('peer', 'the peer closed the connection'));
    socket.on('error', (error) => this.finish('fault', `the connection broke: ${codeOf(error)}`));
    socket.once('close', () => {
      this.#stopLingering();
      this.finish('fault', 'the connection was lost');
    });
  }

  close(reason: string): void {
    this.#part('us', reason);
  }

  destroy(reason: string): void {
    this.finish('us', reason);
    // A socket whose own side has ended cannot be reset: libuv refuses, and the handle would stay open and spin.
    if (this.#socket.writableEnded) this.#socket.destroy();
    else if (!this.#socket.destroyed) this.#socket.resetAndDestroy();
  }

  /** Sockets are read after timers: one round of the event loop later, all arrived bytes have been read. */
  readPending(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  protected transmit(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Without the limit a silent peer would keep the socket open for ever. */
  #part(by: 'us' | 'peer', reason: string): void {
    if (!this.finish(by, reason)) return;
    this.#socket.end();
    this.#stopLingering = this.#clock.after(this.#lingerMs, () => this.destroy('the peer did not close its side'));
  }
}

function dialError(address: Address, error: unknown): DialError {
  const codes = error instanceof AggregateError ? error.errors.map(codeOf) : [codeOf(error)];
  const code = codes.find((each) => each === 'ECONNREFUSED') ?? codes[0] ?? '';
  const fault = FAULTS[code] ?? 'failed';
  return new DialError(fault, `${endpointOf(address)} ${SAYINGS[fault]} (${code})`, error);
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : messageOf(error);
