/**
 * Who is next at one meter. It knows no connection and no command: it orders work, joins equal work, and answers those who
 * wait too long, leave, or are dropped.
 *
 *   operators    [job] [job] [job]     first come, first served; all of them before
 *   background   [job] [job]           first come, first served
 *   job          work + its callers, each with an own deadline and signal
 *
 * A deadline holds to the end: a caller whose time is over while the work runs is answered, and the work is finished.
 */
import { type Clock, type Deadline, deadline } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import type { MeterReport, Reservation } from './contract.ts';

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
  readonly work: (line: Reservation) => Promise<unknown>;
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
  readonly priority: Priority;
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

  /** What `take` would give, without taking it. */
  get head(): { readonly priority: Priority; readonly offline: boolean } | undefined {
    const entry = this.#first;
    return entry && { priority: entry.priority, offline: entry.job.offline ?? false };
  }

  /** Settles with the outcome of the work. Errors: DEVICE_BUSY, QUEUE_TIMEOUT, DEVICE_TIMEOUT; the reason of the caller's signal. */
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

  /** The next job, out of the queue. It is joined no longer, but by its own leave. */
  take(): Turn | undefined {
    const entry = this.#first;
    if (!entry) return undefined;
    if (entry.job.joinWhile) this.#take(entry);
    else this.#remove(entry);
    entry.begin();
    return entry;
  }

  /** Answers all who wait for something that needs the connection. */
  fail(error: GatewayError): void {
    for (const entry of this.#entries()) {
      if (entry.job.offline) continue;
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

  get #first(): Entry | undefined {
    return this.#waiting.operator[0] ?? this.#waiting.background[0];
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

  #await(entry: Entry, { signal, deadlineMs }: Waiter): Promise<unknown> {
    const { clock } = this.#parts;
    const endsAt = clock.elapsed() + deadlineMs;
    const late = () => this.#late(entry, deadlineMs);
    const limit = (parent?: AbortSignal) => deadline(clock, Math.max(0, endsAt - clock.elapsed()), late, parent);
    return entry.admit(signal, limit, () => {
      if (entry.callers === 0) this.#remove(entry);
    });
  }

  #late({ job, begun }: Entry, ms: number): GatewayError {
    const { unitId } = this.#parts;
    if (!begun) {
      return new GatewayError('QUEUE_TIMEOUT', `"${job.label}" waited ${ms} ms for its turn at the meter ${unitId}.`);
    }
    const unsure =
      job.join === undefined ? ' What was sent is finished; whether it took effect is not known here.' : '';
    return new GatewayError(
      'DEVICE_TIMEOUT',
      `"${job.label}" had its turn at the meter ${unitId} but was not done within the ${ms} ms of the request.${unsure}`,
    );
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

/** One caller of a job. */
interface Seat {
  readonly signal: AbortSignal;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  /** From here on the deadline alone ends the wait, not the signal. */
  begin(): void;
  /** It is answered: no timer and no listener stays. */
  release(): void;
}

/** One job and those who wait for it. Each gets exactly one answer. */
class Entry implements Turn {
  readonly job: Job;
  readonly since: number;
  priority: Priority;
  begun = false;
  #answered = false;
  readonly #seats = new Set<Seat>();

  constructor(job: Job, priority: Priority, since: number) {
    this.job = job;
    this.priority = priority;
    this.since = since;
  }

  get callers(): number {
    return this.#seats.size;
  }

  /** Whether equal work may still join it. */
  get open(): boolean {
    return !this.#answered && (!this.begun || (this.job.joinWhile?.() ?? false));
  }

  get abandoned(): boolean {
    return !this.#answered && [...this.#seats].every(({ signal }) => signal.aborted);
  }

  /** One more waits. `left` is called after somebody gave up. */
  admit(signal: AbortSignal, limit: (parent?: AbortSignal) => Deadline, left: () => void): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const leave = () => {
      if (!this.#seats.delete(seat)) return;
      const reason = running.signal.reason;
      running[Symbol.dispose]();
      left();
      reject(reason);
    };
    const run = (parent?: AbortSignal) => {
      const next = limit(parent);
      next.signal.addEventListener('abort', leave, { once: true });
      return next;
    };
    let running = run(this.begun ? undefined : signal);
    const seat: Seat = {
      signal,
      resolve,
      reject,
      begin() {
        running[Symbol.dispose]();
        running = run();
      },
      release: () => running[Symbol.dispose](),
    };
    this.#seats.add(seat);
    return promise;
  }

  /** From here on a caller that hangs up changes nothing: what is begun is finished. Deadlines go on. */
  begin(): void {
    this.begun = true;
    for (const seat of this.#seats) seat.begin();
  }

  resolve(value: unknown): void {
    this.#answer((seat) => seat.resolve(value));
  }

  reject(error: unknown): void {
    this.#answer((seat) => seat.reject(error));
  }

  #answer(tell: (seat: Seat) => void): void {
    this.#answered = true;
    for (const seat of this.#seats) {
      seat.release();
      tell(seat);
    }
    this.#seats.clear();
  }
}
