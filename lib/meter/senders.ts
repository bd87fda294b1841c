/**
 * Senders for operations and settings of a family: a reservation of the meter, or commands that wait for their turns
 * one by one.
 */
import type { OperationName, Operations, Sender } from '../drivers/contract.ts';
import { operationOf, settingOf } from '../drivers/not-supported.ts';
import type { Command, StreamCommand } from '../drivers/wire/contract.ts';
import type { Connector } from './connector.ts';
import type { Caller } from './contract.ts';
import type { Freshness, KnownValue } from './known-values.ts';
import type { CommandGap } from './meter-port.ts';
import type { MeterState } from './meter-state.ts';
import type { CommandReservation, SessionParts } from './parts.ts';
import type { QueuedWork } from './queue.ts';

/** A reservation with the operations of the family, made from the commands that it sends. */
export abstract class FamilyReservation implements CommandReservation {
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

/** The value must be asked for. */
export class NotKnown extends Error {}

/** A reservation that sends nothing: it answers with known values, or ends with `NotKnown`. */
export class KnownReservation extends FamilyReservation {
  readonly shouldYield = false;
  /** Of the oldest value so far, ms. */
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

/** The sending part of the session. */
interface Sending {
  run<T>(command: Command<T>, caller: Caller): Promise<T>;
  reserve<T>(
    label: string,
    work: (reservation: CommandReservation) => Promise<T>,
    caller: Caller,
    options: { readonly isRead: true },
  ): Promise<T>;
}

/**
 * Commands of one caller that wait for their turns one by one: others may come between. `state`: lives as long as the
 * session.
 */
export const senderOf = (session: Sending, state: object, caller: Caller): Sender => ({
  send: (command) => session.run(command, caller),
  peek: (stream) => session.reserve(stream.text, (reservation) => reservation.peek(stream), caller, { isRead: true }),
  session: state,
});

/** For FTP: it waits for its turn, and the gap starts again before and after it. */
export function commandGapOf(
  connector: Pick<Connector, 'port'>,
  wait: (job: QueuedWork, caller: Caller) => Promise<void>,
): CommandGap {
  const restart = () => connector.port.restart();
  const job: QueuedWork = { label: 'FTP', join: undefined, offline: true, isRead: true, work: async () => restart() };
  return {
    get commands() {
      return connector.port.commands;
    },
    wait: (caller) => wait(job, caller),
    restart,
  };
}
