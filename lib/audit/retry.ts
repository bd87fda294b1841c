/** Retries after failed writes, and the message for people meanwhile. */
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';

/** Time until the next attempt, ms; a new record also tries. */
const AGAIN_MS = 5_000;

/** Active from the first failed attempt until a successful one. */
export class JournalRetry {
  readonly #parts: { readonly clock: Clock; readonly log: Log };
  readonly #again: () => void;
  #cancel: (() => void) | undefined;

  constructor(parts: { readonly clock: Clock; readonly log: Log }, again: () => void) {
    this.#parts = parts;
    this.#again = again;
  }

  /** The last attempt has failed. */
  get isDue(): boolean {
    return this.#cancel !== undefined;
  }

  /** `tell` is called at the first of several failures. */
  failed(tell: () => void): void {
    if (!this.#cancel) tell();
    this.#cancel?.();
    this.#cancel = this.#parts.clock.after(AGAIN_MS, this.#again);
  }

  worked(): void {
    if (this.#cancel) this.#parts.log.info({}, 'the audit log is written again');
    this.end();
  }

  /** Ends the automatic attempts. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** For `/health`. `full`: no more records can wait. */
export function notWritten(full: boolean): { readonly full: boolean; readonly detail: string } {
  const words = full ? 'further ones are lost' : 'they are lost if the process ends before it can';
  return { full, detail: `The audit log cannot be written. Its records wait in memory: ${words}.` };
}
