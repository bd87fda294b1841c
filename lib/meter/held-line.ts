/**
 * The line to the meter in the hands of one holder: rest, connection, exchange, and what the outcome means. Only here is a
 * command sent again, and only a request, once, on a connection that turned out dead.
 *
 *   send: rest -> open -> exchange -> value | refusal | fault
 */
import type { Clock } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import type { Log } from '../log.ts';
import { type Command, DecodeError, type StreamCommand } from '../nl43/contract.ts';
import type { Line } from './contract.ts';
import type { Counters } from './counters.ts';
import { exchange, type Outcome } from './exchange.ts';
import { broken, refused, type Subject, undecodable } from './faults.ts';
import type { Knowledge } from './knowledge.ts';
import type { Link } from './link.ts';
import type { MeterSettings } from './settings.ts';
import type { Spacing } from './spacing.ts';
import { type StreamEnd, Streaming } from './streaming.ts';
import { requirePrintable, type Wire } from './wire.ts';

export interface LineParts {
  readonly unitId: string;
  readonly link: Link;
  readonly spacing: Spacing;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: MeterSettings;
  readonly counters: Counters;
  readonly knowledge: Knowledge;
  /** Aborts when the session ends: nothing further is begun. */
  readonly signal: AbortSignal;
  /** The connection could not be opened. */
  readonly onNoConnection: (error: GatewayError, since: number) => void;
}

type Named = Pick<Command<unknown>, 'text' | 'kind'>;
type Ended = Outcome & { readonly kind: 'ended' };

const isEnded = (end: { kind: string }): end is Ended => end.kind === 'ended';

export class HeldLine implements Line {
  readonly #parts: LineParts;
  #tail: Promise<unknown> = Promise.resolve();
  #pending = 0;
  #ended: GatewayError | undefined;
  #onBusy: (() => void) | undefined;

  constructor(parts: LineParts) {
    this.#parts = parts;
  }

  send<T>(command: Command<T>): Promise<T> {
    return this.#inTurn(() => this.#send(command));
  }

  peek<F>(command: StreamCommand<F>): Promise<F> {
    return this.#inTurn(() => this.#peek(command));
  }

  /** No further command: the hold is over, or the connection cannot be had. */
  end(error: GatewayError): void {
    this.#ended ??= error;
  }

  /** Whether a command is under way or waits for the one before it. */
  get busy(): boolean {
    return this.#pending > 0;
  }

  /** Settles when no command is under way any more. Never rejects. */
  get quiet(): Promise<unknown> {
    return this.#tail;
  }

  /** Calls whenever `busy` changes. */
  onBusy(listener: () => void): void {
    this.#onBusy = listener;
  }

  /** A holder may ask for several at once; the meter gets them one by one. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#pending += 1;
    this.#onBusy?.();
    const result = this.#tail.then(() => {
      if (this.#ended) throw this.#ended;
      return work();
    });
    const done = () => {
      this.#pending -= 1;
      this.#onBusy?.();
    };
    this.#tail = result.then(done, done);
    return result;
  }

  async #send<T>(command: Command<T>): Promise<T> {
    requirePrintable(command.text);
    const outcome = await this.#exchange(command);
    if (outcome.kind !== 'done') throw this.#fault(command, outcome);
    const value = this.#decode(command, outcome.data);
    this.#parts.knowledge.reached();
    this.#parts.knowledge.learn(command, value);
    return value;
  }

  #exchange<T>(command: Command<T>): Promise<Outcome> {
    const { clock, settings } = this.#parts;
    const data = command.kind === 'request';
    return this.#attempt(command, (wire) => exchange(wire, { text: command.text, data }, clock, settings));
  }

  /** Opens and runs; once more when a request met a kept connection that was dead, so that no byte came back. */
  async #attempt<End extends { kind: string }>(
    command: Named,
    run: (wire: Wire) => Promise<End | Ended>,
  ): Promise<End | Ended> {
    const { counters, log, clock } = this.#parts;
    for (;;) {
      const { wire, kept } = await this.#open();
      counters.commands += 1;
      const sentAt = clock.elapsed();
      const end = await run(wire);
      log.debug({ command: command.text, end: end.kind, ms: Math.round(clock.elapsed() - sentAt) }, 'exchanged');
      const stale = kept && isEnded(end) && !end.heard;
      if (!stale || command.kind === 'setting') return end;
      counters.resent += 1;
      log.info({ command: command.text }, 'request sent again: the kept connection was dead');
    }
  }

  async #open() {
    const { link, spacing, signal, knowledge, clock, onNoConnection } = this.#parts;
    await spacing.rested(signal);
    const since = clock.elapsed();
    try {
      return await link.open(signal);
    } catch (error) {
      if (error instanceof GatewayError && !signal.aborted) {
        this.end(error);
        knowledge.failed(error);
        onNoConnection(error, since);
      }
      throw error;
    }
  }

  #decode<T>(command: Command<T>, data: string): T {
    try {
      return command.decode(data);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      throw this.#broken(undecodable(this.#subject(command), error));
    }
  }

  #fault(command: Named, outcome: Exclude<Outcome, { kind: 'done' }>): GatewayError {
    const { counters, knowledge } = this.#parts;
    const subject = this.#subject(command);
    if (outcome.kind !== 'refused') return this.#broken(broken(subject, outcome));
    counters.refused += 1;
    knowledge.reached();
    return refused(subject, outcome.code, knowledge.condition);
  }

  /** After this error nobody knows what the connection brings next, so it goes; the meter rests from its end. */
  #broken(error: GatewayError): GatewayError {
    const { link, counters, knowledge } = this.#parts;
    if (error.code === 'DEVICE_TIMEOUT') counters.timeouts += 1;
    if (error.code === 'DEVICE_GARBLED') counters.garbled += 1;
    link.drop(error.message);
    knowledge.failed(error);
    return error;
  }

  async #peek<F>(command: StreamCommand<F>): Promise<F> {
    requirePrintable(command.text);
    const named: Named = { text: command.text, kind: 'request' };
    let seen: { readonly frame: F } | { readonly error: unknown } | undefined;
    const end = await this.#attempt(named, (wire) => this.#glance(wire, command, (what) => (seen ??= what)));
    if (!seen && end.kind !== 'stopped' && end.kind !== 'unstoppable') throw this.#fault(named, end);
    if (end.kind !== 'stopped') this.#parts.link.drop(`"${command.text}" did not end`);
    if (seen && 'frame' in seen) {
      this.#parts.knowledge.reached();
      return seen.frame;
    }
    throw this.#broken(undecodable(this.#subject(named), seen?.error));
  }

  /** Runs a stream for one line, readable or not. */
  #glance<F>(
    wire: Wire,
    command: StreamCommand<F>,
    saw: (what: { readonly frame: F } | { readonly error: unknown }) => void,
  ): Promise<StreamEnd> {
    const { clock, settings } = this.#parts;
    const streaming = new Streaming(wire, command, {
      clock,
      settings: { ...settings, frameTimeoutMs: settings.replyTimeoutMs },
      onFrame: (frame) => {
        saw({ frame });
        streaming.stop();
      },
      onUnreadable: (error) => {
        saw({ error });
        streaming.stop();
      },
    });
    return streaming.run();
  }

  #subject({ text, kind }: Named): Subject {
    return { unitId: this.#parts.unitId, peer: this.#parts.link.peer, text, kind };
  }
}
