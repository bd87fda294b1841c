/** A disk that takes nothing: it is tried again, and what people are told meanwhile. */
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';

/** Until the next try, ms; a new record tries, too. */
const AGAIN_MS = 5_000;

/** From the first try that failed until one works. */
export class JournalRetry {
  readonly #parts: { readonly clock: Clock; readonly log: Log };
  readonly #again: () => void;
  #cancel: (() => void) | undefined;

  constructor(parts: { readonly clock: Clock; readonly log: Log }, again: () => void) {
    this.#parts = parts;
    this.#again = again;
  }

  /** The last try has failed. */
  get isDue(): boolean {
    return this.#cancel !== undefined;
  }

  /** `tell` is called at the first of several. */
  failed(tell: () => void): void {
    if (!this.#cancel) tell();
    this.#cancel?.();
    this.#cancel = this.#parts.clock.after(AGAIN_MS, this.#again);
  }

  worked(): void {
    if (this.#cancel) this.#parts.log.info({}, 'the audit log is written again');
    this.end();
  }

  /** Tries no more by itself. */
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
