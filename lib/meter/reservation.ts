/**
 * How a caller uses the meter: by a reservation, or without a command, by known values. A reservation is exclusive. Its
 * work is code of a plugin: it may throw, never settle, or send after its time. Only here is a command sent again: a
 * request, once, if the connection reached no meter or brought an extra line. On a connection that was quiet for long,
 * a request first proves the connection before a setting is sent: a setting could not be repeated.
 */
import { inSeconds } from '../domain/figures.ts';
import type { OperationName, Operations } from '../drivers/contract.ts';
import { notSupported, operationOf, settingOf } from '../drivers/not-supported.ts';
import { type Command, DecodeError, type Named, type StreamCommand } from '../drivers/wire/contract.ts';
import { GatewayError, isGatewayError, messageOf } from '../errors.ts';
import { type Connection, requirePrintable } from './connection.ts';
import { type Connector, type OpenConnection, reachedNobody } from './connector.ts';
import type { MeterReport } from './contract.ts';
import { type CommandOutcome, nobodyWaits, notProved } from './faults.ts';
import type { Freshness, KnownValue } from './known-values.ts';
import type { MeterState } from './meter-state.ts';
import type { CommandReservation, SessionParts } from './parts.ts';
import type { QueuedRequest } from './queue.ts';
import type { SharedParts } from './shared-parts.ts';
import { firstLine } from './stream-run.ts';

export interface ReservationParts extends SharedParts {
  readonly connector: Connector;
  readonly watchers: () => number;
  readonly isStreamed: () => boolean;
}

abstract class FamilyReservation implements CommandReservation {
  abstract readonly shouldYield: boolean;
  abstract readonly session: object;
  readonly #place: Pick<SessionParts, 'unitId' | 'family'>;

  constructor(place: Pick<SessionParts, 'unitId' | 'family'>) {
    this.#place = place;
  }

  abstract send<T>(command: Command<T>): Promise<T>;
  abstract peek<F>(stream: StreamCommand<F>): Promise<F>;

  async perform<N extends OperationName>(
    name: N,
    ...values: Parameters<Operations[N]>
  ): Promise<ReturnType<Operations[N]>> {
    return operationOf(this.#place, name).run(this, ...values);
  }

  async readSetting(name: string): Promise<string> {
    return settingOf(this.#place, name).read(this);
  }

  async writeSetting(name: string, value: string): Promise<string> {
    return settingOf(this.#place, name).write(this, value);
  }
}

/** Consecutive failures before waiting callers are answered too: one lost reply says nothing about the next command. */
const SILENT_AFTER = 2;
/** After so many consecutive commands with unreadable replies, replies and commands are probably out of step. */
const OUT_OF_STEP_AFTER = 3;
/** From the fourth time in a row on the log uses the level `debug`. */
const LOUD_TIMES = 3;

export const freshnessFor = (
  { maxAgeMs }: { readonly maxAgeMs?: number | undefined },
  { state, isStreamed }: Pick<ReservationParts, 'state' | 'isStreamed'>,
): Freshness => ({ maxAgeMs, isWatched: isStreamed(), isMeasuring: state.deviceState.measuring === true });

type Send = (connection: Connection) => Promise<CommandOutcome>;

export class MeterReservation extends FamilyReservation {
  readonly request: QueuedRequest | undefined;
  readonly #parts: ReservationParts;
  readonly #label: string;
  readonly #since: number;
  readonly #from: number;
  readonly #watchersBefore: number;
  readonly #idle = Promise.withResolvers<never>();
  #last: Promise<unknown> = Promise.resolve();
  #pending = 0;
  #disarm = () => {};
  #isOver = false;
  /** A command was sent: the rest is sent even if all callers have left. */
  #hasBegun = false;
  #ended: GatewayError | undefined;
  #sentAt: number | undefined;

  constructor(parts: ReservationParts, label: string, request?: QueuedRequest) {
    super(parts);
    this.#parts = parts;
    this.#label = label;
    this.request = request;
    this.#since = parts.clock.now();
    this.#from = parts.clock.elapsed();
    this.#watchersBefore = parts.watchers();
  }

  get report(): NonNullable<MeterReport['reservation']> {
    const heldMs = Math.round(this.#parts.clock.elapsed() - this.#from);
    return { label: this.#label, since: this.#since, heldMs, callers: this.request?.callers ?? 0 };
  }

  get shouldYield(): boolean {
    const { queue, watchers } = this.#parts;
    const isBackground = this.request?.priority === 'background';
    return isBackground && (queue.isOperatorWaiting || watchers() > this.#watchersBefore);
  }

  /** Data of a driver about a meter ends with the session, like the known state. */
  get session(): object {
    return this.#parts.state;
  }

  /** A known value that is fresh enough for the callers is not asked for again. */
  async send<T>(command: Command<T>): Promise<T> {
    const known = this.request?.job.isRead && this.#parts.state.known.answer(command, this.#freshness);
    if (known) return known.value;
    return this.#inOrder(command.text, async () => {
      if (command.kind === 'setting') await this.#prove(command.text);
      return this.#ask(command);
    });
  }

  peek<F>(stream: StreamCommand<F>): Promise<F> {
    const known = this.request?.job.isRead && this.#parts.state.known.frame(stream, this.#freshness);
    if (known) return Promise.resolve(known.value);
    const { text } = stream;
    const { driver, family, unitId } = this.#parts;
    const talk = driver.stream;
    if (!talk) throw notSupported(unitId, family, 'stream');
    const command: Command<F> = { text, kind: 'request', decode: (message) => stream.decode(message) };
    return this.#inOrder(text, () =>
      this.#ask(command, (connection) => firstLine(connection, talk, text, this.#parts)),
    );
  }

  get #freshness(): Freshness {
    return freshnessFor(this.request ?? {}, this.#parts);
  }

  /** Does the work of a request and answers it. Resolves when the meter is free again. Never rejects. */
  async run(request: QueuedRequest): Promise<void> {
    const { job } = request;
    const { log } = this.#parts;
    this.#armIdle();
    try {
      // Awaited inside: work that throws before it returns a promise then only fails itself.
      const work = (async () => job.work(this))();
      const value = await Promise.race([work, this.#idle.promise]);
      // The callers have left, so the log has it: the work may have changed the meter.
      if (request.abandoned) log.info({ operation: job.label }, 'operation done after its caller had left');
      request.resolve(value);
    } catch (error) {
      request.reject(error);
      const entry = { operation: job.label, error: messageOf(error) };
      if (isGatewayError(error)) log.info({ ...entry, code: error.code }, 'operation failed');
      else log.error(entry, 'operation failed by a fault');
    }
    this.#isOver = true;
    this.#disarm();
    await this.#last;
  }

  #inOrder<T>(text: string, send: () => Promise<T>): Promise<T> {
    this.#pending += 1;
    this.#disarm();
    const result = this.#last.then(async () => {
      if (this.#ended) throw this.#ended;
      if (this.#isOver) throw new GatewayError('INTERNAL', 'A command was sent after its reservation was over.');
      requirePrintable(text);
      return send();
    });
    const done = () => {
      this.#pending -= 1;
      if (this.#pending === 0 && !this.#isOver) this.#armIdle();
    };
    this.#last = result.then(done, done);
    return result;
  }

  #armIdle(): void {
    const { clock, settings } = this.#parts;
    if (!this.request) return;
    const ms = settings.reservationIdleMs;
    this.#disarm = clock.after(ms, () => {
      const idle = `The operation "${this.#label}" reserved the meter for ${inSeconds(ms)} and sent nothing.`;
      this.#idle.reject(new GatewayError('INTERNAL', idle));
    });
  }

  /** A meter that refuses the proof has answered too. */
  async #prove(text: string): Promise<void> {
    const { driver, state } = this.#parts;
    const { doubtful } = await this.#open();
    if (!doubtful || !driver.proof) return;
    try {
      await this.#ask(driver.proof);
    } catch (error) {
      if (!isGatewayError(error)) throw error;
      if (!state.reachability.reachable) throw notProved(text, error);
    }
  }

  /** The outcome of a command becomes an event after it was sent. */
  async #ask<T>(command: Command<T>, send: Send = (connection) => connection.ask(command)): Promise<T> {
    const { clock, state, connector, publish } = this.#parts;
    this.#sentAt = undefined;
    let outcome = 'ok';
    const tookMs = () => clock.elapsed() - (this.#sentAt ?? clock.elapsed());
    try {
      const { end, connection } = await this.#attempt(command, send);
      if (end.kind !== 'done') throw this.#failed(connector.fault(command, end));
      const value = this.#decode(command, end.data, connection);
      state.observe(command, value, tookMs());
      state.unreadable.delete(command.text);
      state.reached();
      connection.unreadable.clear();
      return value;
    } catch (error) {
      outcome = isGatewayError(error) ? error.code : 'INTERNAL';
      throw error;
    } finally {
      if (this.#sentAt !== undefined) publish('command', { text: command.text, outcome, ms: Math.round(tookMs()) });
    }
  }

  /**
   * Opens and sends. A request is repeated once if the connection brought no byte, and once if it brought more than the
   * reply: after a dead kept connection, the slot of the meter may still be taken for the new one.
   */
  async #attempt(command: Named, send: Send): Promise<{ end: CommandOutcome; connection: Connection }> {
    const { unit, log, clock, connector, driver } = this.#parts;
    for (let last = false; ; ) {
      const opened = await this.#open();
      const { connection, kept } = opened;
      if (!this.#hasBegun && this.request?.abandoned) throw nobodyWaits(command.text);
      if (command !== driver.proof) this.#hasBegun = true;
      unit.counters.commands += 1;
      connector.port.commands += 1;
      const sentAt = clock.elapsed();
      this.#sentAt = sentAt;
      if (command.kind === 'setting') this.#parts.state.known.clear();
      const end = await send(connection);
      log.debug({ command: command.text, end: end.kind, ms: Math.round(clock.elapsed() - sentAt) }, 'exchanged');
      const again = end.kind === 'doubtful' || reachedNobody(end, opened);
      if (last || !again || command.kind === 'setting') return { end, connection };
      last = !kept;
      if (end.kind === 'silent') connector.drop('it brought no answer');
      unit.counters.resent += 1;
      log.info({ command: command.text, end: end.kind }, 'request sent again');
    }
  }

  async #open(): Promise<OpenConnection> {
    const { connector, signal } = this.#parts;
    try {
      return await connector.open();
    } catch (error) {
      if (isGatewayError(error) && !signal.aborted) this.#giveUp(error);
      throw error;
    }
  }

  /** An unreadable reply is complete: the connection stays, unless replies and commands may be out of step (ADR 19). */
  #decode<T>(command: Command<T>, line: string, connection: Connection): T {
    const { connector, state, driver, log, unit, faults } = this.#parts;
    const { text } = command;
    try {
      const value = command.decode(line);
      if (command.kind === 'request') state.known.keep(text, line);
      return value;
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      const fault = faults.undecodable(text, error);
      const times = state.unreadable.add(text, error.raw);
      log[times > LOUD_TIMES ? 'debug' : 'warn']({ command: text, raw: error.raw, times }, 'unreadable reply');
      const isOutOfStep =
        connection.unreadable.add(text).size >= OUT_OF_STEP_AFTER || driver.answersAnother?.(text, line);
      if (isOutOfStep || connection.isDirty) throw connector.broken(fault);
      unit.counters.garbled += 1;
      state.reached();
      throw fault;
    }
  }

  /** A meter that is silent again is not asked for the other waiting callers. */
  #failed(error: GatewayError): GatewayError {
    const { state, faults } = this.#parts;
    const isSilent = error.code !== 'DEVICE_GARBLED' && state.reachability.consecutiveFailures >= SILENT_AFTER;
    if (isSilent) this.#giveUp(faults.notSentEither(error));
    return error;
  }

  /** The rest of this reservation and all waiting callers are answered at once, instead of a timeout each. */
  #giveUp(error: GatewayError): void {
    this.#ended ??= error;
    this.#parts.queue.fail(error);
  }
}

export class NotKnown extends Error {}

/** A reservation that sends nothing: it answers with known values, or ends with `NotKnown`. */
export class KnownReservation extends FamilyReservation {
  readonly shouldYield = false;
  ageMs = 0;
  readonly #state: MeterState;
  readonly #freshness: Freshness;

  constructor(place: Pick<SessionParts, 'unitId' | 'family'>, state: MeterState, freshness: Freshness) {
    super(place);
    this.#state = state;
    this.#freshness = freshness;
  }

  get session(): object {
    return this.#state;
  }

  async send<T>(command: Command<T>): Promise<T> {
    return this.#take(this.#state.known.answer(command, this.#freshness));
  }

  async peek<F>(stream: StreamCommand<F>): Promise<F> {
    return this.#take(this.#state.known.frame(stream, this.#freshness));
  }

  #take<T>(known: KnownValue<T> | undefined): T {
    if (!known) throw new NotKnown('the value must be asked for');
    this.ageMs = Math.max(this.ageMs, known.ageMs);
    return known.value;
  }
}
