/**
 * Keeps the fast stream running while somebody watches: starts it, interrupts it for commands, and retries a lost one.
 * The session calls `run` when the rest is over and no other work waits.
 */
import { notSupported } from '../drivers/not-supported.ts';
import type { Frame, Refusal, StreamTalk } from '../drivers/wire/contract.ts';
import { isGatewayError, messageOf } from '../errors.ts';
import { type Connector, type OpenConnection, reachedNobody } from './connector.ts';
import type { LiveFrame } from './contract.ts';
import { isRefused } from './faults.ts';
import { Hub } from './live/hub.ts';
import { Retry } from './reachability.ts';
import type { SharedParts } from './shared-parts.ts';
import { type BudgetedQuestion, StreamBudget } from './stream-budget.ts';
import { runStream, STALL_MS, type StreamEnd, type StreamRun } from './stream-run.ts';

interface BroadcastParts extends SharedParts {
  readonly connector: Connector;
  readonly mustYield: () => boolean;
}

/** Unreadable lines without a readable one, until the fallback of the stream is used. */
const UNREADABLE_TIMES = 5;
/** A kept connection may have died unnoticed. The slot of the meter may still be taken when the next one is opened. */
const MOST_UNHEARD = 2;
/** A meter that refuses its stream because of its state is asked again after this time, ms. */
const REFUSED_MS = 60_000;

const STALLED = `The meter has sent no frame for ${STALL_MS / 1_000} s; its connection is open.`;

export class Broadcast {
  readonly hub: Hub<LiveFrame>;
  readonly #parts: BroadcastParts;
  readonly #retry: Retry;
  /** The command in use: the stream of the family, or a fallback of it. Undefined: the meter has no stream. */
  #talk: StreamTalk | undefined;
  #run: StreamRun | undefined;
  /** Unreadable lines of the present command; undefined after its first readable frame. */
  #unreadable: number | undefined = 0;
  /** The meter has streamed in this session, so it can stream. */
  #flowed = false;
  #cancelLinger = () => {};
  readonly #budget: StreamBudget;
  /** Number of commands to the meter when the stream was last ended or wanted. */
  #commandsBefore = 0;
  #unheard = 0;
  /** The stream was lost on a connection that otherwise works. */
  #isWithheld = false;
  /** The meter refused the stream because of its state: only a change at the meter, or time, helps. */
  #isRefused = false;

  constructor(parts: BroadcastParts) {
    this.#parts = parts;
    this.#talk = parts.driver.stream;
    this.#retry = new Retry(parts);
    this.#budget = new StreamBudget(parts.clock);
    this.hub = new Hub({
      log: parts.log,
      onWatched: () => this.#watched(),
      onUnwatched: () => this.#unwatched(),
    });
    const { unitId, family } = parts;
    if (!this.#talk) this.hub.close('failed', notSupported(unitId, family, 'stream').message);
  }

  get state(): 'streaming' | 'draining' | undefined {
    return this.#run && (this.#run.isDraining ? 'draining' : 'streaming');
  }

  /**
   * ms until the question may be sent; Infinity: the stream is next. 0: nobody watches, or no stream is available now.
   */
  questionInMs(question: BudgetedQuestion): number {
    return this.isKept ? this.#budget.inMs(question) : 0;
  }

  leastQuestionMs(question: BudgetedQuestion): number {
    return this.isKept ? this.#budget.leastMs(question) : 0;
  }

  /** Somebody watches, and the stream is available: questions wait for their turns beside it. */
  get isKept(): boolean {
    return this.hub.watchers > 0 && (this.#run !== undefined || this.dueInMs === 0);
  }

  sent(question: BudgetedQuestion | undefined): void {
    if (!this.isKept) return;
    if (question?.job !== undefined && this.#budget.isUnused)
      this.#parts.log.info({ job: question.job }, 'the stream is interrupted for as long as the job needs');
    this.#budget.sent(question);
  }

  /** ms until the stream should run; undefined: nobody watches. */
  get dueInMs(): number | undefined {
    return this.hub.watchers === 0 ? undefined : this.#retry.remainingMs('viewer');
  }

  /**
   * Another command was answered: the stream need not wait longer. `isChange`: the state of the meter may have changed.
   */
  retryNow(isChange: boolean): void {
    if (isChange) this.#parts.state.streamRefused(null);
    if (this.#isRefused ? isChange : !this.#isWithheld) this.#retry.skipWait();
  }

  /** The stream is not available, or is taken away: it is retried later. `wasRefused`: the port refused. */
  lose(detail: string, wasRefused = false): void {
    if (this.hub.watchers === 0) return;
    this.#budget.over();
    this.#isWithheld = false;
    this.#isRefused = false;
    this.#unheard = 0;
    this.#retry.failed(wasRefused);
    this.hub.status('lost', detail);
  }

  interrupt(): void {
    if (!this.#run) return;
    this.#break();
    this.#run.stop();
  }

  /** One run of the stream, from opening the connection to the silence after it. Never rejects. */
  async run(): Promise<void> {
    const { connector, state, signal, queue, mustYield, unit, onChange } = this.#parts;
    let opened: OpenConnection;
    try {
      opened = await connector.open();
    } catch (error) {
      if (signal.aborted) return;
      this.lose(messageOf(error), isRefused(error));
      if (isGatewayError(error)) queue.fail(error);
      return;
    }
    // Frames without a known state are not shown: the state is asked for first.
    const talk = this.#talk;
    if (!talk || mustYield() || state.questionInMs(true) === 0 || this.hub.watchers === 0) return;
    unit.counters.commands += 1;
    const asked = this.#parts.clock.elapsed();
    this.#run = runStream(opened.connection, talk, {
      ...this.#parts,
      onFrame: (frame, begun) => this.#publish(talk, frame, begun, asked),
      onStall: () => this.hub.status('interrupted', STALLED),
      onUnreadable: (error) => this.#leaveOut(talk, error),
    });
    this.#budget.asked();
    onChange();
    const end = await this.#run.ended;
    this.#run = undefined;
    this.#cancelLinger();
    this.#conclude(talk, end, opened);
  }

  #publish({ command }: StreamTalk, frame: Frame, begun: number, asked: number): void {
    const { clock, unit, state, publish, onChange } = this.#parts;
    unit.counters.frames += 1;
    this.#flowed = true;
    this.#unreadable = undefined;
    this.#unheard = 0;
    this.#isRefused = false;
    this.#retry.worked();
    state.streamRefused(null);
    state.reached();
    const shown = state.observeFrame(command, frame, asked);
    this.hub.status('ok', '');
    this.hub.publish({ at: clock.now(), elapsed: clock.elapsed(), begun, shown, frame });
    publish('frame', { frame, begun, shown });
    if (this.#budget.frame(this.#parts.connector.port.commands - this.#commandsBefore)) onChange();
  }

  #leaveOut(talk: StreamTalk, error: unknown): void {
    const { unit, log } = this.#parts;
    unit.counters.framesUnreadable += 1;
    const soFar = unit.counters.framesUnreadable;
    // The 1st, 2nd, 4th, 8th ...: a meter that sends only such lines must not fill the log.
    if (Number.isInteger(Math.log2(soFar))) log.debug({ error: messageOf(error), so_far: soFar }, 'frame left out');
    if (this.#unreadable === undefined) return;
    this.#unreadable += 1;
    if (this.#unreadable >= UNREADABLE_TIMES && this.#fallBack(talk, 'its lines cannot be read')) this.interrupt();
  }

  /** The next run uses the fallback. False without a fallback, or after a frame of the present command. */
  #fallBack(talk: StreamTalk, why: string): boolean {
    const { text, fallback } = talk.command;
    if (!fallback || this.#unreadable === undefined) return false;
    this.#talk = { ...talk, command: fallback };
    this.#unreadable = 0;
    this.#parts.log.info({ command: text, instead: fallback.text, reason: why }, 'another stream is asked for');
    return true;
  }

  #conclude(talk: StreamTalk, end: StreamEnd, opened: OpenConnection): void {
    const { connector } = this.#parts;
    if (end.kind === 'silent' && end.stage === 'frame') this.#fallBack(talk, 'it brings no frame');
    if (end.kind === 'unstoppable') connector.drop('the stream could not be ended');
    if (end.kind === 'stopped' || end.kind === 'unstoppable') this.#pause();
    // A connection that died unnoticed is not reported as a failure: the session opens a new one.
    else if (reachedNobody(end, opened) && this.#unheard < MOST_UNHEARD) {
      this.#unheard += 1;
      connector.drop(`the stream ended: ${end.kind}`);
    } else {
      const { message } = connector.fault({ text: talk.command.text, kind: 'request' }, end);
      if (end.kind === 'refused') this.#refused(talk, end.refusal, message);
      else {
        this.lose(message);
        this.#isWithheld = end.kind !== 'ended';
        if (this.#isWithheld) this.#budget.failed();
      }
    }
  }

  /** After an earlier stream, a refusal because of the state means "not now". Any other refusal would be repeated. */
  #refused(talk: StreamTalk, { code, result }: Refusal, message: string): void {
    const isState = code === 'DEVICE_WRONG_STATE';
    if (!isState && this.#fallBack(talk, result)) return;
    this.#budget.over();
    const why = isState && talk.refusedWhen ? `${message} ${talk.refusedWhen}` : message;
    this.#parts.state.streamRefused(why);
    if (isState && this.#flowed) {
      this.lose(why);
      this.#isRefused = true;
      this.#retry.wait(REFUSED_MS);
    } else this.hub.end('failed', why);
  }

  #pause(): void {
    const why = this.#parts.mustYield()
      ? 'A command has the meter; the stream goes on after it.'
      : 'The stream starts again.';
    if (this.hub.watchers === 0) this.#reset();
    else this.hub.status('interrupted', why);
  }

  #watched(): void {
    this.#cancelLinger();
    this.#retry.skipWait();
    this.#parts.onChange();
  }

  #break(): void {
    this.#commandsBefore = this.#parts.connector.port.commands;
    this.#budget.interrupted();
  }

  /** The stream continues for a while: a viewer that reloads its page then causes no restart at the meter. */
  #unwatched(): void {
    if (!this.#run) this.#reset();
    else this.#cancelLinger = this.#parts.clock.after(this.#parts.settings.streamLingerMs, () => this.interrupt());
  }

  #reset(): void {
    this.#budget.over();
    this.hub.reset();
  }
}
