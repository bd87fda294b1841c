/**
 * What a session has learned about its meter, and what it has to ask anew. It keeps and tells; it sends nothing.
 *
 * After trouble with the line nothing is claimed until the meter has said it again: it may have been switched off, or
 * somebody may have pressed its keys.
 */
import type { Clock } from '../clock.ts';
import { type GatewayError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Command, Observation, StreamCommand } from '../nl43/contract.ts';
import { clockOffset } from './clock-offset.ts';
import type { DeviceState, Reachability, ReachabilityState } from './contract.ts';
import { doubted, observe, unknownDeviceState } from './device-state.ts';
import { failed, reached, untried } from './reachability.ts';
import type { Retry } from './retry.ts';

/** The requests whose answers bring back what was known, in the order of asking. What has none is left in doubt. */
export interface Questions {
  readonly measuring?: Command<unknown>;
  readonly paused?: Command<unknown>;
  readonly storeName?: Command<unknown>;
  readonly clock?: Command<unknown>;
}

/**
 * A question whose answer could not be read so often in a row is not asked again by itself: a meter that writes its clock
 * in another way would otherwise lose its connection each time it has one.
 */
const UNREADABLE_TIMES = 3;

const NAMES = ['measuring', 'paused', 'storeName', 'clock'] as const;

export interface KnowledgeParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Start of a measurement known from before, ms UTC. */
  readonly startedAt: number | null;
  readonly questions: Questions;
  readonly retry: Retry;
  readonly onReachability: (from: ReachabilityState, reachability: Reachability) => void;
}

export class Knowledge {
  readonly #parts: KnowledgeParts;
  /** Questions that are still open since the last trouble; empty before the first. */
  readonly #open = new Set<keyof Questions>();
  /** Answers in a row that could not be read, by the text of the question. */
  readonly #unreadable = new Map<string, number>();
  #deviceState: DeviceState;
  #reachability: Reachability;
  #sleepMode = false;

  constructor(parts: KnowledgeParts) {
    this.#parts = parts;
    this.#deviceState = unknownDeviceState(parts.startedAt);
    this.#reachability = untried(parts.clock.now());
  }

  get deviceState(): DeviceState {
    return this.#deviceState;
  }

  get reachability(): Reachability {
    return this.#reachability;
  }

  /** What to ask next; undefined when nothing is in doubt. */
  get question(): Command<unknown> | undefined {
    const next = this.#nextOpen();
    return next && this.#parts.questions[next];
  }

  /** The connection was lost, or could not be had: what was known of the meter may not hold any more. */
  doubt(): void {
    this.#deviceState = doubted(this.#deviceState);
    for (const name of NAMES) if (this.#isAskable(this.#parts.questions[name])) this.#open.add(name);
  }

  /** The answer to this question could not be read. */
  unreadable({ text }: Command<unknown>): void {
    this.#unreadable.set(text, (this.#unreadable.get(text) ?? 0) + 1);
    for (const name of NAMES) if (!this.#isAskable(this.#parts.questions[name])) this.#open.delete(name);
  }

  /** The meter refuses this question: it stays open to nobody's good. */
  waive(question: Command<unknown>): void {
    for (const name of this.#open) if (this.#parts.questions[name] === question) this.#open.delete(name);
  }

  /**
   * What a decoded value says about the meter. `at`: about when the meter said it, ms UTC. A codec that throws here costs an
   * observation, not the answer.
   */
  learn<T>(command: Command<T>, value: T, at: number): void {
    this.#unreadable.delete(command.text);
    this.#observe(command, value, at);
  }

  /** What a frame of a stream says about the meter. */
  saw<F>(command: StreamCommand<F>, frame: F): void {
    this.#observe(command, frame, this.#parts.clock.now());
  }

  #observe<T>(command: Pick<Command<T>, 'text' | 'tells'>, value: T, at: number): void {
    try {
      const seen = command.tells?.(value);
      if (seen) this.#take(seen, at);
    } catch (error) {
      this.#parts.log.error({ command: command.text, error: messageOf(error) }, 'observation failed');
    }
  }

  reached(): void {
    this.#parts.retry.worked();
    this.#become(reached(this.#reachability, this.#parts.clock.now()));
  }

  failed(error: GatewayError): void {
    this.#parts.retry.failed();
    this.#become(failed(this.#reachability, error, this.#parts.clock.now(), this.#sleepMode));
  }

  #take(seen: Observation, at: number): void {
    this.#deviceState = observe(this.#deviceState, seen, this.#parts.clock.now());
    this.#sleepMode = seen.sleepMode ?? this.#sleepMode;
    if (seen.clock === undefined) return;
    this.#open.delete('clock');
    this.#reachability = { ...this.#reachability, clock: clockOffset(seen.clock, at) ?? this.#reachability.clock };
  }

  #isAskable(question: Command<unknown> | undefined): boolean {
    return question !== undefined && (this.#unreadable.get(question.text) ?? 0) < UNREADABLE_TIMES;
  }

  /** An answer to somebody else's question counts too. */
  #nextOpen(): keyof Questions | undefined {
    for (const name of NAMES.filter((each) => this.#open.has(each))) {
      if (name === 'clock' || this.#deviceState[name] === null) return name;
      this.#open.delete(name);
    }
    return undefined;
  }

  #become(next: Reachability): void {
    const from = this.#reachability.state;
    this.#reachability = next;
    if (from === next.state) return;
    this.#parts.log.info({ from, to: next.state, reason: next.reason }, 'reachability changed');
    this.#parts.onReachability(from, next);
  }
}
