/**
 * Which request is next at one meter. It knows no connection and no command: it orders requests, joins equal ones, and answers
 * those who wait too long, leave, or are dropped.
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

/** Work for one caller, or for several that want the same. */
export interface Job {
  readonly label: string;
  /** Equal keys of jobs that have not started share one run. Undefined: this work may change something. */
  readonly join: string | undefined;
  /** While this holds, equal work joins even after it has begun. Default: never. */
  readonly joinWhile?: (() => boolean) | undefined;
  /** Works without the control connection: it does not fail because that cannot be opened. */
  readonly offline?: true;
  readonly work: (reservation: Reservation) => Promise<unknown>;
}

/** What one caller asks for. */
export interface CallerLimits {
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  readonly priority: Priority;
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
  readonly #waiting: Record<Priority, QueuedRequest[]> = { operator: [], background: [] };
  readonly #joinable = new Map<string, QueuedRequest>();

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  get length(): number {
    return this.#waiting.operator.length + this.#waiting.background.length;
  }

  /** What `take` would give, without taking it. */
  get head(): { readonly priority: Priority; readonly offline: boolean } | undefined {
    const request = this.#first;
    return request && { priority: request.priority, offline: request.job.offline ?? false };
  }

  /** Settles with the outcome of the work. Errors: DEVICE_BUSY, QUEUE_TIMEOUT, DEVICE_TIMEOUT; the reason of the caller's signal. */
  add(job: Job, caller: CallerLimits): Promise<unknown> {
    if (caller.signal.aborted) return Promise.reject(caller.signal.reason);
    const equal = job.join === undefined ? undefined : this.#joinable.get(job.join);
    if (equal?.open) return this.#join(equal, caller);
    if (this.length >= this.#parts.limit) return Promise.reject(this.#busy());
    const request = new QueuedRequest(job, caller.priority, this.#parts.clock.elapsed());
    this.#waiting[caller.priority].push(request);
    if (job.join === undefined) this.#joinable.clear();
    else this.#joinable.set(job.join, request);
    return this.#await(request, caller);
  }

  /** The next job, out of the queue. It is joined no longer, but by its own leave. */
  take(): QueuedRequest | undefined {
    const request = this.#first;
    if (!request) return undefined;
    if (request.job.joinWhile) this.#take(request);
    else this.#remove(request);
    request.begin(this.#parts.clock.elapsed());
    return request;
  }

  /** Answers all who wait for something that needs the connection. */
  fail(error: GatewayError): void {
    for (const request of this.#requests()) {
      if (request.job.offline) continue;
      this.#remove(request);
      request.reject(error);
    }
  }

  /** Answers everybody who waits. */
  drop(error: GatewayError): void {
    for (const request of this.#requests()) {
      this.#remove(request);
      request.reject(error);
    }
  }

  report(): MeterReport['waiting'] {
    const now = this.#parts.clock.elapsed();
    return this.#requests().map(({ job, priority, since, callers }) => ({
      label: job.label,
      priority,
      waitedMs: Math.round(now - since),
      callers,
    }));
  }

  get #first(): QueuedRequest | undefined {
    return this.#waiting.operator[0] ?? this.#waiting.background[0];
  }

  #requests(): QueuedRequest[] {
    return [...this.#waiting.operator, ...this.#waiting.background];
  }

  #join(request: QueuedRequest, caller: CallerLimits): Promise<unknown> {
    this.#parts.onJoin();
    if (!request.begun && caller.priority === 'operator' && request.priority === 'background') this.#promote(request);
    return this.#await(request, caller);
  }

  /** An operator wants it too: it goes where the operator would stand. */
  #promote(request: QueuedRequest): void {
    this.#take(request);
    request.priority = 'operator';
    this.#waiting.operator.push(request);
  }

  #await(request: QueuedRequest, { signal, deadlineMs }: CallerLimits): Promise<unknown> {
    const { clock } = this.#parts;
    const endsAt = clock.elapsed() + deadlineMs;
    const late = () => this.#late(request, deadlineMs);
    const limit = (parent?: AbortSignal) => deadline(clock, Math.max(0, endsAt - clock.elapsed()), late, parent);
    return request.admit(signal, limit, () => {
      if (request.callers === 0) this.#remove(request);
    });
  }

  /** A background request whose turn came only in the second half of its time has waited for others; the meter is not slow. */
  #late({ job, begun, begunAt, priority }: QueuedRequest, ms: number): GatewayError {
    const { unitId, clock } = this.#parts;
    const hadMs = clock.elapsed() - begunAt;
    if (begun && priority === 'background' && hadMs < ms / 2) {
      const waited = Math.round(ms - hadMs);
      return new GatewayError(
        'QUEUE_TIMEOUT',
        `"${job.label}" waited ${waited} of its ${ms} ms for the meter ${unitId}.`,
      );
    }
    if (!begun) {
      return new GatewayError(
        'QUEUE_TIMEOUT',
        `The request "${job.label}" waited ${ms} ms for its turn at the meter ${unitId}.`,
      );
    }
    const unsure =
      job.join === undefined ? ' What was sent is finished; whether it took effect is not known here.' : '';
    return new GatewayError(
      'DEVICE_TIMEOUT',
      `"${job.label}" had its turn at the meter ${unitId} but was not done within the ${ms} ms of the request.${unsure}`,
    );
  }

  #remove(request: QueuedRequest): void {
    this.#take(request);
    const { join } = request.job;
    if (join !== undefined && this.#joinable.get(join) === request) this.#joinable.delete(join);
  }

  #take(request: QueuedRequest): void {
    const waiting = this.#waiting[request.priority];
    const place = waiting.indexOf(request);
    if (place >= 0) waiting.splice(place, 1);
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
interface WaitingCaller {
  readonly signal: AbortSignal;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  /** From here on the deadline alone ends the wait, not the signal. */
  begin(): void;
  /** It is answered: no timer and no listener stays. */
  release(): void;
}

/** One job and the callers that wait for it. Each gets exactly one answer: `resolve` or `reject` must be called. */
export class QueuedRequest {
  readonly job: Job;
  readonly since: number;
  priority: Priority;
  begun = false;
  /** On the monotonic clock. */
  begunAt = Number.POSITIVE_INFINITY;
  #answered = false;
  readonly #callers = new Set<WaitingCaller>();

  constructor(job: Job, priority: Priority, since: number) {
    this.job = job;
    this.priority = priority;
    this.since = since;
  }

  get callers(): number {
    return this.#callers.size;
  }

  /** Whether equal work may still join it. */
  get open(): boolean {
    return !this.#answered && (!this.begun || (this.job.joinWhile?.() ?? false));
  }

  get abandoned(): boolean {
    return !this.#answered && [...this.#callers].every(({ signal }) => signal.aborted);
  }

  /** One more waits. `left` is called after somebody gave up. */
  admit(signal: AbortSignal, limit: (parent?: AbortSignal) => Deadline, left: () => void): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const leave = () => {
      if (!this.#callers.delete(caller)) return;
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
    const caller: WaitingCaller = {
      signal,
      resolve,
      reject,
      begin() {
        running[Symbol.dispose]();
        running = run();
      },
      release: () => running[Symbol.dispose](),
    };
    this.#callers.add(caller);
    return promise;
  }

  /** From here on a caller that hangs up changes nothing: what is begun is finished. Deadlines go on. */
  begin(at: number): void {
    this.begun = true;
    this.begunAt = at;
    for (const caller of this.#callers) caller.begin();
  }

  resolve(value: unknown): void {
    this.#answer((caller) => caller.resolve(value));
  }

  reject(error: unknown): void {
    this.#answer((caller) => caller.reject(error));
  }

  #answer(tell: (caller: WaitingCaller) => void): void {
    this.#answered = true;
    for (const caller of this.#callers) {
      caller.release();
      tell(caller);
    }
    this.#callers.clear();
  }
}
