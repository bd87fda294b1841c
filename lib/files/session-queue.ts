/**
 * One FTP session at a time for each meter; the next caller waits, with limits for the time and for the number of
 * callers.
 */
import { type Clock, within } from '../clock.ts';
import { inSeconds } from '../domain/figures.ts';
import { GatewayError } from '../errors.ts';
import type { CardCaller } from './contract.ts';

const MOST_WAITING = 16;
const RETRY_AFTER_S = '10';

/** A patient caller gives way itself: no work is broken off for it. */
interface Waiting {
  readonly call: () => void;
  readonly isPatient: boolean;
}

export interface Turn {
  /** Another caller waits for the end of this session. Called again for each new caller. */
  readonly wanted?: ((isPatient: boolean) => void) | undefined;
  readonly isPatient?: boolean;
}

/** Callers that wait for the FTP of a meter. Errors: DEVICE_BUSY, QUEUE_TIMEOUT. */
export class SessionQueue {
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #lines = new Map<string, Waiting[]>();
  readonly #wanted = new Map<string, NonNullable<Turn['wanted']>>();

  constructor(clock: Clock, waitMs: number) {
    this.#clock = clock;
    this.#waitMs = waitMs;
  }

  /** Resolves with the function that ends the turn. Rejects with DEVICE_BUSY, QUEUE_TIMEOUT or the signal's reason. */
  async take(key: string, caller: CardCaller, { wanted, isPatient = false }: Turn = {}): Promise<() => void> {
    caller.signal.throwIfAborted();
    const line = this.#lines.get(key);
    if (!line) this.#lines.set(key, []);
    else {
      this.#wanted.get(key)?.(isPatient);
      await this.#wait(line, isPatient, caller);
    }
    if (wanted) this.#wanted.set(key, wanted);
    // Others were waiting already.
    for (const other of line ?? []) wanted?.(other.isPatient);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#wanted.delete(key);
      this.#pass(key);
    };
  }

  isWanted(key: string): boolean {
    return (this.#lines.get(key)?.length ?? 0) > 0;
  }

  async #wait(line: Waiting[], isPatient: boolean, { signal, deadlineMs = this.#waitMs }: CardCaller): Promise<void> {
    if (line.length >= MOST_WAITING)
      throw new GatewayError('DEVICE_BUSY', `This meter has ${line.length} file requests waiting already.`, {
        headers: { 'Retry-After': RETRY_AFTER_S },
      });
    const late = () => tooLate(deadlineMs);
    await within(this.#clock, deadlineMs, late, (limit) => standIn(line, isPatient, limit), signal);
  }

  /** The turn passes directly to the next caller, so no other caller can take it. */
  #pass(key: string): void {
    const next = this.#lines.get(key)?.shift();
    if (next) next.call();
    else this.#lines.delete(key);
  }
}

const tooLate = (ms: number) =>
  new GatewayError('QUEUE_TIMEOUT', `Another file transfer with this meter went on for longer than ${inSeconds(ms)}.`);

/** Resolves when called; a caller that leaves is removed from the line. */
const standIn = (line: Waiting[], isPatient: boolean, signal: AbortSignal): Promise<void> =>
  new Promise<void>((resolve, reject) => {
    const call = () => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const waiting = { call, isPatient };
    const leave = () => {
      line.splice(line.indexOf(waiting), 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    line.push(waiting);
  });
