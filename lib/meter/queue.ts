/**
 * Order of the requests at one meter. It knows no connection and no command. It joins equal requests, and answers
 * callers who wait too long, leave, or are dropped. Operators go before all background work.
 */
import { type Clock, unlessAborted } from '../clock.ts';
import { inSeconds } from '../domain/figures.ts';
import { GatewayError } from '../errors.ts';
import type { Caller, MeterReport } from './contract.ts';
import type { CommandReservation, SessionParts } from './parts.ts';
import type { BudgetedQuestion } from './stream-budget.ts';

/** Limits of a caller, with the defaults filled in. */
export type CallerLimits = Required<Pick<Caller, 'signal' | 'deadlineMs' | 'priority'>> &
  Pick<Caller, 'who' | 'job' | 'continues' | 'maxAgeMs' | 'clientLimitMs' | 'onWait'>;
export type Priority = CallerLimits['priority'];

export interface QueuedWork {
  readonly label: string;
  /** Jobs with equal keys that have not started share one run. Undefined: this work may change something. */
  readonly join: string | undefined;
  /** While this is true, equal work also joins a run that has begun. Default: never. */
  readonly joinWhile?: (() => boolean) | undefined;
  /**
   * The work changes nothing at the meter: it waits for its turn beside a watched stream. Background work always waits.
   */
  readonly isRead?: boolean;
  /** Works without the control connection: it does not fail if that connection cannot be opened. */
  readonly offline?: true;
  readonly work: (reservation: CommandReservation) => Promise<unknown>;
}

const MOST_TURNS = 200;
/** So many files and folders a caller may open in a minute before they wait for the budget. */
const FIRST_FILES = 5;

type Parts = Pick<SessionParts, 'unitId' | 'clock' | 'settings'> & {
  readonly unit: Pick<SessionParts['unit'], 'counters'>;
  readonly isHeld?: (request: QueuedRequest) => boolean;
};

export class Queue {
  readonly #parts: Parts;
  #waiting: readonly QueuedRequest[] = [];
  #taken: QueuedRequest | undefined;
  readonly #turns = new Map<string, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get length(): number {
    return this.#waiting.length;
  }

  get waiting(): readonly QueuedRequest[] {
    return this.#waiting;
  }

  /** Operators first, and of them the caller who waited longest since its last turn. */
  next(mayGo: (request: QueuedRequest) => boolean = () => true): QueuedRequest | undefined {
    let found: QueuedRequest | undefined;
    for (const each of this.#waiting) {
      if (!mayGo(each)) {
        each.wasHeld = true;
        continue;
      }
      if (!found) found = each;
      else if (each.priority !== found.priority) break;
      else if (this.#turnOf(each) < this.#turnOf(found)) found = each;
    }
    return found;
  }

  get isOperatorWaiting(): boolean {
    return this.next((request) => !this.#parts.isHeld?.(request))?.priority === 'operator';
  }

  get isUrgent(): boolean {
    return this.#present.some(({ priority, answered }) => priority === 'operator' && !answered);
  }

  async add(job: QueuedWork, caller: CallerLimits): Promise<unknown> {
    caller.signal.throwIfAborted();
    const request = this.#join(job, caller) ?? this.#enqueue(job, caller);
    try {
      return await request.admit(caller, this.#parts, (ms) => this.#late(request, ms));
    } finally {
      if (request.callers === 0) this.#leave(request);
    }
  }

  /** Removes it from the queue. From now on it is joined only while its `joinWhile` is true. */
  take(mayGo?: (request: QueuedRequest) => boolean): QueuedRequest | undefined {
    const request = this.next(mayGo);
    this.#taken = request;
    if (!request) return undefined;
    this.#leave(request);
    request.begunAt = this.#parts.clock.elapsed();
    if (this.#turns.size >= MOST_TURNS) this.#turns.clear();
    this.#turns.set(request.who, request.begunAt);
    return request;
  }

  fail(error: GatewayError): void {
    for (const request of this.#waiting) if (!request.job.offline) this.#dismiss(request, error);
  }

  drop(error: GatewayError): void {
    for (const request of this.#waiting) this.#dismiss(request, error);
  }

  /** Least number of requests before this caller: its own, and one of each other caller. 0 if it can join a request. */
  ahead({ join }: QueuedWork, who: string): number {
    const operators = this.#waiting.filter(({ priority }) => priority === 'operator');
    if (join !== undefined && this.#present.some((each) => each.job.join === join && each.open)) return 0;
    const own = operators.filter((each) => each.who === who).length;
    return own + new Set(operators.map((each) => each.who).filter((other) => other !== who)).size;
  }

  report(): MeterReport['waiting'] {
    const now = this.#parts.clock.elapsed();
    return this.#waiting.map(({ job: { label }, priority, since, callers }) => {
      return { label, priority, waitedMs: Math.round(now - since), callers };
    });
  }

  #turnOf({ who }: QueuedRequest): number {
    return this.#turns.get(who) ?? Number.NEGATIVE_INFINITY;
  }

  #enqueue(job: QueuedWork, caller: CallerLimits): QueuedRequest {
    if (this.length >= this.#parts.settings.queueLimit) throw this.#busy();
    const request = new QueuedRequest(job, caller, this.#parts.clock);
    this.#enter(request);
    if (job.join === undefined) for (const each of this.#present) each.isSealed = true;
    return request;
  }

  #join(
    { join }: QueuedWork,
    { priority, maxAgeMs, who = '', job, continues }: CallerLimits,
  ): QueuedRequest | undefined {
    const request = join && this.#present.find((each) => each.job.join === join && each.open);
    if (!request) return undefined;
    this.#parts.unit.counters.joined += 1;
    if (maxAgeMs !== undefined) request.maxAgeMs = Math.min(request.maxAgeMs ?? maxAgeMs, maxAgeMs);
    request.forJob ??= job;
    request.continues ||= continues === true;
    if (!request.begun && priority === 'operator' && request.priority === 'background') {
      // An operator wants the work, too: it moves to the place of an operator.
      this.#leave(request);
      request.priority = 'operator';
      request.who = who;
      this.#enter(request);
    }
    return request;
  }

  /**
   * A background request whose turn came only in the second half of its time has waited for others; the meter is not
   * slow.
   */
  #late(request: QueuedRequest, ms: number): GatewayError {
    const { job, priority } = request;
    const { unitId, clock } = this.#parts;
    const { begunAt } = request;
    const named = `The request "${job.label}"`;
    const waitedMs = begunAt === undefined ? ms : Math.round(ms - (clock.elapsed() - begunAt));
    if (begunAt === undefined || (priority === 'background' && waitedMs > ms / 2)) {
      const waited = `${named} waited ${inSeconds(waitedMs)} for its turn at the meter ${unitId} and was not sent.`;
      return new GatewayError('QUEUE_TIMEOUT', waited);
    }
    const late = `${named} had its turn at the meter ${unitId} but was not done within ${inSeconds(ms)}.`;
    const unsure = ' What was sent is finished; whether it took effect is not known here.';
    return new GatewayError('DEVICE_TIMEOUT', job.join === undefined ? late + unsure : late);
  }

  get #present(): readonly QueuedRequest[] {
    return this.#taken ? [this.#taken, ...this.#waiting] : this.#waiting;
  }

  #dismiss(request: QueuedRequest, error: GatewayError): void {
    this.#leave(request);
    request.reject(error);
  }

  /** Adds a request after those of its priority; operators go before all background work. */
  #enter(request: QueuedRequest): void {
    const isBefore = ({ priority }: QueuedRequest) => priority === 'operator' || request.priority === 'background';
    const behind = this.#waiting.filter((other) => !isBefore(other));
    this.#waiting = [...this.#waiting.filter(isBefore), request, ...behind];
  }

  #leave(request: QueuedRequest): void {
    this.#waiting = this.#waiting.filter((other) => other !== request);
  }

  #busy(): GatewayError {
    const { unitId, settings } = this.#parts;
    // Each command in the queue takes at least one rest.
    const seconds = Math.max(1, Math.ceil((this.length * settings.spacingMs) / 1_000));
    const what = `The meter ${unitId} has ${this.length} commands waiting already; they take about ${seconds} s.`;
    return new GatewayError('DEVICE_BUSY', what, { headers: { 'Retry-After': String(seconds) } });
  }
}

/** One job and the callers that wait for it, each until its own deadline. `resolve` or `reject` must be called. */
export class QueuedRequest {
  readonly job: QueuedWork;
  readonly since: number;
  /** The first of its callers, or the operator who joined background work. */
  who: string;
  /** The lowest value of its callers; undefined: all accept the default beside a watched stream. */
  maxAgeMs: number | undefined;
  forJob: string | undefined;
  continues: boolean;
  /** The request had to wait because somebody watches the stream. */
  wasHeld = false;
  priority: Priority;
  /** On the monotonic clock; undefined: the request waits. */
  begunAt: number | undefined;
  /** A later request may change the meter: new requests must not share the answer of this one. */
  isSealed = false;
  answered = false;
  readonly #clock: Clock;
  readonly #callers = new Set<CallerLimits>();
  readonly #outcome = Promise.withResolvers<unknown>();

  constructor(work: QueuedWork, { who = '', priority, maxAgeMs, job, continues = false }: CallerLimits, clock: Clock) {
    this.job = work;
    this.forJob = job;
    this.continues = continues;
    this.maxAgeMs = maxAgeMs;
    this.who = who;
    this.priority = priority;
    this.since = clock.elapsed();
    this.#clock = clock;
    // All callers may have left by then.
    this.#outcome.promise.catch(() => {});
  }

  get begun(): boolean {
    return this.begunAt !== undefined;
  }

  /** The budget of a watched stream applies to the request. */
  get isBudgeted(): boolean {
    const isFree = this.forJob !== undefined || this.continues;
    return this.priority === 'background' || (this.job.isRead === true && !isFree);
  }

  get question(): BudgetedQuestion {
    return {
      key: `${this.who} ${this.job.label}`,
      isBackground: this.priority === 'background',
      firsts: this.job.offline ? FIRST_FILES : 1,
      isChange: this.job.isRead !== true,
      job: this.forJob,
    };
  }

  get callers(): number {
    return this.#callers.size;
  }

  get open(): boolean {
    return !this.isSealed && !this.answered && (!this.begun || (this.job.joinWhile?.() ?? false));
  }

  get abandoned(): boolean {
    return !this.answered && [...this.#callers].every(({ signal }) => signal.aborted);
  }

  /**
   * Adds a caller. Its deadline also applies while the work runs: the caller is answered, and the work is finished. A
   * caller that hangs up leaves only before the work has begun.
   */
  async admit(caller: CallerLimits, { isHeld, settings }: Parts, late: (ms: number) => Error): Promise<unknown> {
    const { turnLimitMs } = settings;
    const own = { ...caller };
    const since = this.#clock.elapsed();
    /** Latest time of the caller's answer. Time in which the stream holds the request back counts separately. */
    const limitMs = () => {
      this.wasHeld ||= !this.begun && isHeld?.(this) === true;
      if (!this.wasHeld) return own.deadlineMs;
      const ms = this.begunAt === undefined ? turnLimitMs : Math.max(0, this.begunAt - since) + own.deadlineMs;
      return Math.min(own.clientLimitMs ?? ms, Math.max(own.deadlineMs, ms));
    };
    const leaving = new AbortController();
    const hangUp = () => !this.begun && leaving.abort(own.signal.reason);
    own.signal.addEventListener('abort', hangUp, { once: true });
    this.#callers.add(own);
    let disarm = () => {};
    const look = () => {
      const ms = limitMs();
      const left = since + ms - this.#clock.elapsed();
      if (left <= 0) leaving.abort(late(ms));
      else disarm = this.#clock.after(left, look);
    };
    look();
    try {
      const value = await unlessAborted(this.#outcome.promise, leaving.signal);
      if (this.wasHeld && this.begunAt !== undefined) own.onWait?.(Math.max(0, this.begunAt - since));
      return value;
    } finally {
      disarm();
      own.signal.removeEventListener('abort', hangUp);
      this.#callers.delete(own);
    }
  }

  resolve(value: unknown): void {
    this.answered = true;
    this.#outcome.resolve(value);
  }

  reject(error: unknown): void {
    this.answered = true;
    this.#outcome.reject(error);
  }
}
