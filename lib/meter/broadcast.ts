/**
 * Keeps the fast stream going for whoever watches: runs it, interrupts it for commands, says what happened to it, and
 * decides when a lost one is tried again. The session calls `run` when the command gap is over and nothing else waits.
 */
import type { Frame, StreamCommand } from '../driver/contract.ts';
import { isGatewayError, messageOf } from '../errors.ts';
import { Hub } from '../live/hub.ts';
import type { Connector, OpenConnection } from './connector.ts';
import type { LiveFrame } from './contract.ts';
import { broken, type ConnectionFault, isRefused, refused, type Subject } from './faults.ts';
import type { MeterState } from './meter-state.ts';
import { Retry } from './retry.ts';
import type { SessionParts } from './session-parts.ts';
import { type PromptHistory, type StreamEnd, StreamRun } from './stream-run.ts';

export interface BroadcastParts extends SessionParts {
  readonly connector: Connector;
  readonly state: MeterState;
  readonly prompts: PromptHistory;
  readonly signal: AbortSignal;
  /** Whether a command waits, or the session ends: the stream gives way. */
  readonly mustYield: () => boolean;
  /** Whether the state of the meter is not known: it is asked for before frames are shown beside it. */
  readonly mustAsk: () => boolean;
  /** Something changed that the session should look at. */
  readonly onChange: () => void;
}

/** Lines in a row that cannot be read, before any could: then the fallback of the stream is asked for. */
const UNREADABLE_TIMES = 5;

export class Broadcast {
  readonly hub: Hub<LiveFrame>;
  readonly #parts: BroadcastParts;
  readonly #retry: Retry;
  #command: StreamCommand<Frame>;
  #run: StreamRun<Frame> | undefined;
  /** Unreadable lines in a row of the present command; -1: it has brought a frame, so it can be read. */
  #unreadable = 0;
  /** The meter has streamed in this session: it can. */
  #flowed = false;
  #cancelLinger = () => {};

  constructor(parts: BroadcastParts) {
    this.#parts = parts;
    this.#command = parts.driver.stream;
    this.#retry = new Retry(parts.clock, parts.settings, parts.random);
    this.hub = new Hub({
      log: parts.log,
      onWatched: () => this.#watched(),
      onUnwatched: () => this.#unwatched(),
    });
  }

  get state(): 'streaming' | 'draining' | undefined {
    if (!this.#run) return undefined;
    return this.#run.draining ? 'draining' : 'streaming';
  }

  /** ms until the stream should run; undefined: nobody watches. */
  get dueInMs(): number | undefined {
    if (this.hub.watchers === 0) return undefined;
    return this.#retry.remainingMs('viewer');
  }

  /** The meter has answered something else: a lost stream need not wait longer. */
  retryNow(): void {
    this.#retry.skipWait();
  }

  /** The connection is another unit's for now: the stream is tried again later, as a lost one. */
  giveWay(detail: string): void {
    if (this.hub.watchers > 0) this.#lose(detail);
  }

  /** Ends the stream that runs, if one runs: SUB, and what is on its way is drained. */
  interrupt(): void {
    this.#run?.stop();
  }

  /** One run of the stream, from opening the connection to the silence after it. Never rejects. */
  async run(): Promise<void> {
    const opened = await this.#open();
    if (!opened || this.#parts.mustYield() || this.#parts.mustAsk() || this.hub.watchers === 0) return;
    this.#parts.tally.counters.commands += 1;
    this.#run = this.#create(opened);
    const end = await this.#run.run();
    this.#run = undefined;
    this.#cancelLinger();
    this.#conclude(end, opened);
  }

  async #open(): Promise<OpenConnection | undefined> {
    const { connector, state, signal } = this.#parts;
    try {
      return await connector.open(signal);
    } catch (error) {
      if (!signal.aborted) {
        if (isGatewayError(error)) state.failed(error);
        this.#lose(messageOf(error), isRefused(error));
      }
      return undefined;
    }
  }

  #create({ connection }: OpenConnection): StreamRun<Frame> {
    const { tally, log } = this.#parts;
    return new StreamRun(connection, this.#command, {
      ...this.#parts,
      onFrame: (frame, begun) => this.#publish(frame, begun),
      onUnreadable: (error) => {
        const { counters } = tally;
        counters.framesUnreadable += 1;
        this.#countUnreadable();
        // The 1st, 2nd, 4th, 8th ...: a meter that sends nothing else must not fill the log.
        if (Number.isInteger(Math.log2(counters.framesUnreadable)))
          log.debug({ error: messageOf(error), so_far: counters.framesUnreadable }, 'frame left out');
      },
    });
  }

  #publish(frame: Frame, begun: number): void {
    const { clock, tally, state, publish } = this.#parts;
    tally.counters.frames += 1;
    this.#flowed = true;
    this.#unreadable = -1;
    this.#retry.worked();
    state.reached();
    state.observe(this.#command, frame, clock.now());
    this.hub.status('ok', '');
    this.hub.publish({ at: clock.now(), begun, frame });
    publish('frame', { frame, begun });
  }

  /** The stream is ended; the next run asks for the fallback. */
  #countUnreadable(): void {
    if (this.#unreadable < 0) return;
    this.#unreadable += 1;
    if (this.#unreadable >= UNREADABLE_TIMES && this.#fallBack('its lines cannot be read')) this.interrupt();
  }

  /** False where there is nothing to fall back to, or the present command has brought a frame before. */
  #fallBack(why: string): boolean {
    const { text, fallback } = this.#command;
    if (!fallback || this.#unreadable < 0) return false;
    this.#command = fallback;
    this.#unreadable = 0;
    this.#parts.log.info({ command: text, instead: fallback.text, reason: why }, 'another stream is asked for');
    return true;
  }

  #conclude(end: StreamEnd, opened: OpenConnection): void {
    if (end.kind === 'silent' && end.stage === 'frame') this.#fallBack('it brings no frame');
    if (end.kind === 'stopped') this.#pause();
    else if (end.kind === 'refused') this.#refuse(end);
    else {
      this.#parts.connector.drop(`the stream ended: ${end.kind}`);
      if (end.kind === 'unstoppable') this.#pause();
      // A kept connection that was dead all along is no news: the session opens a new one.
      else if (!wasDead(end, opened)) this.#fail(end);
    }
  }

  /** A refusal for the state is "not now" from a meter that has streamed before; anything else will be said again. */
  #refuse({ refusal }: StreamEnd & { kind: 'refused' }): void {
    const { state, tally } = this.#parts;
    tally.counters.refused += 1;
    state.reached();
    if (refusal.code !== 'DEVICE_WRONG_STATE' && this.#fallBack(refusal.result)) return;
    const { message } = refused(this.#subject(), refusal, state.deviceState);
    if (refusal.code === 'DEVICE_WRONG_STATE' && this.#flowed) this.#lose(message);
    else this.hub.end('failed', message);
  }

  #pause(): void {
    const why = this.#parts.mustYield()
      ? 'A command has the meter; the stream goes on after it.'
      : 'The stream is started anew.';
    if (this.hub.watchers === 0) this.hub.reset();
    else this.hub.status('interrupted', why);
  }

  #fail(end: ConnectionFault): void {
    const { tally, state } = this.#parts;
    const error = broken(this.#subject(), end);
    if (end.kind === 'silent') tally.counters.timeouts += 1;
    if (end.kind === 'garbled') tally.counters.garbled += 1;
    state.failed(error);
    this.#lose(error.message);
  }

  #lose(detail: string, wasRefused = false): void {
    this.#retry.failed(wasRefused);
    if (this.hub.watchers > 0) this.hub.status('lost', detail);
  }

  #watched(): void {
    this.#cancelLinger();
    // A new viewer sees at once how it stands, and is not kept waiting by the failures of those before.
    this.retryNow();
    this.#parts.onChange();
  }

  /** The stream goes on for a while: a viewer that reloads its page costs the meter nothing. */
  #unwatched(): void {
    if (!this.#run) this.hub.reset();
    else this.#cancelLinger = this.#parts.clock.after(this.#parts.settings.streamLingerMs, () => this.interrupt());
  }

  #subject(): Subject {
    const { unitId, connector } = this.#parts;
    return { unitId, peer: connector.endpoint, text: this.#command.text, kind: 'request' };
  }
}

/** It ended, or said nothing after it had been quiet for long, before a byte came over it. */
const wasDead = (end: StreamEnd, { kept, doubtful }: OpenConnection): boolean =>
  end.kind === 'ended' ? kept && !end.heard : end.kind === 'silent' && end.stage === 'first byte' && doubtful;
