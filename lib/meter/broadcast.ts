/**
 * Keeps the fast stream going for whoever watches: runs it, interrupts it for commands, says what happened to it, and
 * decides when a lost one is tried again. The driver of the session calls `run` when the meter has rested and nothing waits.
 */
import type { Clock } from '../clock.ts';
import { isGatewayError, messageOf } from '../errors.ts';
import { Hub } from '../live/hub.ts';
import type { Log } from '../log.ts';
import type { Frame, StreamCommand } from '../nl43/contract.ts';
import type { Refusal } from '../nl43/spec/results.ts';
import { Backoff } from './backoff.ts';
import type { LiveFrame } from './contract.ts';
import type { Counters } from './counters.ts';
import { broken, type LineFault, refused, type Subject } from './faults.ts';
import type { Knowledge } from './knowledge.ts';
import type { Link, OpenLine } from './link.ts';
import type { Prompting } from './prompting.ts';
import type { MeterSettings } from './settings.ts';
import { type StreamEnd, Streaming } from './streaming.ts';

export interface BroadcastParts {
  readonly unitId: string;
  /** What is asked for first. */
  readonly command: StreamCommand<Frame>;
  readonly link: Link;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: MeterSettings;
  readonly counters: Counters;
  readonly knowledge: Knowledge;
  readonly prompting: Prompting;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Whether a command waits, or the session ends: the stream gives way. */
  readonly mustYield: () => boolean;
  /** Whether the state of the meter is in doubt: it is asked for before frames are shown beside it. */
  readonly mustLearn: () => boolean;
  /** Something changed that the driver should look at. */
  readonly onChange: () => void;
}

/** Lines in a row that cannot be read, before any could: then the fallback of the stream is asked for. */
const UNREADABLE_TIMES = 5;

export class Broadcast {
  readonly hub: Hub<LiveFrame>;
  readonly #parts: BroadcastParts;
  readonly #backoff: Backoff;
  #command: StreamCommand<Frame>;
  #streaming: Streaming<Frame> | undefined;
  /** Unreadable lines in a row of the present command; -1: it has brought a frame, so it can be read. */
  #unreadable = 0;
  #retryAt = Number.NEGATIVE_INFINITY;
  /** The meter has streamed in this session: it can. */
  #flowed = false;
  #cancelLinger = () => {};

  constructor(parts: BroadcastParts) {
    this.#parts = parts;
    this.#command = parts.command;
    this.#backoff = new Backoff(parts.settings.reconnectMinMs, parts.settings.reconnectMaxMs, parts.random);
    this.hub = new Hub({
      log: parts.log,
      onWatched: () => this.#watched(),
      onUnwatched: () => this.#unwatched(),
    });
  }

  get state(): 'streaming' | 'draining' | undefined {
    if (!this.#streaming) return undefined;
    return this.#streaming.draining ? 'draining' : 'streaming';
  }

  /** ms until the stream should run; undefined: nobody watches. */
  get dueInMs(): number | undefined {
    if (this.hub.watchers === 0) return undefined;
    return Math.max(0, Math.ceil(this.#retryAt - this.#parts.clock.elapsed()));
  }

  /** The meter has answered something else: a lost stream need not wait longer. */
  retryNow(): void {
    this.#retryAt = Number.NEGATIVE_INFINITY;
  }

  /** Ends the stream that runs, if one runs: SUB, and the line is drained. */
  interrupt(): void {
    this.#streaming?.stop();
  }

  /** One run of the stream, from opening the connection to the quiet line after it. Never rejects. */
  async run(): Promise<void> {
    const line = await this.#open();
    if (!line || this.#parts.mustYield() || this.#parts.mustLearn() || this.hub.watchers === 0) return;
    this.#parts.counters.commands += 1;
    this.#streaming = this.#create(line);
    const end = await this.#streaming.run();
    this.#streaming = undefined;
    this.#cancelLinger();
    this.#conclude(end, line);
  }

  async #open(): Promise<OpenLine | undefined> {
    const { link, knowledge, signal } = this.#parts;
    try {
      return await link.open(signal);
    } catch (error) {
      if (!signal.aborted) {
        if (isGatewayError(error)) knowledge.failed(error);
        this.#lose(messageOf(error));
      }
      return undefined;
    }
  }

  #create({ wire }: OpenLine): Streaming<Frame> {
    const { clock, settings, counters, log, prompting } = this.#parts;
    return new Streaming(wire, this.#command, {
      clock,
      prompting,
      settings,
      onFrame: (frame, begun) => this.#publish(frame, begun),
      onUnreadable: (error) => {
        counters.framesUnreadable += 1;
        this.#countUnreadable();
        // The 1st, 2nd, 4th, 8th ...: a meter that sends nothing else must not fill the log.
        if (Number.isInteger(Math.log2(counters.framesUnreadable)))
          log.debug({ error: messageOf(error), so_far: counters.framesUnreadable }, 'frame left out');
      },
    });
  }

  #publish(frame: Frame, begun: number): void {
    const { clock, counters, knowledge } = this.#parts;
    counters.frames += 1;
    this.#flowed = true;
    this.#unreadable = -1;
    this.#backoff.reset();
    knowledge.reached();
    knowledge.saw(this.#command, frame);
    this.hub.status('ok', '');
    this.hub.publish({ at: clock.now(), begun, frame });
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

  #conclude(end: StreamEnd, line: OpenLine): void {
    if (end.kind === 'silent' && end.stage === 'frame') this.#fallBack('it brings no frame');
    if (end.kind === 'stopped') this.#pause();
    else if (end.kind === 'refused') this.#refuse(end.code);
    else {
      this.#parts.link.drop(`the stream ended: ${end.kind}`);
      if (end.kind === 'unstoppable') this.#pause();
      // A kept connection that was dead all along is no news: the driver opens a new one.
      else if (!wasDead(end, line)) this.#fail(end);
    }
  }

  /** R+0004 is "not now" from a meter that has streamed before; anything else will be said again. */
  #refuse(result: Refusal): void {
    const { knowledge, counters } = this.#parts;
    counters.refused += 1;
    knowledge.reached();
    if (result !== 'R+0004' && this.#fallBack(result)) return;
    const { message } = refused(this.#subject(), result, knowledge.deviceState);
    if (result === 'R+0004' && this.#flowed) this.#lose(message);
    else this.hub.end('failed', message);
  }

  #pause(): void {
    const why = this.#parts.mustYield()
      ? 'A command has the line; the stream goes on after it.'
      : 'The stream is started anew.';
    if (this.hub.watchers === 0) this.hub.rest();
    else this.hub.status('interrupted', why);
  }

  #fail(end: LineFault): void {
    const { counters, knowledge } = this.#parts;
    const error = broken(this.#subject(), end);
    if (end.kind === 'silent') counters.timeouts += 1;
    if (end.kind === 'garbled') counters.garbled += 1;
    knowledge.failed(error);
    this.#lose(error.message);
  }

  #lose(detail: string): void {
    this.#retryAt = this.#parts.clock.elapsed() + this.#backoff.next();
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
    if (!this.#streaming) this.hub.rest();
    else this.#cancelLinger = this.#parts.clock.after(this.#parts.settings.streamLingerMs, () => this.interrupt());
  }

  #subject(): Subject {
    const { unitId, link } = this.#parts;
    return { unitId, peer: link.peer, text: this.#command.text, kind: 'request' };
  }
}

/** It ended, or said nothing after it had been quiet for long, before a byte came over it. */
const wasDead = (end: StreamEnd, { kept, doubtful }: OpenLine): boolean =>
  end.kind === 'ended' ? kept && !end.heard : end.kind === 'silent' && end.stage === 'first byte' && doubtful;
