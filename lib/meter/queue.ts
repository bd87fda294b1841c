/**
 * Who is next at one meter. It knows no connection and no command: it orders work, joins equal work, and answers those who
 * wait too long, leave, or are dropped.
 *
 *   operators    [job] [job] [job]     first come, first served; all of them before
 *   background   [job] [job]           first come, first served
 *   job          work + its callers, each with an own deadline and signal
 */
import { type Clock, type Deadline, deadline } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import type { Line, MeterReport } from './contract.ts';

export type Priority = 'operator' | 'background';

/** Work of one caller, or of several who wanted the same. */
export interface Job {
  readonly label: string;
  /** Equal keys of jobs that have not started share one run. Undefined: this work may change something. */
  readonly join: string | undefined;
  /** While this holds, equal work joins even after it has begun. Default: never. */
  readonly joinWhile?: (() => boolean) | undefined;
  /** Works without the control connection: it does not fail because that cannot be opened. */
  readonly offline?: true;
  readonly work: (line: Line) => Promise<unknown>;
}

export interface Waiter {
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  readonly priority: Priority;
}

/** A job whose turn has come. One of both must be called. */
export interface Turn {
  readonly job: Job;
  /** Callers that have not left. */
  readonly callers: number;
  /** Nobody is left to hear the outcome. */
  readonly abandoned: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface QueueParts {
  readonly unitId: string;
  readonly clock: Clock;
  readonly limit: number;
  /** What one place in the queue costs at least, ms; for Retry-After. */
  readonly spacingMs: number;
  readonly onJoin: () => void;
}

export class Queue {
  readonly #parts: QueueParts;
  readonly #waiting: Record<Priority, Entry[]> = { operator: [], background: [] };
  readonly #joinable = new Map<string, Entry>();

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  get length(): number {
    return this.#waiting.operator.length + this.#waiting.background.length;
  }

  /** Settles with the outcome of the work. Errors: DEVICE_BUSY, QUEUE_TIMEOUT; the reason of the caller's signal. */
  add(job: Job, waiter: Waiter): Promise<unknown> {
    if (waiter.signal.aborted) return Promise.reject(waiter.signal.reason);
    const equal = job.join === undefined ? undefined : this.#joinable.get(job.join);
    if (equal?.open) return this.#join(equal, waiter);
    if (this.length >= this.#parts.limit) return Promise.reject(this.#busy());
    const entry = new Entry(job, waiter.priority, this.#parts.clock.elapsed());
    this.#waiting[waiter.priority].push(entry);
    if (job.join === undefined) this.#joinable.clear();
    else this.#joinable.set(job.join, entry);
    return this.#await(entry, waiter);
  }

  /** The next job, out of the queue; its callers' deadlines no longer run. It is joined no longer, but by its own leave. */
  take(): Turn | undefined {
    const entry = this.#waiting.operator[0] ?? this.#waiting.background[0];
    if (!entry) return undefined;
    if (entry.job.joinWhile) this.#take(entry);
    else this.#remove(entry);
    entry.begin();
    return entry;
  }

  /** Answers all who waited already at `since` (on the monotonic clock) for something that needs the connection. */
  failSince(since: number, error: GatewayError): void {
    for (const entry of this.#entries()) {
      if (entry.since > since || entry.job.offline) continue;
      this.#remove(entry);
      entry.reject(error);
    }
  }

  /** Answers everybody who waits. */
  drop(error: GatewayError): void {
    for (const entry of this.#entries()) {
      this.#remove(entry);
      entry.reject(error);
    }
  }

  report(): MeterReport['waiting'] {
    const now = this.#parts.clock.elapsed();
    return this.#entries().map(({ job, priority, since, callers }) => ({
      label: job.label,
      priority,
      waitedMs: Math.round(now - since),
      callers,
    }));
  }

  #entries(): Entry[] {
    return [...this.#waiting.operator, ...this.#waiting.background];
  }

  #join(entry: Entry, waiter: Waiter): Promise<unknown> {
    this.#parts.onJoin();
    if (!entry.begun && waiter.priority === 'operator' && entry.priority === 'background') this.#promote(entry);
    return this.#await(entry, waiter);
  }

  /** An operator wants it too: it goes where the operator would stand. */
  #promote(entry: Entry): void {
    this.#take(entry);
    entry.priority = 'operator';
    this.#waiting.operator.push(entry);
  }

  #await(entry: Entry, waiter: Waiter): Promise<unknown> {
    const late = () =>
      new GatewayError(
        'QUEUE_TIMEOUT',
        `"${entry.job.label}" waited ${waiter.deadlineMs} ms for its turn at the meter ${this.#parts.unitId}.`,
      );
    const limit = deadline(this.#parts.clock, waiter.deadlineMs, late, waiter.signal);
    return entry.admit(limit, waiter.signal, () => {
      if (entry.callers === 0) this.#remove(entry);
    });
  }

  #remove(entry: Entry): void {
    this.#take(entry);
    const { join } = entry.job;
    if (join !== undefined && this.#joinable.get(join) === entry) this.#joinable.delete(join);
  }

  #take(entry: Entry): void {
    const line = this.#waiting[entry.priority];
    const place = line.indexOf(entry);
    if (place >= 0) line.splice(place, 1);
  }

  #busy(): GatewayError {
    const seconds = Math.max(1, Math.ceil((this.length * this.#parts.spacingMs) / 1_000));
    return new GatewayError(
      'DEVICE_BUSY',
      `${this.length} commands wait for the meter ${this.#parts.unitId} already; the queue is worked off in about ${seconds} s.`,
      { headers: { 'Retry-After': String(seconds) } },
    );
  }
}

interface Settle {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** One job and those who wait for it. Each gets exactly one answer. */
class Entry implements Turn {
  readonly job: Job;
  readonly since: number;
  priority: Priority;
  begun = false;
  #answered = false;
  readonly #waiters = new Map<Settle, { readonly limit: Deadline; readonly signal: AbortSignal }>();

  constructor(job: Job, priority: Priority, since: number) {
    this.job = job;
    this.priority = priority;
    this.since = since;
  }

  get callers(): number {
    return this.#waiters.size;
  }

  /** Whether equal work may still join it. */
  get open(): boolean {
    return !this.#answered && (!this.begun || (this.job.joinWhile?.() ?? false));
  }

  get abandoned(): boolean {
    return [...this.#waiters.values()].every(({ signal }) => signal.aborted);
  }

  /** One more waits. `left` is called after somebody gave up. */
  admit(limit: Deadline, signal: AbortSignal, left: () => void): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const settle = { resolve, reject };
    const leave = () => {
      if (!this.#waiters.delete(settle)) return;
      limit[Symbol.dispose]();
      left();
      reject(limit.signal.reason);
    };
    limit.signal.addEventListener('abort', leave, { once: true });
    this.#waiters.set(settle, { limit, signal });
    return promise;
  }

  /** From here on nobody gives up: what is begun is finished. */
  begin(): void {
    this.begun = true;
    for (const { limit } of this.#waiters.values()) limit[Symbol.dispose]();
  }

  resolve(value: unknown): void {
    this.#answer((settle) => settle.resolve(value));
  }

  reject(error: unknown): void {
    this.#answer((settle) => settle.reject(error));
  }

  #answer(tell: (settle: Settle) => void): void {
    this.#answered = true;
    for (const [settle, { limit }] of this.#waiters) {
      limit[Symbol.dispose]();
      tell(settle);
    }
    this.#waiters.clear();
  }
}
