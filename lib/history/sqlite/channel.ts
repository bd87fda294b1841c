/** The main thread's end: calls go out, answers come back. If the thread dies, every caller gets an error; the next call starts a new one. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { InputError } from '../../errors.ts';
import { ROOT } from '../../root.ts';
import type { Work } from '../stored/work.ts';
import type { HistoryCalls, ThreadOptions } from './history-calls.ts';

type CallName = keyof {
  [K in keyof HistoryCalls as HistoryCalls[K] extends (...args: never[]) => unknown ? K : never]: K;
};

export type Calls = {
  [K in CallName]: HistoryCalls[K] extends (...args: infer A) => infer R
    ? {
        readonly argument: A extends [infer One] ? One : undefined;
        readonly result: R extends Work<infer Result> ? Result : R;
      }
    : never;
};

// Messages between the main thread and the thread of the history.

export interface Call {
  readonly id: number;
  readonly name: keyof Calls;
  readonly argument: unknown;
}

export interface Answered {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly errors?: readonly InputError[] };
}

export class ThreadError extends Error {
  readonly code: string;
  readonly errors: readonly InputError[];

  constructor(code: string, message: string, errors: readonly InputError[] = []) {
    super(message);
    this.name = 'ThreadError';
    this.code = code;
    this.errors = errors;
  }
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The memory of the thread's young objects, MB: more costs memory and saves no time. */
const YOUNG_MB = 4;

// In the build this module is in a file with others. The thread is an entry of its own, with the same ending.
const FILE = new URL(`lib/history/sqlite/thread${extname(import.meta.url)}`, ROOT);

export class Channel {
  readonly #options: ThreadOptions;
  readonly #onDeath: (error: Error) => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #answers: Answered[] = [];
  #worker: Worker | undefined;
  #lastId = 0;
  #closed = false;

  constructor(options: ThreadOptions, onDeath: (error: Error) => void) {
    this.#options = options;
    this.#onDeath = onDeath;
  }

  /** Rejects with ThreadError, or with the reason of `signal`: the work ends then. */
  call<Name extends keyof Calls>(
    name: Name,
    argument: Calls[Name]['argument'],
    signal?: AbortSignal,
  ): Promise<Calls[Name]['result']> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#closed) return Promise.reject(new ThreadError('CLOSED', 'the history is closed'));
    const worker = this.#running();
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const abandon = () => {
        this.#waiting.delete(id);
        worker.postMessage({ cancel: id });
        reject(signal?.reason);
      };
      const done = () => signal?.removeEventListener('abort', abandon);
      signal?.addEventListener('abort', abandon, { once: true });
      this.#waiting.set(id, {
        resolve: (value) => {
          done();
          resolve(value as Calls[Name]['result']);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      worker.postMessage({ id, name, argument } satisfies Call);
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    if (this.#worker) await this.call('close', undefined).catch(() => {});
    this.#closed = true;
    await this.#worker?.terminate();
    this.#fail(new ThreadError('CLOSED', 'the history is closed'));
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
    const worker = new Worker(FILE, { workerData: this.#options, execArgv: [], resourceLimits });
    worker.on('message', (answered: Answered) => this.#answered(answered));
    let cause: Error | undefined;
    worker.on('error', (error) => {
      cause = error instanceof Error ? error : new Error(String(error));
    });
    worker.on('exit', (code) => {
      if (this.#worker === worker) this.#worker = undefined;
      if (this.#closed) return;
      const reason = cause ?? new Error(`exit code ${code}`);
      // The code identifies errors of SQLite for a file that it cannot open.
      const known = cause && 'code' in cause ? String(cause.code) : 'THREAD_DIED';
      this.#fail(new ThreadError(known, `the thread of the history ended: ${reason.message}`));
      this.#onDeath(reason);
    });
    this.#worker = worker;
    return worker;
  }

  /**
   * One answer for each turn of the event loop. Node passes on all messages of a thread in one turn, also messages that
   * arrive meanwhile. A caller that asks for page after page would then block the process.
   */
  #answered(answered: Answered): void {
    this.#answers.push(answered);
    if (this.#answers.length === 1) setImmediate(() => this.#handOn());
  }

  #handOn(): void {
    const answered = this.#answers[0];
    if (answered) this.#settle(answered);
    this.#answers.shift();
    if (this.#answers.length > 0) setImmediate(() => this.#handOn());
  }

  #settle({ id, value, error }: Answered): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new ThreadError(error.code, error.message, error.errors));
    else waiting?.resolve(value);
  }

  #fail(error: ThreadError): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}
