/**
 * A transport without sockets. Both ends are a `ByteStream`.
 * Bytes, closes and resets arrive later, in a microtask, in the order in which they were given.
 */
import { type Address, type ByteStream, DialError, type Transport } from '../../lib/transport/contract.ts';
import { BaseByteStream } from '../../lib/transport/tcp.ts';

export interface MemoryNetwork {
  readonly transport: Transport;
  /** The other side of each connection is passed to `onConnection`. The disposer stops it. */
  listen(address: Address, onConnection: (connection: ByteStream) => void): () => void;
  /** Dials to this address are never answered; the disposer ends this. */
  hang(address: Address): () => void;
}

export function memoryTransport(): MemoryNetwork {
  const listeners = new Map<string, (connection: ByteStream) => void>();
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
      if (listeners.has(name)) throw new Error(`There is a listener on ${name} already.`);
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

function connectedPair(name: string): [MemoryByteStream, MemoryByteStream] {
  const near = new MemoryByteStream(name);
  const far = new MemoryByteStream(`the caller of ${name}`);
  near.join(far);
  far.join(near);
  return [near, far];
}

class MemoryByteStream extends BaseByteStream {
  #other: MemoryByteStream | undefined;

  join(other: MemoryByteStream): void {
    this.#other = other;
  }

  close(reason: string): void {
    if (this.finish('us', reason)) this.#tell((other) => other.finish('peer', 'the peer closed the connection'));
  }

  destroy(reason: string): void {
    this.finish('us', reason);
    this.#tell((other) => other.finish('fault', 'the connection broke: ECONNRESET'));
  }

  /** Bytes sent earlier arrive in microtasks before this one. */
  async readPending(): Promise<void> {
    await Promise.resolve();
  }

  protected transmit(bytes: Uint8Array): void {
    this.#tell((other) => other.arrive(bytes));
  }

  #tell(news: (other: MemoryByteStream) => void): void {
    const other = this.#other;
    if (other) queueMicrotask(() => news(other));
  }
}

const nameOf = ({ host, port }: Address): string => `${host}:${port}`;
