import { messageOf } from '../errors.ts';
import type { ByteStream, Ending } from './contract.ts';

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
