/**
 * Reservations of the gateway at meters elsewhere. They wait there, in the queue of the meter, which also joins equal ones; the work
 * itself is done here when its turn comes.
 */
import { GatewayError } from '../errors.ts';
import type { Caller, Reservation, ReserveOptions } from '../meter/contract.ts';
import { callerToLink, type LinkCalls } from './link-calls.ts';
import { errorToLink, linkLost } from './link-errors.ts';
import type { GatewayMessage } from './messages.ts';

/** What it needs of the link. */
export interface LinkedWorksParts {
  readonly calls: LinkCalls;
  readonly send: (message: GatewayMessage) => void;
}

/** Which reservation is wanted. */
export interface WantedReservation {
  readonly unitId: string;
  readonly label: string;
  readonly caller: Caller;
  readonly options: ReserveOptions;
}

interface Work {
  readonly id: number;
  readonly joinWhile: (() => boolean) | undefined;
  run(): Promise<unknown>;
  /** Once it has its turn. */
  outcome: Promise<unknown> | undefined;
  isOver: boolean;
}

/** Equal reservations: each may end as the work of another one of them did. */
interface Equals {
  readonly works: Map<number, Work>;
  waiting: number;
}

/** Those of one link. */
export class LinkedWorks {
  readonly #parts: LinkedWorksParts;
  readonly #equals = new Map<string, Equals>();
  readonly #works = new Map<number, Work>();

  constructor(parts: LinkedWorksParts) {
    this.#parts = parts;
  }

  /** As `Meter.reserve`. `turn`: the reservation of this id, when it has its turn. */
  async reserve<T>(
    { unitId, label, caller, options }: WantedReservation,
    work: (reservation: Reservation) => Promise<T>,
    turn: (id: number) => Reservation,
  ): Promise<T> {
    const { calls } = this.#parts;
    const { join, joinWhile, isRead = false } = options;
    const id = calls.nextId();
    const key = join === undefined ? `${id}` : `${unitId} ${join}`;
    const equals = this.#equals.get(key) ?? { works: new Map(), waiting: 0 };
    this.#equals.set(key, equals);
    const joins = [...equals.works.values()].some((each) => each.outcome && !each.isOver && each.joinWhile?.());
    const own: Work = { id, joinWhile, run: async () => work(turn(id)), outcome: undefined, isOver: false };
    equals.works.set(id, own);
    this.#works.set(id, own);
    equals.waiting += 1;
    const wanted = {
      unit: unitId,
      label,
      isRead,
      joins,
      caller: callerToLink(caller),
      ...(join !== undefined && { join }),
    };
    try {
      const changes = !isRead;
      const done = await calls.ask({ kind: 'reserve', id, ...wanted }, { unitId, changes, label, caller });
      const ran = 'run' in done ? equals.works.get(done.run)?.outcome : undefined;
      if (!ran) throw linkLost(unitId, changes);
      // Equal reservations bring the same kind of value, as in one process.
      return (await ran) as T;
    } finally {
      equals.waiting -= 1;
      if (equals.waiting === 0) this.#forget(key, equals);
    }
  }

  /** The reservation has its turn: its work begins, and is over when it settles. */
  turn(id: number): void {
    const work = this.#works.get(id);
    if (!work) {
      const error = new GatewayError('QUEUE_TIMEOUT', 'Nobody waits for this reservation any more.');
      this.#parts.send({ kind: 'release', id, failed: errorToLink(error) });
      return;
    }
    work.outcome = work.run();
    const release = (failed?: ReturnType<typeof errorToLink>) => {
      work.isOver = true;
      this.#parts.send({ kind: 'release', id, ...(failed && { failed }) });
    };
    work.outcome.then(
      () => release(),
      (error) => release(errorToLink(error)),
    );
  }

  /** Nobody waits for any of them: none can begin any more, and one that runs has all that it needs. */
  #forget(key: string, equals: Equals): void {
    if (this.#equals.get(key) === equals) this.#equals.delete(key);
    for (const id of equals.works.keys()) this.#works.delete(id);
  }
}
