/**
 * Runs one command: gap, connection, exchange, and what the outcome means. Only here is a command sent again, and only a
 * request, once, on a connection that reached nobody or brought a line too many. A setting on a connection that was quiet
 * for long is sent after a request has proved that connection, because it could not be sent again.
 *
 *   send: gap -> open -> (prove) -> exchange -> value | refusal | fault
 */
import { sleep } from '../clock.ts';
import { type Command, DecodeError, type StreamCommand } from '../driver/contract.ts';
import { GatewayError, isGatewayError } from '../errors.ts';
import { type Connection, requirePrintable } from './connection.ts';
import type { Connector } from './connector.ts';
import { exchange, type Outcome } from './exchange.ts';
import {
  broken,
  doubtful,
  nobodyWaits,
  notProved,
  notSentEither,
  refused,
  type Subject,
  undecodable,
} from './faults.ts';
import type { MeterState } from './meter-state.ts';
import type { SessionParts } from './session-parts.ts';
import { type PromptHistory, type StreamEnd, StreamRun } from './stream-run.ts';

export interface RunnerParts extends SessionParts {
  readonly connector: Connector;
  readonly state: MeterState;
  readonly prompts: PromptHistory;
  /** Aborts when the session ends: nothing further is begun. */
  readonly signal: AbortSignal;
  /** The meter cannot be reached, or does not answer: there is no use in trying the same for all who wait. */
  readonly onNoAnswer: (error: GatewayError) => void;
}

/** The reservation that a command belongs to. */
export interface RunnerUser {
  /** Whether all who asked have left. */
  readonly isAbandoned: boolean;
  /** Something was sent: it is finished even if nobody waits any more. */
  hasBegun: boolean;
  /** No further command. */
  end(error: GatewayError): void;
}

/** Attempts in a row that fail before those who wait are answered too: one lost reply says nothing about the next command. */
const SILENT_AFTER = 2;
/** So many commands in a row with replies that cannot be read: then it is not their values that are strange. */
const OUT_OF_STEP_AFTER = 3;
/** From the fourth time in a row on the log has it at the level `debug`. */
const LOUD_TIMES = 3;

type Named = Pick<Command<unknown>, 'text' | 'kind'>;
type Ended = Outcome & { readonly kind: 'ended' };
/** More lines came than a reply has. */
type Doubtful = { readonly kind: 'doubtful' };

const isEnded = (end: { kind: string }): end is Ended => end.kind === 'ended';
const isMute = (end: { kind: string; stage?: string }): boolean => end.kind === 'silent' && end.stage === 'first byte';

export class CommandRunner {
  readonly #parts: RunnerParts;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  async send<T>(command: Command<T>, user: RunnerUser): Promise<T> {
    requirePrintable(command.text);
    if (command.kind === 'setting') await this.#prove(command, user);
    return this.#ask(command, user);
  }

  /** One frame of a stream that is ended right after it. */
  async peek<F>(command: StreamCommand<F>, user: RunnerUser): Promise<F> {
    requirePrintable(command.text);
    const named: Named = { text: command.text, kind: 'request' };
    let seen: { readonly frame: F } | { readonly error: unknown } | undefined;
    return this.#published(named, async (sent) => {
      const { end, connection } = await this.#attempt(named, user, (opened) => {
        sent();
        return this.#firstLine(opened, command, (what) => (seen ??= what));
      });
      if (!seen && end.kind !== 'stopped' && end.kind !== 'unstoppable') throw this.#fault(named, end, user);
      if (end.kind !== 'stopped') this.#parts.connector.drop(`"${command.text}" did not end`);
      if (seen && 'frame' in seen) return this.#done(command.text, connection, seen.frame);
      const error = seen?.error;
      if (end.kind === 'stopped' && error instanceof DecodeError) {
        throw this.#unreadable(named, connection, error, error.raw, user);
      }
      throw this.#broken(undecodable(this.#subject(named), error), user);
    });
  }

  /** A meter that refuses the proof has answered too. */
  async #prove(command: Command<unknown>, user: RunnerUser): Promise<void> {
    const { doubtful: isDoubtful } = await this.#open(user);
    if (!isDoubtful) return;
    try {
      await this.#ask(this.#parts.driver.proof, user);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      if (!this.#parts.state.reachability.reachable) throw notProved(this.#subject(command), error);
    }
  }

  #ask<T>(command: Command<T>, user: RunnerUser): Promise<T> {
    const { clock, state } = this.#parts;
    return this.#published(command, async (sent) => {
      let sentAt = clock.now();
      const { end, connection } = await this.#attempt(command, user, async (opened) => {
        sent();
        sentAt = clock.now();
        const outcome = await exchange(opened, command, this.#parts);
        const isComplete = outcome.kind === 'done' || outcome.kind === 'refused';
        return isComplete && !(await this.#isBelieved(opened)) ? ({ kind: 'doubtful' } as const) : outcome;
      });
      if (end.kind !== 'done') throw this.#fault(command, end, user);
      const value = this.#decode(command, end.data, connection, user);
      state.observe(command, value, Math.round((sentAt + clock.now()) / 2));
      return this.#done(command.text, connection, value);
    });
  }

  #done<T>(text: string, connection: Connection, value: T): T {
    this.#parts.state.unreadable.delete(text);
    this.#parts.state.reached();
    connection.noteRead();
    return value;
  }

  /** What became of a command is an event, once it was sent. */
  async #published<T>({ text }: Named, work: (sent: () => void) => Promise<T>): Promise<T> {
    const { clock, publish } = this.#parts;
    let sentAt: number | undefined;
    const tell = (outcome: string) => {
      if (sentAt !== undefined) publish('command', { text, outcome, ms: Math.round(clock.elapsed() - sentAt) });
    };
    try {
      const value = await work(() => {
        sentAt = clock.elapsed();
      });
      tell('ok');
      return value;
    } catch (error) {
      tell(isGatewayError(error) ? error.code : 'INTERNAL');
      throw error;
    }
  }

  /**
   * Opens and runs; once more when a request met a connection that reached nobody, so that no byte came back, or that brought
   * more than its reply. The first shows in the end of a kept one, and in silence on one that was doubtful before. After a
   * kept one that was dead, the new one may meet a slot of the meter that is still taken, so each of the two may fail once.
   */
  async #attempt<End extends { kind: string }>(
    command: Named,
    user: RunnerUser,
    run: (connection: Connection) => Promise<End | Ended>,
  ): Promise<{ end: End | Ended; connection: Connection }> {
    const { tally, log, clock, connector, driver } = this.#parts;
    for (let last = false; ; ) {
      const { connection, kept, doubtful: isDoubtful } = await this.#open(user);
      if (!user.hasBegun && user.isAbandoned) throw nobodyWaits(this.#subject(command));
      if (command !== driver.proof) user.hasBegun = true;
      tally.counters.commands += 1;
      const sentAt = clock.elapsed();
      const end = await run(connection);
      log.debug({ command: command.text, end: end.kind, ms: Math.round(clock.elapsed() - sentAt) }, 'exchanged');
      const isDead = kept && isEnded(end) && !end.heard;
      const isForgotten = isDoubtful && isMute(end);
      const again = isDead || isForgotten || end.kind === 'doubtful';
      if (last || !again || command.kind === 'setting') return { end, connection };
      last = !kept;
      if (isForgotten) connector.drop('it brought no answer, as was to be feared');
      tally.counters.resent += 1;
      log.info({ command: command.text, end: end.kind }, 'request sent again');
    }
  }

  /** False when a further line came with the reply: then it is not known which of them is the answer. */
  async #isBelieved(connection: Connection): Promise<boolean> {
    await connection.readPending();
    const { suspicionMs } = connection;
    if (suspicionMs > 0) await sleep(this.#parts.clock, suspicionMs, this.#parts.signal).catch(() => {});
    return !connection.isDirty;
  }

  async #open(user: RunnerUser) {
    const { connector, signal, state, onNoAnswer } = this.#parts;
    try {
      return await connector.open(signal);
    } catch (error) {
      if (error instanceof GatewayError && !signal.aborted) {
        user.end(error);
        state.failed(error);
        onNoAnswer(error);
      }
      throw error;
    }
  }

  #decode<T>(command: Command<T>, data: string, connection: Connection, user: RunnerUser): T {
    try {
      return command.decode(data);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      throw this.#unreadable(command, connection, error, data, user);
    }
  }

  /** The reply is complete: the connection stays, unless commands and replies may be out of step (docs/adr/0019). */
  #unreadable(
    command: Named,
    connection: Connection,
    error: DecodeError,
    line: string,
    user: RunnerUser,
  ): GatewayError {
    const { state, driver, log, tally } = this.#parts;
    const fault = undecodable(this.#subject(command), error);
    const times = state.unreadable.add(command.text, error.raw);
    log[times > LOUD_TIMES ? 'debug' : 'warn']({ command: command.text, raw: error.raw, times }, 'unreadable reply');
    const inARow = connection.noteUnreadable(command.text);
    if (driver.answersAnother(command.text, line) || inARow >= OUT_OF_STEP_AFTER) return this.#broken(fault, user);
    tally.counters.garbled += 1;
    state.reached();
    return fault;
  }

  #fault(command: Named, outcome: Exclude<Outcome, { kind: 'done' }> | Doubtful, user: RunnerUser): GatewayError {
    const { tally, state } = this.#parts;
    const subject = this.#subject(command);
    if (outcome.kind === 'doubtful') return this.#broken(doubtful(subject), user);
    if (outcome.kind !== 'refused') return this.#broken(broken(subject, outcome), user);
    tally.counters.refused += 1;
    state.reached();
    return refused(subject, outcome.refusal, state.deviceState);
  }

  /** After this error nobody knows what the connection brings next, so it goes; the gap begins with its end. */
  #broken(error: GatewayError, user: RunnerUser): GatewayError {
    const { unitId, connector, tally, state, onNoAnswer } = this.#parts;
    if (error.code === 'DEVICE_TIMEOUT') tally.counters.timeouts += 1;
    if (error.code === 'DEVICE_GARBLED') tally.counters.garbled += 1;
    connector.drop(error.message);
    state.failed(error);
    if (error.code !== 'DEVICE_GARBLED' && state.reachability.consecutiveFailures >= SILENT_AFTER) {
      // The rest of this reservation and all who wait are answered at once, instead of a timeout each.
      const others = notSentEither(unitId, connector.endpoint, error);
      user.end(others);
      onNoAnswer(others);
    }
    return error;
  }

  /** Runs a stream for one line, readable or not. */
  #firstLine<F>(
    connection: Connection,
    command: StreamCommand<F>,
    saw: (what: { readonly frame: F } | { readonly error: unknown }) => void,
  ): Promise<StreamEnd> {
    const { settings } = this.#parts;
    const run = new StreamRun(connection, command, {
      ...this.#parts,
      settings: { ...settings, frameTimeoutMs: settings.replyTimeoutMs },
      onFrame: (frame) => {
        saw({ frame });
        run.stop();
      },
      onUnreadable: (error) => {
        saw({ error });
        run.stop();
      },
    });
    return run.run();
  }

  #subject({ text, kind }: Named): Subject {
    return { unitId: this.#parts.unitId, peer: this.#parts.connector.endpoint, text, kind };
  }
}
