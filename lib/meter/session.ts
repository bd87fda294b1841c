/**
 * One meter. It owns its queue, connection and stream, and one loop that decides after each step what comes next. Only
 * the loop works with the meter, so two things never run at once.
 *
 *   callers -> queue ---\
 *                        loop -> rest -> connection -> meter
 *   watchers -> hub ----/
 */
import { sleep, unlessAborted, within } from '../clock.ts';
import type { MeterSetting, OperationName, Operations, Sender } from '../drivers/contract.ts';
import { notSupported, operationOf, settingOf } from '../drivers/not-supported.ts';
import type { Command } from '../drivers/wire/contract.ts';
import { GatewayError, messageOf } from '../errors.ts';
import { Broadcast } from './broadcast.ts';
import { Connector } from './connector.ts';
import type { Caller, Meter, MeterReport, Reservation, ReserveOptions } from './contract.ts';
import type { CommandGap } from './meter-port.ts';
import { MeterState } from './meter-state.ts';
import type { Closing, CommandReservation, SessionParts } from './parts.ts';
import { Queue, type QueuedRequest, type QueuedWork } from './queue.ts';
import { freshnessFor, KnownReservation, MeterReservation, NotKnown, type ReservationParts } from './reservation.ts';
import { type SessionStep, Turns } from './turns.ts';

/** Time for work to end after its connection was dropped, ms. */
const DROPPED_MS = 100;

export class Session implements Meter {
  readonly unitId: string;
  readonly #parts: ReservationParts;
  readonly #queue: Queue;
  readonly #connector: Connector;
  readonly #state: MeterState;
  readonly #broadcast: Broadcast;
  readonly #turns: Turns;
  readonly #stop = new AbortController();
  #loop: Promise<void> | undefined;
  #wakeup = new AbortController();
  #running: MeterReservation | undefined;
  #disarm = () => {};
  #closed: Promise<void> | undefined;

  constructor(parts: SessionParts) {
    this.unitId = parts.unitId;
    this.#queue = new Queue({ ...parts, isHeld: (request) => !this.#turns.mayGo(request) });
    this.#state = new MeterState(parts);
    const { signal } = this.#stop;
    const shared = { ...parts, queue: this.#queue, state: this.#state, signal, onChange: () => this.#wake() };
    this.#connector = new Connector(shared);
    const watchers = () => this.feed.watchers;
    this.#parts = { ...shared, connector: this.#connector, isStreamed: () => this.#broadcast.isKept, watchers };
    this.#broadcast = new Broadcast({ ...this.#parts, mustYield: () => this.#turns.mustYield });
    this.#turns = new Turns({ ...this.#parts, broadcast: this.#broadcast });
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
    return names.every((name) => this.family.operations[name]);
  }

  assertCan(...names: readonly OperationName[]): void {
    for (const name of names) operationOf(this, name);
  }

  setting(name: string): MeterSetting {
    return settingOf(this, name);
  }

  async perform<N extends OperationName>(
    name: N,
    caller: Caller,
    ...values: Parameters<Operations[N]>
  ): Promise<ReturnType<Operations[N]>> {
    const { run, reserves, reads } = operationOf(this.#parts, name);
    const known =
      this.#mayBeKnown(caller) && (await this.known((reservation) => reservation.perform(name, ...values), caller));
    if (known) return known.value;
    if (reserves === undefined) return run(this.#sender(caller), ...values);
    const isRead = reads === true;
    return this.reserve(reserves, (reservation) => run(reservation, ...values), caller, { isRead });
  }

  async readSetting(name: string, caller: Caller): Promise<string> {
    const { several, read } = this.setting(name);
    const known =
      this.#mayBeKnown(caller) && (await this.known((reservation) => reservation.readSetting(name), caller));
    if (known) return known.value;
    if (several === undefined) return read(this.#sender(caller));
    return this.reserve(`read ${several}`, read, caller, { isRead: true });
  }

  async writeSetting(name: string, value: string, caller: Caller): Promise<string> {
    const { several, write } = this.setting(name);
    if (several === undefined) return write(this.#sender(caller), value);
    return this.reserve(`set ${several}`, (reservation) => write(reservation, value), caller);
  }

  /**
   * Equal requests that have not started are joined. Errors: as `Sender.send`, DEVICE_BUSY, QUEUE_TIMEOUT, STOPPING.
   */
  async run<T>(command: Command<T>, caller: Caller): Promise<T> {
    const { text, kind } = command;
    const work = (reservation: CommandReservation) => reservation.send(command);
    if (kind === 'setting') return this.#enqueue({ label: text, join: undefined, work }, caller);
    return this.#enqueue({ label: text, join: `command ${text}`, isRead: true, work }, caller);
  }

  async known<T>(read: (reservation: Reservation) => Promise<T>, caller: Caller): Promise<{ value: T } | undefined> {
    if (!this.#mayBeKnown(caller)) return undefined;
    const reservation = new KnownReservation(this.#parts, this.#state, freshnessFor(caller, this.#parts));
    try {
      const value = await read(reservation);
      caller.onAge?.(reservation.ageMs);
      return { value };
    } catch (error) {
      if (error instanceof NotKnown) return undefined;
      throw error;
    }
  }

  reserve<T>(
    label: string,
    work: (reservation: CommandReservation) => Promise<T>,
    caller: Caller,
    { join: name, joinWhile, isRead = false }: ReserveOptions = {},
  ): Promise<T> {
    const join = name === undefined ? undefined : `reservation ${name}`;
    return this.#enqueue({ label, join, joinWhile, isRead, work }, caller);
  }

  isWorthAsking(name: OperationName): boolean {
    const operation = this.#parts.family.operations[name];
    if (!operation) return false;
    return !operation.request || this.#state.unreadable.isWorthAsking(operation.request.text);
  }

  /** For FTP: it waits for its turn, and the rest starts again before and after it. */
  get commandGap(): CommandGap {
    const connector = this.#connector;
    const restart = () => connector.port.restart();
    const job: QueuedWork = { label: 'FTP', join: undefined, offline: true, isRead: true, work: async () => restart() };
    return {
      get commands() {
        return connector.port.commands;
      },
      wait: (caller) => this.#enqueue(job, caller),
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
      retryInMs: this.#turns.dialInMs('background') || null,
      unreadable: this.#state.unreadable.list,
      strangeLine: this.#state.strangeLine,
      identity: this.identity,
      counters: { ...this.#parts.unit.counters },
      countedSince: this.#parts.unit.countedSince,
    };
  }

  /** Answers all callers, finishes the running command, ends a stream. May be called twice; the first reason counts. */
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
    const endsIn = (ms: number) => within(clock, ms, () => error, ended).catch(() => {});
    await endsIn(settings.closeTimeoutMs);
    const left = this.#running?.request;
    if (this.#loop) this.#connector.drop(error.message);
    else this.#connector.close(error.message);
    // The outcome of a setting that was sent is unknown: its caller gets that answer when the connection has gone.
    if (left) await endsIn(DROPPED_MS);
    left?.reject(error);
    this.#connector.leavePort();
  }

  async #enqueue<T>(job: QueuedWork, given: Caller): Promise<T> {
    const { settings, faults, family, unitId } = this.#parts;
    this.#stop.signal.throwIfAborted();
    if (!family.conversation) throw notSupported(unitId, family, 'commands: its meters send on their own');
    const { deadlineMs = settings.requestDeadlineMs, priority = 'operator' } = given;
    const caller = { ...given, deadlineMs, priority };
    this.#refuseTooLate(job, caller);
    if (!job.offline && this.#turns.dialInMs(priority) > caller.deadlineMs) {
      throw faults.unreachableStill(this.reachability, this.#turns.dialInMs('background'));
    }
    const outcome = this.#queue.add(job, caller);
    this.#wake();
    // The queue carries outcomes of any type; the job above it returns exactly T.
    return outcome as Promise<T>;
  }

  /** Commands of one caller that wait for their turns one by one: others may come between. */
  #sender(caller: Caller): Sender {
    return {
      send: (command) => this.run(command, caller),
      peek: (stream) => this.reserve(stream.text, (reservation) => reservation.peek(stream), caller, { isRead: true }),
      session: this.#state,
    };
  }

  #mayBeKnown({ maxAgeMs }: Caller): boolean {
    return maxAgeMs === undefined ? this.#broadcast.isKept : maxAgeMs > 0;
  }

  /** A client with a shorter wait learns at once when to ask again. */
  #refuseTooLate(job: QueuedWork, { clientLimitMs, priority, who = '' }: Caller): void {
    if (clientLimitMs === undefined || !job.isRead || !this.#broadcast.isKept) return;
    const turnInMs = this.#broadcast.leastQuestionMs({
      key: `${who} ${job.label}`,
      isBackground: priority === 'background',
    });
    const inMs = turnInMs + this.#queue.ahead(job, who) * this.#parts.settings.spacingMs;
    if (inMs <= clientLimitMs) return;
    const seconds = Math.ceil(inMs / 1_000);
    const what = `The request "${job.label}" would wait ${seconds} s for its turn beside the stream of the meter ${this.unitId}, longer than its client does.`;
    throw new GatewayError('QUEUE_TIMEOUT', what, { headers: { 'Retry-After': String(seconds) } });
  }

  #wake(): void {
    this.#disarm();
    if (this.#turns.mustYield) this.#broadcast.interrupt();
    else this.#disarm = this.#turns.whenOneMayGo(() => this.#wake());
    this.#wakeup.abort();
    this.#connector.isIdle = false;
    this.#loop ??= this.#runLoop();
  }

  async #runLoop(): Promise<void> {
    await this.#parts.after;
    // No await between the last check and the end of the loop: work that arrives meanwhile would be left waiting.
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
    return this.#turns.next();
  }

  /** A fault in a step is logged, and a rest follows: without the loop everybody would wait for ever. */
  async #do(step: SessionStep): Promise<void> {
    const { clock, log } = this.#parts;
    try {
      if (step.kind === 'wait') await sleep(clock, step.ms, this.#wakeup.signal).catch(() => {});
      else if (step.kind === 'stream') await this.#broadcast.run();
      else if (step.kind === 'question') await this.#askOwn();
      else if (step.kind === 'request') await this.#serve(this.#queue.take(this.#turns.mayGo));
    } catch (error) {
      log.error({ step: step.kind, error: messageOf(error) }, 'a step failed');
      this.#connector.port.restart();
    }
    this.#running = undefined;
    if (step.kind !== 'wait') this.#closeUnlessKept();
  }

  async #serve(request: QueuedRequest | undefined): Promise<void> {
    if (!request) return;
    this.#broadcast.sent(request.question);
    await this.#begin(request.job.label, request).run(request);
    if (this.reachability.reachable) this.#broadcast.retryNow(!request.job.isRead);
  }

  async #askOwn(): Promise<void> {
    this.#broadcast.sent(undefined);
    await this.#state.ask((question) => this.#begin(question.text).send(question));
  }

  #begin(label: string, request?: QueuedRequest): MeterReservation {
    this.#running = new MeterReservation(this.#parts, label, request);
    return this.#running;
  }

  /** With `per-command` the connection is closed after each job; work that follows at once still uses it. */
  #closeUnlessKept(): void {
    if (this.#parts.settings.connection === 'kept' || this.feed.watchers > 0 || this.#turns.questionInMs === 0) return;
    this.#connector.close('done');
  }

  get #present(): MeterReport['state'] {
    if (this.#closed) return 'closed';
    if (this.#connector.isConnecting) return 'dialling';
    if (this.#running) return 'exchanging';
    return this.#broadcast.state ?? (this.#connector.isOpen ? 'ready' : 'idle');
  }
}
