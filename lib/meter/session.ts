/**
 * One meter. It owns everything that talks to it - queue, connection, stream - and one driver loop that decides, after each
 * thing done, what comes next. Two things never run at once on a meter because only the loop runs them.
 *
 *   callers -> queue --\
 *                       driver -> rest -> connection -> meter
 *   watchers -> hub ---/
 */
import { type GatewayError, messageOf } from '../errors.ts';
import type { Feed } from '../live/contract.ts';
import type { Command } from '../nl43/contract.ts';
import { Bell } from './bell.ts';
import { Broadcast } from './broadcast.ts';
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
import { HeldLine, type LineParts } from './held-line.ts';
import { Hold } from './hold.ts';
import { Knowledge } from './knowledge.ts';
import { Learning } from './learning.ts';
import { Link } from './link.ts';
import { Prompting } from './prompting.ts';
import { type Job, type Priority, Queue, type Turn } from './queue.ts';
import { Retry } from './retry.ts';
import type { Farewell, SessionParts } from './session-parts.ts';
import { nextStep, type Step } from './steps.ts';

export class Session implements Meter {
  readonly unitId: string;
  readonly #parts: SessionParts;
  readonly #queue: Queue;
  readonly #link: Link;
  readonly #knowledge: Knowledge;
  readonly #broadcast: Broadcast;
  readonly #bell: Bell;
  readonly #retry: Retry;
  readonly #learning: Learning;
  readonly #prompting = new Prompting();
  readonly #stop = new AbortController();
  #driving: Promise<void> | undefined;
  #holder: { readonly turn: Turn; readonly since: number } | undefined;
  #farewell: Farewell | undefined;
  #closed: Promise<void> | undefined;
  #cancelIdleClose = () => {};

  constructor(parts: SessionParts) {
    const { unitId, clock, settings } = parts;
    const { counters } = parts.tally;
    this.unitId = unitId;
    this.#parts = parts;
    this.#bell = new Bell(clock);
    this.#retry = new Retry(clock, settings, parts.random);
    this.#knowledge = new Knowledge({ ...parts, retry: this.#retry });
    this.#link = new Link({
      ...parts,
      counters,
      retry: this.#retry,
      urgent: () => this.#queue.head?.priority === 'operator' || this.#holder?.turn.priority === 'operator',
      failing: () => this.reachability.consecutiveFailures > 0,
      onTrouble: () => this.#learning.doubt(),
    });
    this.#queue = new Queue({
      unitId,
      clock,
      limit: settings.queueLimit,
      spacingMs: settings.spacingMs,
      onJoin: () => {
        counters.joined += 1;
      },
    });
    this.#learning = new Learning({
      ...parts,
      knowledge: this.#knowledge,
      line: () => new HeldLine(this.#lineParts(() => false)),
    });
    this.#broadcast = new Broadcast({
      ...parts,
      command: parts.stream,
      link: this.#link,
      counters,
      knowledge: this.#knowledge,
      signal: this.#stop.signal,
      mustYield: () => this.#mustYield,
      prompting: this.#prompting,
      mustLearn: () => this.#learning.dueInMs === 0,
      onChange: () => this.#wake(),
    });
  }

  get feed(): Feed<LiveFrame> {
    return this.#broadcast.hub;
  }

  get deviceState(): DeviceState {
    return this.#knowledge.deviceState;
  }

  get reachability(): Reachability {
    return this.#knowledge.reachability;
  }

  run<T>(command: Command<T>, caller: Caller): Promise<T> {
    const join = command.kind === 'request' ? `command ${command.text}` : undefined;
    return this.#ask({ label: command.text, join, work: (line) => line.send(command) }, caller);
  }

  reserve<T>(
    label: string,
    work: (line: Reservation) => Promise<T>,
    caller: Caller,
    options: { join?: string; joinWhile?: () => boolean } = {},
  ): Promise<T> {
    const join = options.join === undefined ? undefined : `hold ${options.join}`;
    return this.#ask({ label, join, joinWhile: options.joinWhile, work }, caller);
  }

  async waitForGap(signal: AbortSignal): Promise<void> {
    const work = async () => this.#parts.commandGap.restart();
    await this.#ask({ label: 'FTP', join: undefined, offline: true, work }, { signal });
  }

  restartGap(): void {
    this.#parts.commandGap.restart();
  }

  report(): MeterReport {
    return {
      state: this.#state,
      reservation: this.#shownHolder,
      waiting: this.#queue.report(),
      watchers: this.feed.watchers,
      connectedSince: this.#link.connectedSince,
      lastEnding: this.#link.lastEnding,
      retryInMs: this.#link.isOpen ? null : this.#retry.remainingMs(false) || null,
      counters: { ...this.#parts.tally.counters },
      countedSince: this.#parts.tally.since,
    };
  }

  /** The gateway's own questions have no caller. */
  get #shownHolder(): MeterReport['reservation'] {
    if (this.#holder) {
      const { turn, since } = this.#holder;
      return { label: turn.job.label, since, callers: turn.callers };
    }
    return this.#learning.present ?? null;
  }

  /**
   * Answers everybody, finishes the running command, ends a stream with SUB, closes the connection. May be called twice;
   * the first farewell counts. Takes at most `closeTimeoutMs`.
   */
  close(farewell: Farewell): Promise<void> {
    this.#closed ??= this.#shutDown(farewell);
    return this.#closed;
  }

  async #shutDown(farewell: Farewell): Promise<void> {
    this.#farewell = farewell;
    this.#queue.drop(farewell.error);
    this.#broadcast.hub.close(farewell.feed, farewell.error.message);
    this.#stop.abort(farewell.error);
    this.#wake();
    const late = Promise.withResolvers<void>();
    const cancel = this.#parts.clock.after(this.#parts.settings.closeTimeoutMs, late.resolve);
    await Promise.race([this.#driving, late.promise]);
    cancel();
    this.#cancelIdleClose();
    this.#holder?.turn.reject(farewell.error);
    if (this.#driving) this.#link.drop(farewell.error.message);
    else this.#link.close(farewell.error.message);
  }

  async #ask<T>(job: Job, { signal, deadlineMs, priority }: Caller): Promise<T> {
    if (this.#farewell) throw this.#farewell.error;
    const waiter = {
      signal,
      deadlineMs: deadlineMs ?? this.#parts.settings.requestDeadlineMs,
      priority: priority ?? 'operator',
    };
    if (!job.offline && this.#dialInMs(waiter.priority) > waiter.deadlineMs) throw this.#stillGone();
    const outcome = this.#queue.add(job, waiter);
    this.#wake();
    // The queue carries outcomes of any type; the job above it returns exactly T.
    return outcome as Promise<T>;
  }

  /** Something has changed. Starts the driver, or makes it look again. */
  #wake(): void {
    if (this.#mustYield) this.#broadcast.interrupt();
    this.#bell.ring();
    this.#cancelIdleClose();
    this.#driving ??= this.#drive();
  }

  async #drive(): Promise<void> {
    await this.#parts.after;
    // Between the look and the end of the driver nothing may be awaited: work that came then would not be seen.
    for (let step = this.#look(); step.kind !== 'idle'; step = this.#look()) await this.#do(step);
    this.#driving = undefined;
    this.#armIdleClose();
  }

  #look(): Step {
    const { head } = this.#queue;
    const jobInMs = head && !head.offline ? this.#dialInMs(head.priority) : 0;
    return nextStep({
      ending: this.#farewell !== undefined,
      operatorInMs: head?.priority === 'operator' ? jobInMs : undefined,
      backgroundInMs: head?.priority === 'background' ? jobInMs : undefined,
      learnInMs: this.#link.isOpen ? this.#learning.dueInMs : undefined,
      streamInMs: this.#broadcast.dueInMs,
      restMs: this.#parts.commandGap.remainingMs,
    });
  }

  /** ms until a line that failed may be tried again for somebody who asks. */
  #dialInMs(priority: Priority): number {
    return this.#link.isOpen ? 0 : this.#retry.remainingMs(priority === 'operator');
  }

  /** It would have to wait for the next try longer than it wants to wait at all. */
  #stillGone(): GatewayError {
    return unreachableStill(this.unitId, this.#link.peer, this.reachability, this.#retry.remainingMs(false));
  }

  /** A fault in here is logged and costs a rest, never the driver: it would leave everybody waiting. */
  async #do(step: Step): Promise<void> {
    try {
      if (step.kind === 'wait') await this.#bell.wait(step.ms);
      else if (step.kind === 'stream') await this.#broadcast.run();
      else if (step.kind === 'learn') await this.#learning.run();
      else if (step.kind === 'job') await this.#serve(this.#queue.take());
    } catch (error) {
      this.#parts.log.error({ step: step.kind, error: messageOf(error) }, 'a step failed');
      this.#parts.commandGap.restart();
    }
    if (step.kind !== 'wait') this.#part();
  }

  async #serve(turn: Turn | undefined): Promise<void> {
    if (!turn) return;
    this.#holder = { turn, since: this.#parts.clock.now() };
    const hold = new Hold(turn, new HeldLine(this.#lineParts(() => turn.abandoned)), this.#parts);
    await hold.run();
    this.#holder = undefined;
    if (this.reachability.reachable) this.#broadcast.retryNow();
  }

  /** Closes a connection that is wanted for each command anew; what follows at once still uses it. */
  #part(): void {
    if (this.#parts.settings.connection === 'kept' || this.feed.watchers > 0 || this.#learning.dueInMs === 0) return;
    this.#link.close('done');
  }

  #lineParts(abandoned: () => boolean): LineParts {
    return {
      ...this.#parts,
      link: this.#link,
      counters: this.#parts.tally.counters,
      knowledge: this.#knowledge,
      prompting: this.#prompting,
      signal: this.#stop.signal,
      proof: this.#parts.proof,
      abandoned,
      onNoAnswer: (error) => this.#queue.fail(error),
    };
  }

  #armIdleClose(): void {
    const { idleCloseMs } = this.#parts.settings;
    if (idleCloseMs === 0 || this.#farewell || !this.#link.isOpen) return;
    this.#cancelIdleClose = this.#parts.clock.after(idleCloseMs, () => this.#link.close('idle'));
  }

  get #mustYield(): boolean {
    return this.#farewell !== undefined || this.#queue.length > 0;
  }

  get #state(): SessionState {
    if (this.#closed) return 'closed';
    if (this.#link.dialling) return 'dialling';
    if (this.#holder || this.#learning.present) return 'exchanging';
    return this.#broadcast.state ?? (this.#link.isOpen ? 'ready' : 'idle');
  }
}
