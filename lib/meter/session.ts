/**
 * One meter. It owns everything that talks to it - queue, connection, stream - and one loop that decides, after each thing
 * done, what comes next. Two things never run at once on a meter because only the loop runs them.
 *
 *   callers -> queue ---\
 *                        loop -> gap -> connection -> meter
 *   watchers -> hub ----/
 */
import { sleep, unlessAborted, within } from '../clock.ts';
import type { MeterSetting, OperationName, Operations, Sender } from '../drivers/contract.ts';
import { notSupported, operationOf } from '../drivers/not-supported.ts';
import type { Command } from '../drivers/wire/contract.ts';
import { messageOf } from '../errors.ts';
import { Broadcast } from './broadcast.ts';
import { Connector } from './connector.ts';
import type { Caller, Meter, MeterReport, Reservation } from './contract.ts';
import type { CommandGap } from './meter-port.ts';
import { MeterState } from './meter-state.ts';
import type { Closing, SessionParts } from './parts.ts';
import { type Priority, Queue, type QueuedRequest, type QueuedWork } from './queue.ts';
import { MeterReservation, type ReservationParts } from './reservation.ts';
import { nextStep, type SessionStep, type Want } from './steps.ts';

/** The session of one meter, from its first use until `close`. */
export class Session implements Meter {
  readonly unitId: string;
  readonly #parts: ReservationParts;
  readonly #queue: Queue;
  readonly #connector: Connector;
  readonly #state: MeterState;
  readonly #broadcast: Broadcast;
  readonly #stop = new AbortController();
  #loop: Promise<void> | undefined;
  #wakeup = new AbortController();
  /** What has the meter now. */
  #running: MeterReservation | undefined;
  /** A request has interrupted the stream, or come before it. */
  #isInterrupted = false;
  #closed: Promise<void> | undefined;

  constructor(parts: SessionParts) {
    this.unitId = parts.unitId;
    this.#queue = new Queue(parts);
    this.#state = new MeterState(parts);
    const { signal } = this.#stop;
    const shared = { ...parts, queue: this.#queue, state: this.#state, signal, onChange: () => this.#wake() };
    this.#connector = new Connector(shared);
    this.#parts = { ...shared, connector: this.#connector, isWatched: () => this.feed.watchers > 0 };
    this.#broadcast = new Broadcast({ ...this.#parts, mustYield: () => this.#mustYield });
  }

  get feed(): Meter['feed'] {
    return this.#broadcast.hub;
  }

  get family(): Meter['family'] {
    return this.#parts.family;
  }

  get deviceState(): Meter['deviceState'] {
    return this.#state.deviceState;
  }

  get identity(): Meter['identity'] {
    return this.#parts.unit.identity;
  }

  get reachability(): Meter['reachability'] {
    return this.#state.reachability;
  }

  can(...names: readonly OperationName[]): boolean {
    return names.every((name) => this.#parts.family.operations[name]);
  }

  assertCan(...names: readonly OperationName[]): void {
    for (const name of names) operationOf(this.#parts, name);
  }

  async perform<N extends OperationName>(
    name: N,
    caller: Caller,
    ...values: Parameters<Operations[N]>
  ): Promise<ReturnType<Operations[N]>> {
    const { run, reserves } = operationOf(this.#parts, name);
    if (reserves === undefined) return run(this.sender(caller), ...values);
    return this.reserve(reserves, (reservation) => run(reservation, ...values), caller);
  }

  setting(name: string): MeterSetting {
    const { family, unitId } = this.#parts;
    const setting = family.settings.find((each) => each.name === name);
    if (!setting) throw notSupported(unitId, family, `setting ${name}`);
    return setting;
  }

  sender(caller: Caller): Sender {
    return {
      send: (command) => this.run(command, caller),
      peek: (stream) => this.reserve(stream.text, (reservation) => reservation.peek(stream), caller),
      session: this.#state,
    };
  }

  run<T>(command: Command<T>, caller: Caller): Promise<T> {
    const join = command.kind === 'request' ? `command ${command.text}` : undefined;
    return this.#enqueue({ label: command.text, join, work: (reservation) => reservation.send(command) }, caller);
  }

  reserve<T>(
    label: string,
    work: (reservation: Reservation) => Promise<T>,
    caller: Caller,
    options: { join?: string; joinWhile?: () => boolean } = {},
  ): Promise<T> {
    const join = options.join === undefined ? undefined : `reservation ${options.join}`;
    return this.#enqueue({ label, join, joinWhile: options.joinWhile, work }, caller);
  }

  isWorthAsking(name: OperationName): boolean {
    const operation = this.#parts.family.operations[name];
    if (!operation) return false;
    return !operation.request || this.#state.unreadable.isWorthAsking(operation.request.text);
  }

  /** For FTP: it waits for its turn, and the gap begins anew before it and after it. */
  get commandGap(): CommandGap {
    const connector = this.#connector;
    const restart = () => connector.port.restart();
    const job: QueuedWork = { label: 'FTP', join: undefined, offline: true, work: async () => restart() };
    return {
      get commands() {
        return connector.port.commands;
      },
      wait: (signal) => this.#enqueue(job, { signal }),
      restart,
    };
  }

  report(): MeterReport {
    return {
      ...this.#connector.report,
      state: this.#present,
      reservation: this.#running?.report ?? null,
      waiting: this.#queue.report(),
      watchers: this.feed.watchers,
      retryInMs: this.#dialInMs('background') || null,
      unreadable: this.#state.unreadable.list,
      strangeLine: this.#state.strangeLine,
      identity: this.identity,
      counters: { ...this.#parts.unit.counters },
      countedSince: this.#parts.unit.countedSince,
    };
  }

  /**
   * Answers everybody, finishes the running command, ends a stream, closes the connection. May be called twice; the first
   * reason counts. Takes at most `closeTimeoutMs`.
   */
  close(closing: Closing): Promise<void> {
    this.#closed ??= this.#shutDown(closing);
    return this.#closed;
  }

  async #shutDown({ error, feed }: Closing): Promise<void> {
    const { clock, settings } = this.#parts;
    this.#stop.abort(error);
    this.#queue.drop(error);
    this.#broadcast.hub.close(feed, error.message);
    this.#wake();
    const ended = (signal: AbortSignal) => unlessAborted(this.#loop ?? Promise.resolve(), signal);
    await within(clock, settings.closeTimeoutMs, () => error, ended).catch(() => {});
    this.#running?.request?.reject(error);
    if (this.#loop) this.#connector.drop(error.message);
    else this.#connector.close(error.message);
    this.#connector.leavePort();
  }

  async #enqueue<T>(job: QueuedWork, { signal, deadlineMs, priority = 'operator' }: Caller): Promise<T> {
    const { settings, faults, family, unitId } = this.#parts;
    this.#stop.signal.throwIfAborted();
    if (!family.conversation) throw notSupported(unitId, family, 'commands: its meters send by themselves');
    const caller = { signal, deadlineMs: deadlineMs ?? settings.requestDeadlineMs, priority };
    // The next try comes after this caller's deadline, so it is told at once.
    if (!job.offline && this.#dialInMs(priority) > caller.deadlineMs) {
      throw faults.unreachableStill(this.reachability, this.#dialInMs('background'));
    }
    const outcome = this.#queue.add(job, caller);
    this.#wake();
    // The queue carries outcomes of any type; the job above it returns exactly T.
    return outcome as Promise<T>;
  }

  /** Something has changed. Starts the loop, or makes it look again. */
  #wake(): void {
    if (this.#mustYield) this.#broadcast.interrupt();
    this.#wakeup.abort();
    this.#connector.isIdle = false;
    this.#loop ??= this.#runLoop();
  }

  async #runLoop(): Promise<void> {
    await this.#parts.after;
    // Nothing may be awaited between the last look and the end of the loop: work that comes meanwhile would be left waiting.
    for (let step = this.#look(); step.kind !== 'idle'; step = this.#look()) await this.#do(step);
    this.#loop = undefined;
    this.#connector.isIdle = !this.#stop.signal.aborted;
  }

  #look(): SessionStep {
    this.#wakeup = new AbortController();
    if (this.#connector.isPortWanted) {
      this.#connector.yieldPort();
      this.#broadcast.lose('Another unit uses the same meter.');
    }
    if (this.#stop.signal.aborted) return { kind: 'idle' };
    const { head } = this.#queue;
    const question: Want = { kind: 'question', inMs: this.#connector.isOpen ? this.#questionInMs : undefined };
    const request: Want = {
      kind: 'request',
      inMs: head && (head.job.offline ? 0 : this.#dialInMs(head.priority)),
    };
    const stream: Want = { kind: 'stream', inMs: this.#broadcast.dueInMs };
    const wants = this.#broadcast.isAwaited ? [question, stream, request] : [question, request, stream];
    return nextStep(this.#queue.isOperatorWaiting ? [request, question, stream] : wants, this.#connector.port.gapMs);
  }

  /** A fault in a step is logged, and a gap follows. The loop goes on, because everybody would wait for ever without it. */
  async #do(step: SessionStep): Promise<void> {
    const { clock, log } = this.#parts;
    this.#isInterrupted = step.kind === 'request' || (this.#isInterrupted && step.kind !== 'stream');
    try {
      if (step.kind === 'wait') await sleep(clock, step.ms, this.#wakeup.signal).catch(() => {});
      else if (step.kind === 'stream') await this.#broadcast.run();
      else if (step.kind === 'question') await this.#state.ask((question) => this.#begin(question.text).send(question));
      else if (step.kind === 'request') await this.#serve(this.#queue.take());
    } catch (error) {
      log.error({ step: step.kind, error: messageOf(error) }, 'a step failed');
      this.#connector.port.restart();
    }
    this.#running = undefined;
    if (step.kind !== 'wait') this.#closeUnlessKept();
  }

  async #serve(request: QueuedRequest | undefined): Promise<void> {
    if (!request) return;
    await this.#begin(request.job.label, request).run(request);
    if (this.reachability.reachable) this.#broadcast.retryNow();
  }

  /** Has the meter until the step is over. */
  #begin(label: string, request?: QueuedRequest): MeterReservation {
    this.#running = new MeterReservation(this.#parts, label, request);
    return this.#running;
  }

  /** With `per-command` the connection is closed after each job; what follows at once still uses it. */
  #closeUnlessKept(): void {
    if (this.#parts.settings.connection === 'kept' || this.feed.watchers > 0 || this.#questionInMs === 0) return;
    this.#connector.close('done');
  }

  get #mustYield(): boolean {
    if (this.#stop.signal.aborted || this.#connector.isPortWanted) return true;
    return this.#broadcast.isAwaited ? this.#queue.isOperatorWaiting : this.#queue.length > 0;
  }

  /** While somebody watches, what the viewer does not wait for is asked only when the stream is interrupted anyway. */
  get #questionInMs(): number | undefined {
    const isWaitedFor = this.#broadcast.isAwaited || !this.#isInterrupted;
    return this.#state.questionInMs(this.feed.watchers > 0 && isWaitedFor);
  }

  /** ms until a connection that failed may be tried again. */
  #dialInMs(priority: Priority): number {
    return this.#connector.isOpen ? 0 : this.#state.retry.remainingMs(priority);
  }

  get #present(): MeterReport['state'] {
    if (this.#closed) return 'closed';
    if (this.#connector.isConnecting) return 'dialling';
    if (this.#running) return 'exchanging';
    return this.#broadcast.state ?? (this.#connector.isOpen ? 'ready' : 'idle');
  }
}
