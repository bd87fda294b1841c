/**
 * The line to the meter in the hands of one holder: rest, connection, exchange, and what the outcome means. Only here is a
 * command sent again, and only a request, once, on a connection that turned out dead. A setting on a connection that was
 * quiet for long is sent after a request has proved that connection, because it could not be sent again.
 *
 *   send: rest -> open -> (prove) -> exchange -> value | refusal | fault
 */
import type { Clock } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import type { Log } from '../log.ts';
import { type Command, DecodeError, type StreamCommand } from '../nl43/contract.ts';
import type { CommandGap } from './command-gap.ts';
import type { Reservation } from './contract.ts';
import type { Counters } from './counters.ts';
import { exchange, type Outcome } from './exchange.ts';
import { broken, nobodyWaits, notProved, notSentEither, refused, type Subject, undecodable } from './faults.ts';
import type { Knowledge } from './knowledge.ts';
import type { Link } from './link.ts';
import type { Prompting } from './prompting.ts';
import type { MeterSettings } from './settings.ts';
import { type StreamEnd, Streaming } from './streaming.ts';
import { requirePrintable, type Wire } from './wire.ts';

export interface LineParts {
  readonly unitId: string;
  readonly link: Link;
  readonly commandGap: CommandGap;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: MeterSettings;
  readonly counters: Counters;
  readonly knowledge: Knowledge;
  readonly prompting: Prompting;
  /** Aborts when the session ends: nothing further is begun. */
  readonly signal: AbortSignal;
  /** A request that every meter knows and that changes nothing. */
  readonly proof: Command<unknown>;
  /** Whether all who asked for this hold have left. */
  readonly abandoned: () => boolean;
  /** The meter cannot be reached, or does not answer: there is no use in trying the same for all who wait. */
  readonly onNoAnswer: (error: GatewayError) => void;
}

/** Attempts in a row that fail before those who wait are answered too: one lost reply says nothing about the next command. */
const SILENT_AFTER = 2;

type Named = Pick<Command<unknown>, 'text' | 'kind'>;
type Ended = Outcome & { readonly kind: 'ended' };

const isEnded = (end: { kind: string }): end is Ended => end.kind === 'ended';
const isMute = (end: { kind: string; stage?: string }): boolean => end.kind === 'silent' && end.stage === 'first byte';

export class HeldLine implements Reservation {
  readonly #parts: LineParts;
  #tail: Promise<unknown> = Promise.resolve();
  #pending = 0;
  #ended: GatewayError | undefined;
  #begun = false;
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
    if (command.kind === 'setting') await this.#prove(command);
    return this.#ask(command);
  }

  /** A meter that refuses the proof has answered too. */
  async #prove(command: Command<unknown>): Promise<void> {
    const { doubtful } = await this.#open();
    if (!doubtful) return;
    try {
      await this.#ask(this.#parts.proof);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      if (!this.#parts.knowledge.reachability.reachable) throw notProved(this.#subject(command), error);
    }
  }

  async #ask<T>(command: Command<T>): Promise<T> {
    const { clock, settings, knowledge } = this.#parts;
    const data = command.kind === 'request';
    let sentAt = clock.now();
    const outcome = await this.#attempt(command, (wire) => {
      sentAt = clock.now();
      return exchange(wire, { text: command.text, data }, clock, settings);
    });
    if (outcome.kind !== 'done') throw this.#fault(command, outcome);
    const value = this.#decode(command, outcome.data);
    knowledge.reached();
    knowledge.learn(command, value, Math.round((sentAt + clock.now()) / 2));
    return value;
  }

  /**
   * Opens and runs; once more when a request met a connection that reached nobody, so that no byte came back. That shows in
   * the end of a kept one, and in silence on one that was doubtful before. After a kept one that was dead, the new one may
   * meet a slot of the meter that is still taken, so each of the two may fail once.
   */
  async #attempt<End extends { kind: string }>(
    command: Named,
    run: (wire: Wire) => Promise<End | Ended>,
  ): Promise<End | Ended> {
    const { counters, log, clock, link, proof } = this.#parts;
    for (let last = false; ; ) {
      const { wire, kept, doubtful } = await this.#open();
      if (!this.#begun && this.#parts.abandoned()) throw nobodyWaits(this.#subject(command));
      if (command !== proof) this.#begun = true;
      counters.commands += 1;
      const sentAt = clock.elapsed();
      const end = await run(wire);
      log.debug({ command: command.text, end: end.kind, ms: Math.round(clock.elapsed() - sentAt) }, 'exchanged');
      const stale = kept && isEnded(end) && !end.heard;
      const forgotten = doubtful && isMute(end);
      if (last || !(stale || forgotten) || command.kind === 'setting') return end;
      last = !kept;
      if (forgotten) link.drop('it brought no answer, as was to be feared');
      counters.resent += 1;
      log.info({ command: command.text }, 'request sent again: the connection reached nobody');
    }
  }

  async #open() {
    const { link, commandGap, signal, knowledge, onNoAnswer } = this.#parts;
    await commandGap.wait(signal);
    try {
      return await link.open(signal);
    } catch (error) {
      if (error instanceof GatewayError && !signal.aborted) {
        this.end(error);
        knowledge.failed(error);
        onNoAnswer(error);
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
    return refused(subject, outcome.code, knowledge.deviceState);
  }

  /** After this error nobody knows what the connection brings next, so it goes; the meter rests from its end. */
  #broken(error: GatewayError): GatewayError {
    const { link, counters, knowledge } = this.#parts;
    if (error.code === 'DEVICE_TIMEOUT') counters.timeouts += 1;
    if (error.code === 'DEVICE_GARBLED') counters.garbled += 1;
    link.drop(error.message);
    knowledge.failed(error);
    if (error.code !== 'DEVICE_GARBLED' && knowledge.reachability.consecutiveFailures >= SILENT_AFTER)
      this.#giveUp(error);
    return error;
  }

  /** The rest of this hold and all who wait are answered at once, instead of a timeout each. */
  #giveUp(found: GatewayError): void {
    const { unitId, link, onNoAnswer } = this.#parts;
    const error = notSentEither(unitId, link.peer, found);
    this.end(error);
    onNoAnswer(error);
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
    const { clock, settings, prompting } = this.#parts;
    const streaming = new Streaming(wire, command, {
      clock,
      prompting,
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
