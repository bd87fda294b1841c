/** What a session knows of its meter: its state, how it was last reached, what could not be read. It sends nothing. */
import type { Clock } from '../clock.ts';
import type { Command } from '../driver/contract.ts';
import { type GatewayError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { DeviceState, Reachability } from './contract.ts';
import { clockOffset, isSameState, observe, unknownDeviceState } from './device-state.ts';
import { isRefused } from './faults.ts';
import { failed, reached, untried } from './reachability.ts';
import type { Retry } from './retry.ts';
import type { Publish } from './session-parts.ts';
import { UnreadableReplies } from './unreadable.ts';

interface Parts {
  readonly clock: Clock;
  readonly log: Log;
  /** Start of a measurement known from before, ms UTC. */
  readonly startedAt: number | null;
  /** How soon the connection may be tried again. */
  readonly retry: Retry;
  readonly publish: Publish;
}

export class MeterState {
  readonly unreadable: UnreadableReplies;
  readonly #parts: Parts;
  #deviceState: DeviceState;
  #reachability: Reachability;
  #sleepMode = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.unreadable = new UnreadableReplies(parts.clock);
    this.#deviceState = unknownDeviceState(parts.startedAt);
    this.#reachability = untried(parts.clock.now());
  }

  get deviceState(): DeviceState {
    return this.#deviceState;
  }

  get reachability(): Reachability {
    return this.#reachability;
  }

  /**
   * The connection was in trouble: somebody may have been at the keys or at the plug meanwhile. Only the start is kept, for a
   * measurement that turns out to be running still.
   */
  invalidate(): void {
    this.#change(unknownDeviceState(this.#deviceState.startedAt));
  }

  /**
   * What a decoded value or frame says about the meter. `at`: about when the meter said it, ms UTC. A codec that throws here
   * costs an observation, not the answer.
   */
  observe<T>(command: Pick<Command<T>, 'text' | 'tells'>, value: T, at: number): void {
    try {
      const seen = command.tells?.(value);
      if (!seen) return;
      this.#change(observe(this.#deviceState, seen, this.#parts.clock.now()));
      this.#sleepMode = seen.sleepMode ?? this.#sleepMode;
      const clock = seen.clock === undefined ? undefined : clockOffset(seen.clock, at);
      if (clock) this.#reachability = { ...this.#reachability, clock };
    } catch (error) {
      this.#parts.log.error({ command: command.text, error: messageOf(error) }, 'observation failed');
    }
  }

  /** The meter answered. */
  reached(): void {
    this.#parts.retry.worked();
    this.#become(reached(this.#reachability, this.#parts.clock.now()));
  }

  failed(error: GatewayError): void {
    this.#parts.retry.failed(isRefused(error));
    this.#become(failed(this.#reachability, error, this.#parts.clock.now(), this.#sleepMode));
  }

  #change(next: DeviceState): void {
    if (isSameState(next, this.#deviceState)) return;
    this.#deviceState = next;
    this.#parts.publish('state', { state: next });
  }

  #become(next: Reachability): void {
    const from = this.#reachability.state;
    this.#reachability = next;
    if (from === next.state) return;
    this.#parts.log.info({ from, to: next.state, reason: next.reason }, 'reachability changed');
    this.#parts.publish('reachability', { from, reachability: next });
  }
}
