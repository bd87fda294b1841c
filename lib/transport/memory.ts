/**
 * A transport without sockets, for tests and for a simulated meter in the same process. Both ends are a `Connection`.
 * Bytes, goodbyes and resets arrive later, in a microtask, in the order in which they were given.
 */
import { type Address, type Connection, DialError, type Ending, type Transport } from './contract.ts';
import { ConnectionState } from './state.ts';

export interface MemoryNetwork {
  readonly transport: Transport;
  /** Answers dials to this address with a connection whose other side is handed to `onConnection`. The disposer stops it. */
  listen(address: Address, onConnection: (connection: Connection) => void): () => void;
  /** Leaves dials to this address without any answer. Those that wait already are never answered; the disposer ends it. */
  hang(address: Address): () => void;
}

/** A network of its own. An address that nobody listens on refuses. */
export function memoryTransport(): MemoryNetwork {
  const listeners = new Map<string, (connection: Connection) => void>();
  const silent = new Set<string>();
  return {
    transport: {
      async dial(address, signal) {
        const name = nameOf(address);
        await Promise.resolve(); // never within the call, as on a wire
        signal.throwIfAborted();
        if (silent.has(name)) return neverAnswered(signal);
        const accept = listeners.get(name);
        if (!accept) throw new DialError('refused', `${name} refused the connection`);
        const [near, far] = connectedPair(name);
        accept(far);
        return near;
      },
    },
    listen(address, onConnection) {
      const name = nameOf(address);
      if (listeners.has(name)) throw new Error(`somebody listens on ${name} already`);
      listeners.set(name, onConnection);
      return () => {
        if (listeners.get(name) === onConnection) listeners.delete(name);
      };
    },
    hang(address) {
      silent.add(nameOf(address));
      return () => silent.delete(nameOf(address));
    },
  };
}

const neverAnswered = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

function connectedPair(name: string): [MemoryConnection, MemoryConnection] {
  const near = new MemoryConnection(name);
  const far = new MemoryConnection(`the caller of ${name}`);
  near.join(far);
  far.join(near);
  return [near, far];
}

class MemoryConnection implements Connection {
  readonly peer: string;
  readonly #state = new ConnectionState((reason) => this.#tell((other) => other.#hear('fault', reason)));
  #other: MemoryConnection | undefined;

  constructor(peer: string) {
    this.peer = peer;
  }

  join(other: MemoryConnection): void {
    this.#other = other;
  }

  get ended(): Promise<Ending> {
    return this.#state.ended;
  }

  get ending(): Ending | undefined {
    return this.#state.ending;
  }

  get traffic(): Readonly<{ sent: number; received: number }> {
    return this.#state.traffic;
  }

  receive(listener: (chunk: Uint8Array) => void): void {
    this.#state.receive(listener);
  }

  send(bytes: Uint8Array): void {
    if (this.#state.ending) return;
    this.#state.traffic.sent += bytes.length;
    const copy = Uint8Array.from(bytes);
    this.#tell((other) => other.#state.arrive(copy));
  }

  close(reason: string): void {
    if (this.#state.finish('us', reason)) this.#tell((other) => other.#hear('peer', 'the peer closed the connection'));
  }

  destroy(reason: string): void {
    if (this.#state.finish('us', reason))
      this.#tell((other) => other.#hear('fault', 'the connection broke: ECONNRESET'));
  }

  #hear(by: Ending['by'], reason: string): void {
    this.#state.finish(by, reason);
  }

  #tell(news: (other: MemoryConnection) => void): void {
    const other = this.#other;
    if (other) queueMicrotask(() => news(other));
  }
}

const nameOf = ({ host, port }: Address): string => `${host}:${port}`;
