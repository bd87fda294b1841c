/**
 * One meter. It owns everything that talks to it - queue, connection, stream - and one loop that decides, after each thing
 * done, what comes next. Two things never run at once on a meter because only the loop runs them.
 *
 *   callers -> queue ---\
 *                        loop -> gap -> connection -> meter
 *   watchers -> hub ----/
 */
import { sleep } from '../clock.ts';
import type { Command } from '../driver/contract.ts';
import { messageOf } from '../errors.ts';
import type { Feed } from '../live/contract.ts';
import { Broadcast } from './broadcast.ts';
import { CommandRunner } from './command-runner.ts';
import { Connector } from './connector.ts';
import type {
  Caller,
  DeviceState,
  LiveFrame,
  Meter,
  MeterReport,
  Reachability,
  Reservation,
  SessionState,
} from './contract.ts';
import { unreachableStill } from './faults.ts';
import { MeterState } from './meter-state.ts';
import { type Job, type Priority, Queue, type QueuedRequest } from './queue.ts';
import { MeterReservation } from './reservation.ts';
import { Retry } from './retry.ts';
import type { Closing, SessionParts } from './session-parts.ts';
import { StateProbe } from './state-probe.ts';
import { nextStep, type Step } from './steps.ts';
import { PromptHistory } from './stream-run.ts';

export class Session implements Meter {
  readonly unitId: string;
  readonly #parts: SessionParts;
  readonly #queue: Queue;
  readonly #connector: Connector;
  readonly #state: MeterState;
  readonly #probe: StateProbe;
  readonly #runner: CommandRunner;
  readonly #broadcast: Broadcast;
  readonly #retry: Retry;
  readonly #stop = new AbortController();
  #loop: Promise<void> | undefined;
  #wakeup = new AbortController();
  #running: { readonly request: QueuedRequest; readonly since: number; readonly from: number } | undefined;
  /** A request has interrupted the stream, or come before it. */
  #isInterrupted = false;
  /** Another unit waits for the connection to the same meter. */
  #isPortWanted = false;
  #closing: Closing | undefined;
  #closed: Promise<void> | undefined;

  constructor(parts: SessionParts) {
    const { unitId, clock, settings, driver } = parts;
    const { counters } = parts.tally;
    this.unitId = unitId;
    this.#parts = parts;
    this.#retry = new Retry(clock, settings, parts.random);
    this.#state = new MeterState({ ...parts, retry: this.#retry });
    this.#queue = new Queue({
      unitId,
      clock,
      limit: settings.queueLimit,
      spacingMs: settings.spacingMs,
      onJoin: () => {
        counters.joined += 1;
      },
    });
    this.#connector = new Connector({
      ...parts,
      retry: this.#retry,
      urgent: () => this.#queue.head?.priority === 'operator' || this.#running?.request.priority === 'operator',
      failing: () => this.reachability.consecutiveFailures > 0,
      onTrouble: () => this.#probe.invalidate(),
      onPortWanted: () => {
        this.#isPortWanted = true;
        this.#wake();
      },
    });
    const shared = {
      ...parts,
      connector: this.#connector,
      state: this.#state,
      prompts: new PromptHistory(),
      signal: this.#stop.signal,
    };
    this.#runner = new CommandRunner({ ...shared, onNoAnswer: (error) => this.#queue.fail(error) });
    this.#probe = new StateProbe({ ...shared, questions: driver.stateQuestions, reserve: () => this.#reservation() });
    this.#broadcast = new Broadcast({
      ...shared,
      mustYield: () => this.#mustYield,
      mustAsk: () => this.#questionInMs === 0,
      onChange: () => this.#wake(),
    });
  }

  get feed(): Feed<LiveFrame> {
    return this.#broadcast.hub;
  }

  get deviceState(): DeviceState {
    return this.#state.deviceState;
  }

  get reachability(): Reachability {
    return this.#state.reachability;
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

  isWorthAsking({ text }: Command<unknown>): boolean {
    return this.#state.unreadable.isWorthAsking(text);
  }

  async waitForGap(signal: AbortSignal): Promise<void> {
    const work = async () => this.#parts.commandGap.restart();
    await this.#enqueue({ label: 'FTP', join: undefined, offline: true, work }, { signal });
  }

  restartGap(): void {
    this.#parts.commandGap.restart();
  }

  report(): MeterReport {
    return {
      state: this.#present,
      reservation: this.#shownReservation,
      waiting: this.#queue.report(),
      watchers: this.feed.watchers,
      connectedSince: this.#connector.connectedSince,
      lastEnding: this.#connector.lastEnding,
      retryInMs: this.#connector.isOpen ? null : this.#retry.remainingMs('background') || null,
      sharedWith: this.#connector.sharedWith,
      unreadable: this.#state.unreadable.list,
      counters: { ...this.#parts.tally.counters },
      countedSince: this.#parts.tally.since,
    };
  }

  /** The session's own questions have no caller. */
  get #shownReservation(): MeterReport['reservation'] {
    if (!this.#running) return this.#probe.asking ?? null;
    const { request, since, from } = this.#running;
    const heldMs = Math.round(this.#parts.clock.elapsed() - from);
    return { label: request.job.label, since, heldMs, callers: request.callers };
  }

  /**
   * Answers everybody, finishes the running command, ends a stream, closes the connection. May be called twice; the first
   * reason counts. Takes at most `closeTimeoutMs`.
   */
  close(closing: Closing): Promise<void> {
    this.#closed ??= this.#shutDown(closing);
    return this.#closed;
  }

  async #shutDown(closing: Closing): Promise<void> {
    const { error, feed } = closing;
    this.#closing = closing;
    this.#queue.drop(error);
    this.#broadcast.hub.close(feed, error.message);
    this.#stop.abort(error);
    this.#wake();
    const late = Promise.withResolvers<void>();
    const cancel = this.#parts.clock.after(this.#parts.settings.closeTimeoutMs, late.resolve);
    await Promise.race([this.#loop, late.promise]);
    cancel();
    this.#running?.request.reject(error);
    if (this.#loop) this.#connector.drop(error.message);
    else this.#connector.close(error.message);
    this.#connector.leavePort();
  }

  async #enqueue<T>(job: Job, { signal, deadlineMs, priority }: Caller): Promise<T> {
    if (this.#closing) throw this.#closing.error;
    const caller = {
      signal,
      deadlineMs: deadlineMs ?? this.#parts.settings.requestDeadlineMs,
      priority: priority ?? 'operator',
    };
    // It would have to wait for the next try longer than it wants to wait at all.
    if (!job.offline && this.#dialInMs(caller.priority) > caller.deadlineMs) {
      throw unreachableStill(this.unitId, this.#connector.endpoint, this.reachability, this.#dialInMs('background'));
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
    // Between the look and the end of the loop nothing may be awaited: work that came then would not be seen.
    for (let step = this.#look(); step.kind !== 'idle'; step = this.#look()) await this.#do(step);
    this.#loop = undefined;
    this.#connector.isIdle = this.#closing === undefined;
  }

  #look(): Step {
    this.#wakeup = new AbortController();
    if (this.#isPortWanted) this.#yieldPort();
    const { head } = this.#queue;
    const requestInMs = head && !head.offline ? this.#dialInMs(head.priority) : 0;
    return nextStep({
      ending: this.#closing !== undefined,
      operatorInMs: head?.priority === 'operator' ? requestInMs : undefined,
      backgroundInMs: head?.priority === 'background' ? requestInMs : undefined,
      questionInMs: this.#connector.isOpen ? this.#questionInMs : undefined,
      streamInMs: this.#broadcast.dueInMs,
      gapMs: this.#parts.commandGap.remainingMs,
    });
  }

  #yieldPort(): void {
    this.#isPortWanted = false;
    this.#connector.close('another unit uses the same meter');
    this.#broadcast.giveWay('Another unit uses the same meter.');
  }

  /** While somebody watches, what the viewer does not wait for is asked only when the stream is interrupted anyway. */
  get #questionInMs(): number | undefined {
    return this.#probe.dueInMs(this.feed.watchers > 0 && !this.#isInterrupted);
  }

  /** ms until a connection that failed may be tried again. */
  #dialInMs(priority: Priority): number {
    return this.#connector.isOpen ? 0 : this.#retry.remainingMs(priority);
  }

  /** A fault in here is logged and costs a gap, never the loop: it would leave everybody waiting. */
  async #do(step: Step): Promise<void> {
    this.#isInterrupted = step.kind === 'request' || (this.#isInterrupted && step.kind !== 'stream');
    try {
      if (step.kind === 'wait') await sleep(this.#parts.clock, step.ms, this.#wakeup.signal).catch(() => {});
      else if (step.kind === 'stream') await this.#broadcast.run();
      else if (step.kind === 'question') await this.#probe.ask();
      else if (step.kind === 'request') await this.#serve(this.#queue.take());
    } catch (error) {
      this.#parts.log.error({ step: step.kind, error: messageOf(error) }, 'a step failed');
      this.#parts.commandGap.restart();
    }
    if (step.kind !== 'wait') this.#closeUnlessKept();
  }

  async #serve(request: QueuedRequest | undefined): Promise<void> {
    if (!request) return;
    const { clock } = this.#parts;
    this.#running = { request, since: clock.now(), from: clock.elapsed() };
    await this.#reservation(request).run(request);
    this.#running = undefined;
    if (this.reachability.reachable) this.#broadcast.retryNow();
  }

  #reservation(request?: QueuedRequest): MeterReservation {
    const shouldYield = () => this.#queue.head?.priority === 'operator' || this.feed.watchers > 0;
    return new MeterReservation({ ...this.#parts, runner: this.#runner, shouldYield }, request);
  }

  /** With `per-command` the connection is closed after each job; what follows at once still uses it. */
  #closeUnlessKept(): void {
    if (this.#parts.settings.connection === 'kept' || this.feed.watchers > 0 || this.#questionInMs === 0) return;
    this.#connector.close('done');
  }

  get #mustYield(): boolean {
    return this.#closing !== undefined || this.#isPortWanted || this.#queue.length > 0;
  }

  get #present(): SessionState {
    if (this.#closed) return 'closed';
    if (this.#connector.isConnecting) return 'dialling';
    if (this.#running || this.#probe.asking) return 'exchanging';
    return this.#broadcast.state ?? (this.#connector.isOpen ? 'ready' : 'idle');
  }
}
