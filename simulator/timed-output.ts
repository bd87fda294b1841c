/**
 * The output of the meter, each part at its time. Parts that are due together go out in one segment; nothing overtakes.
 * `Emission.afterMs` counts from the emission before it; for the first, from the moment of its handover.
 */
import type { Socket } from 'node:net';
import type { Clock } from './contract.ts';
import type { Emission } from './faults/contract.ts';

interface Parts {
  readonly socket: Socket;
  readonly clock: Clock;
  /** Time that the link adds, ms, drawn for every hand-over. */
  linkMs(): number;
  wrote(bytes: Uint8Array): void;
}

interface Due {
  readonly at: number;
  readonly emission?: Emission;
  readonly gone?: () => void;
}

const HAIR_MS = 1e-6;

/** A client that does not read holds no more than this much of the simulator's memory. */
const CLOGGED_BYTES = 256 * 1_024;

export class TimedOutput {
  readonly #parts: Parts;
  #queue: Due[] = [];
  #lastAt = 0;
  #silent = false;
  #closed = false;
  #cancel = () => {};

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get clogged(): boolean {
    return this.#parts.socket.writableLength > CLOGGED_BYTES;
  }

  send(emissions: readonly Emission[], gone?: () => void): void {
    if (this.#closed) return;
    let at = this.#parts.clock.elapsed() + this.#parts.linkMs();
    for (const emission of emissions) {
      at = Math.max(at + emission.afterMs, this.#lastAt);
      this.#lastAt = at;
      this.#queue.push({ at, emission });
    }
    if (gone) this.#queue.push({ at: Math.max(at, this.#lastAt), gone });
    this.#work();
  }

  /** Calls when everything that was handed over has left. */
  whenEmpty(gone: () => void): void {
    if (this.#closed) return;
    this.#queue.push({ at: this.#lastAt, gone });
    this.#work();
  }

  close(): void {
    this.#closed = true;
    this.#queue = [];
    this.#cancel();
  }

  #work(): void {
    this.#cancel();
    while (this.#isDue(this.#queue[0])) this.#leave();
    const next = this.#queue[0];
    if (next) {
      this.#cancel = this.#parts.clock.after(next.at - this.#parts.clock.elapsed(), () => this.#work());
    }
  }

  #isDue(next: Due | undefined): boolean {
    return next !== undefined && next.at <= this.#parts.clock.elapsed() + HAIR_MS;
  }

  /** The first of the queue, with the bytes behind it that are due as well. */
  #leave(): void {
    const chunks: Uint8Array[] = [];
    const gone: (() => void)[] = [];
    while (this.#isDue(this.#queue[0])) {
      const { emission, gone: tell } = this.#queue[0] ?? {};
      const acts = emission !== undefined && 'act' in emission;
      if (acts && chunks.length > 0) break;
      this.#queue.shift();
      if (tell) gone.push(tell);
      if (acts) this.#act(emission.act);
      else if (emission) chunks.push(emission.bytes);
    }
    this.#write(Buffer.concat(chunks));
    for (const tell of gone) tell();
  }

  #write(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#silent || this.#closed || !this.#parts.socket.writable) return;
    this.#parts.socket.write(bytes);
    this.#parts.wrote(bytes);
  }

  #act(act: 'reset' | 'half-close' | 'silence'): void {
    if (act === 'reset') this.#parts.socket.resetAndDestroy();
    else if (act === 'half-close') this.#parts.socket.end();
    else this.#silent = true;
  }
}
