/**
 * What the gateway asks over one link, as callers of the meters here. A reservation waits in the queue of its meter; its work is done
 * by the gateway, which sends the steps one by one.
 */
import { notSupported } from '../drivers/not-supported.ts';
import { GatewayError, isGatewayError } from '../errors.ts';
import type { Caller, Meter, Reservation } from '../meter/contract.ts';
import type { Fleet } from '../meter/fleet.ts';
import type { CommandGap } from '../meter/meter-port.ts';
import { errorFromLink, errorToLink, notServed } from './link-errors.ts';
import type { Ask, CallerOnLink, GatewayMessage, OutcomeOnLink } from './messages.ts';
import { isOperation, takes } from './operations-on-link.ts';

/** What the calls of a link need. */
export interface ServedCallsParts {
  readonly fleet: Pick<Fleet, 'meter' | 'commandGap'>;
  /** Tells the gateway. `unitId`: its state goes first. */
  readonly answer: (unitId: string, id: number, outcome: OutcomeOnLink, ageMs?: number) => void;
  readonly turn: (unitId: string, id: number) => void;
  /** Something waits that did not. */
  readonly onWait: (unitId: string) => void;
}

/** The work of a reservation is at the gateway. */
interface LinkedWork {
  readonly meter: Meter;
  readonly reservation: Reservation;
  readonly released: PromiseWithResolvers<void>;
}

type Message<Kind extends GatewayMessage['kind']> = Extract<GatewayMessage, { kind: Kind }>;

/** Most calls of one link that wait at once. The queues of the meters are much shorter. */
const MOST_CALLS = 20_000;

/** Those of one link. */
export class ServedCalls {
  readonly #parts: ServedCallsParts;
  readonly #callers = new Map<number, AbortController>();
  readonly #works = new Map<number, LinkedWork>();
  /** What the gateway says of the reservation that is being asked for: it may join one that has begun. */
  #joins = false;
  #isOver = false;
  /** Errors that the work at the gateway has thrown. */
  readonly #failures = new WeakMap<object, number>();

  constructor(parts: ServedCallsParts) {
    this.#parts = parts;
  }

  /** Something that waits here, or goes on. */
  take(message: Message<'call' | 'reserve' | 'step' | 'release' | 'cancel'>): void {
    if (message.kind === 'call') this.#call(message);
    else if (message.kind === 'reserve') this.#reserve(message);
    else if (message.kind === 'step') this.#step(message);
    else if (message.kind === 'release') this.#release(message);
    else this.#callers.get(message.id)?.abort(new Error('The caller has left.'));
  }

  /** Whether this number is in use. */
  isTaken(id: number): boolean {
    return this.#callers.has(id);
  }

  #call({ id, unit, ask, caller }: Message<'call'>): void {
    this.#wait(id, unit, caller, (own) => {
      const meter = this.#parts.fleet.meter(unit);
      return doAsk(meter, ask, {
        perform: (name, ...values) => meter.perform(name, own, ...values),
        readSetting: (name) => meter.readSetting(name, own),
        writeSetting: (name, value) => meter.writeSetting(name, value, own),
      });
    });
  }

  gap({ id, unit }: Message<'gap'>, onGap: (gap: CommandGap) => void): void {
    this.#wait(id, unit, {}, async ({ signal }) => {
      const gap = this.#parts.fleet.commandGap(unit);
      if (!gap) throw notServed(unit);
      onGap(gap);
      await gap.wait(signal);
      return { value: gap.commands };
    });
  }

  #reserve({ id, unit, label, isRead, join, joins, caller }: Message<'reserve'>): void {
    this.#wait(id, unit, caller, (own) => {
      const meter = this.#parts.fleet.meter(unit);
      const options = join === undefined ? {} : { join, joinWhile: () => this.#joins };
      this.#joins = joins;
      const done = meter.reserve(label, (reservation) => this.#run(id, meter, reservation), own, {
        ...options,
        isRead,
      });
      this.#joins = false;
      return done;
    });
  }

  /** Within a reservation that has its turn. */
  #step({ id, of, ask }: Message<'step'>): void {
    const work = this.#works.get(of);
    if (!work) {
      const over = new GatewayError('INTERNAL', 'A command was sent after its reservation was over.');
      this.#parts.answer('', id, { error: errorToLink(over) });
      return;
    }
    const { meter, reservation } = work;
    doAsk(meter, ask, reservation)
      .catch((error): OutcomeOnLink => ({ error: errorToLink(asHere(meter.unitId, error)) }))
      .then((outcome) => this.#parts.answer(meter.unitId, id, outcome));
  }

  #release({ id, failed }: Message<'release'>): void {
    const work = this.#works.get(id);
    if (!work) return;
    if (!failed) {
      work.released.resolve();
      return;
    }
    const error = errorFromLink(failed);
    this.#failures.set(error, id);
    work.released.reject(error);
  }

  /** The link is over: what waits is taken out, what was sent is finished. */
  end(): void {
    this.#isOver = true;
    for (const caller of this.#callers.values()) caller.abort(new Error('The link to the gateway was lost.'));
    for (const { meter, released } of this.#works.values()) released.reject(notServed(meter.unitId));
  }

  /** The work is at the gateway from here to its release. Resolves with whose work it was: equal ones share it. */
  async #run(id: number, meter: Meter, reservation: Reservation): Promise<OutcomeOnLink> {
    if (this.#isOver) throw notServed(meter.unitId);
    const released = Promise.withResolvers<void>();
    this.#works.set(id, { meter, reservation, released });
    this.#parts.turn(meter.unitId, id);
    try {
      await released.promise;
      return { run: id };
    } finally {
      this.#works.delete(id);
    }
  }

  #wait(id: number, unit: string, caller: CallerOnLink, work: (caller: Caller) => Promise<OutcomeOnLink>): void {
    const leaving = new AbortController();
    const { signal } = leaving;
    const isFull = this.#callers.size >= MOST_CALLS;
    this.#callers.set(id, leaving);
    let ageMs: number | undefined;
    const own: Caller = {
      ...caller,
      signal,
      onAge: (ms) => {
        ageMs = ms;
      },
    };
    const begin = async () => {
      if (isFull) throw new GatewayError('DEVICE_BUSY', 'Too many calls of the gateway wait here.');
      return work(own);
    };
    const failed = (error: unknown): OutcomeOnLink => {
      if (signal.aborted && error === signal.reason) return { cancelled: true };
      const run = error instanceof Error ? this.#failures.get(error) : undefined;
      return run === undefined ? { error: errorToLink(asHere(unit, error)) } : { run };
    };
    begin()
      .catch(failed)
      .then((outcome) => {
        this.#callers.delete(id);
        this.#parts.answer(unit, id, outcome, ageMs);
      });
    this.#parts.onWait(unit);
  }
}

/** This instance stops, or may not act at the meter any more: the gateway goes on, and another instance will serve it. */
const asHere = (unitId: string, error: unknown): unknown =>
  isGatewayError(error, 'STOPPING') ? notServed(unitId) : error;

/** Does it, if it is something that the meter has, with values that it takes. Errors: NOT_SUPPORTED, INVALID, before anything is sent. */
async function doAsk(
  { unitId, family }: Pick<Meter, 'unitId' | 'family'>,
  ask: Ask,
  by: Pick<Reservation, 'perform' | 'readSetting' | 'writeSetting'>,
): Promise<OutcomeOnLink> {
  if (ask.do === 'perform') {
    const { name, values } = ask;
    if (!isOperation(name)) throw notSupported(unitId, family, 'operation of this name');
    if (!takes(name, values, family))
      throw new GatewayError('INVALID', `The operation ${name} does not take these values.`);
    return { value: await by.perform(name, ...values) };
  }
  return {
    value: ask.do === 'read' ? await by.readSetting(ask.setting) : await by.writeSetting(ask.setting, ask.value),
  };
}
