/** What a process of the model does with its member: it has sessions with meters, and names the units while it is the gateway. */
import type { ClusterAnswer, ClusterRequest, MemberRow } from '../../../lib/cluster/contract.ts';
import { ClusterMember } from '../../../lib/cluster/member.ts';
import type { MemberOptions } from '../../../lib/cluster/member-options.ts';
import type { Instant } from '../../../lib/cluster/own-lease.ts';
import { gatewayWeight } from '../../../lib/cluster/placement.ts';
import { isOfAnotherProcess } from '../../../lib/cluster/same-id.ts';
import { GATEWAY_ROLE } from '../../../lib/domain/cluster-units.ts';
import { SHARED_SITE } from '../../../lib/remote/shared-site.ts';
import { aboutMember } from './memory-store.ts';

/** A row that the store is made with, pinned to the first host. It has no session. */
export const PINNED = 'pinned';
/** Of those some are there at a time. */
export const UNITS = ['u1', 'u2', 'u3', 'u4', 'u5'];

/** Gives whole numbers from 0 up to, but not, `limit` (mulberry32). */
export function chance(seed: number): (limit: number) => number {
  let random = seed;
  return (limit) => {
    random = (random + 0x6d2b79f5) | 0;
    let mixed = Math.imul(random ^ (random >>> 15), 1 | random);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

/** A computer with its clocks, and the process on it. */
export interface Host {
  readonly id: string;
  readonly rate: number;
  /** ms of true time in which its monotonic clock stood still. */
  slept: number;
  wallOffset: number;
  stoppedUntil: number;
  /** Requests do not arrive. */
  cutUntil: number;
  /** Answers do not arrive. */
  deafUntil: number;
  /** It and the other hosts do not reach each other. */
  apartUntil: number;
  /** The gateway has a link to it. */
  isReached: boolean;
  /** It may have sessions while another one is the gateway. */
  readonly serves: boolean;
  process: ModelProcess | undefined;
  member: ClusterMember | undefined;
}

/** One on which nothing runs yet. */
export const newHost = (id: string, below: (limit: number) => number): Host => ({
  id,
  rate: 0.9 + below(201) / 1_000,
  slept: 0,
  wallOffset: below(10_000_000),
  stoppedUntil: 0,
  cutUntil: 0,
  deafUntil: 0,
  apartUntil: 0,
  isReached: true,
  serves: below(6) > 0,
  process: undefined,
  member: undefined,
});

/** What all processes have. */
interface ProcessParts extends Pick<MemberOptions, 'id' | 'times' | 'isLinked'> {
  /** It may have sessions for a gateway elsewhere. */
  readonly serves: boolean;
  /** The units that there are, in the database that all have. */
  readonly units: ReadonlySet<string>;
  readonly now: () => Instant;
  /** Only while this process runs. */
  readonly later: (ms: number, happens: () => void) => void;
  readonly below: (limit: number) => number;
}

/** From a start of the program to its end. */
export class ModelProcess {
  readonly member: ClusterMember;
  readonly #parts: ProcessParts;
  readonly #sessions = new Set<string>();
  #asked: ClusterRequest | undefined;
  #isGateway = false;

  constructor(parts: ProcessParts) {
    this.#parts = parts;
    const { id, times, serves, isLinked = () => true } = parts;
    this.member = new ClusterMember({
      ...{ id, times, about: aboutMember(id), movesPerBeat: 2, weightOf: gatewayWeight, isLinked },
      sites: serves ? ['', SHARED_SITE] : [''],
      isBusy: (unit) => this.#sessions.has(unit),
      onUnwanted: (units) => this.#end(units),
    });
  }

  /** A request leaves; one that has no answer yet is given up. */
  asks(request: ClusterRequest): void {
    this.#asked = request;
  }

  /** An answer has come. True where this process would say that another one has its id. `row`: of this id, as the store has it now. */
  isReplaced(request: ClusterRequest, answer: ClusterAnswer, row: MemberRow | undefined, wasLeased: boolean): boolean {
    if (this.#asked !== request) return false;
    this.#asked = undefined;
    if (answer !== 'refused' || request.kind !== 'beat' || !wasLeased) return false;
    return isOfAnotherProcess(row, request.epoch);
  }

  /** Looks at what is its own now. */
  look(): void {
    const { now, later, below, units } = this.#parts;
    const acts = (unit: string) => this.member.mayAct(unit, now());
    for (const unit of UNITS) {
      if (!acts(unit) || !units.has(unit)) this.#sessions.delete(unit);
      else if (!this.member.unwanted.has(unit)) this.#sessions.add(unit);
    }
    const wasGateway = this.#isGateway;
    this.#isGateway = acts(GATEWAY_ROLE);
    // A gateway takes some time to start.
    if (this.#isGateway && !wasGateway) later(below(3_000), () => this.name());
  }

  /** The gateway names the units. */
  name(): void {
    const { serves, units, now } = this.#parts;
    const shared = serves ? [...units].map((unit) => ({ unit, site: SHARED_SITE })) : [];
    this.member.declare([{ unit: PINNED, site: '' }, ...shared], now());
  }

  #end(units: readonly string[]): void {
    for (const unit of units)
      if (this.#sessions.has(unit))
        this.#parts.later(this.#parts.below(3_000), () => {
          if (!this.member.unwanted.has(unit)) return;
          this.#sessions.delete(unit);
          this.member.hurry(this.#parts.now());
        });
  }
}
