/**
 * What every connection keeps, whatever carries its bytes: who listens, what came before anybody did, how many bytes went
 * and how it ended. Moves no bytes itself.
 */
import { messageOf } from '../errors.ts';
import type { Ending } from './contract.ts';

export class ConnectionState {
  readonly ended: Promise<Ending>;
  readonly traffic = { sent: 0, received: 0 };
  readonly #settle: (ending: Ending) => void;
  readonly #fail: (reason: string) => void;
  #ending: Ending | undefined;
  #listener: ((chunk: Uint8Array) => void) | undefined;
  #kept: Uint8Array[] = [];

  /** `fail` drops the connection: called when a listener throws, so that its fault stays on this connection. */
  constructor(fail: (reason: string) => void) {
    const { promise, resolve } = Promise.withResolvers<Ending>();
    this.ended = promise;
    this.#settle = resolve;
    this.#fail = fail;
  }

  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** True for the first ending, which is the one that counts. */
  finish(by: Ending['by'], reason: string): boolean {
    if (this.#ending) return false;
    this.#ending = Object.freeze({ by, reason });
    this.#settle(this.#ending);
    return true;
  }

  /** Bytes from the wire. What comes after the ending is nobody's. */
  arrive(chunk: Uint8Array): void {
    if (this.#ending) return;
    this.traffic.received += chunk.length;
    this.#kept.push(chunk);
    this.#handOver();
  }

  receive(listener: (chunk: Uint8Array) => void): void {
    this.#listener = listener;
    this.#handOver();
  }

  #handOver(): void {
    while (this.#listener) {
      const chunk = this.#kept.shift();
      if (!chunk) return;
      try {
        this.#listener(chunk);
      } catch (error) {
        this.#kept = [];
        this.finish('fault', `the receiver of the bytes failed: ${messageOf(error)}`);
        this.#fail('the receiver of the bytes failed');
      }
    }
  }
}
