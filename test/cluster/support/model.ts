/**
 * Random schedules of a cluster. True time is a number that the model moves; each host has its own clocks, which run fast or
 * slow, jump, or stand still while it sleeps. A referee looks after every event. The same seed gives the same schedule.
 */
import type { ClusterAnswer, ClusterRequest } from '../../../lib/cluster/contract.ts';
import type { ClusterMember } from '../../../lib/cluster/member.ts';
import type { Instant } from '../../../lib/cluster/own-lease.ts';
import { unitOwner } from '../../../lib/cluster/owners.ts';
import { type ClusterTimes, drainWithinMs, takeoverWithinMs } from '../../../lib/cluster/times.ts';
import { GATEWAY_ROLE } from '../../../lib/domain/cluster-units.ts';
import { MemoryClusterStore } from './memory-store.ts';
import { FAULTS, type Faults } from './model-faults.ts';
import type { Outcome } from './model-outcome.ts';
import { chance, type Host, ModelProcess, newHost, PINNED, UNITS } from './model-process.ts';
import { Standby } from './standby.ts';

/** As close together as the check of the times allows, so that a schedule is short. */
export const MODEL_TIMES: ClusterTimes = {
  ...{ beatMs: 5_000, answerMs: 1_000, ownMs: 8_000, takeMs: 15_278 },
  ...{ promisedMs: 20_000, unknownTakeMs: 29_945 },
};

const FAULTS_MS = 60_000;
const MOST_CHANGES = 8;
const ROWS = [GATEWAY_ROLE, PINNED, ...UNITS];

interface ModelEvent {
  readonly at: number;
  readonly happens: () => void;
  /** Of a process: waits while its host is stopped. */
  readonly host?: Host;
}

/** Runs the schedule of one seed. */
export function runSchedule(seed: number, times = MODEL_TIMES, faults: Faults = FAULTS): Outcome {
  return new Schedule(seed, times, faults).run();
}

class Schedule {
  readonly #times: ClusterTimes;
  readonly #faults: Faults;
  readonly #store = new MemoryClusterStore([
    { unit: GATEWAY_ROLE, site: '' },
    { unit: PINNED, site: '', pinned: 'h1' },
  ]);
  readonly #standby: Standby | undefined;
  readonly #units = new Set(UNITS.slice(0, 3));
  readonly #hosts: Host[];
  readonly #lastActed = new Map(ROWS.map((unit) => [unit, 0]));
  #events: ModelEvent[] = [];
  #now = 0;
  #awayUntil = 0;
  #healedAt = FAULTS_MS;
  readonly #below: (limit: number) => number;
  #wrong: string | undefined;
  #takeovers = 0;
  #lateWrites = 0;
  #removals = 0;
  #failovers = 0;
  #lossy = 0;
  #promises = 0;
  #lateJoinings = 0;
  /** How often a process was right that another one had its id. */
  #changes = 0;
  /** Beats of hosts that the gateway does not reach. */
  #unreached = 0;
  #moved = 0;
  #gapLimit = Number.POSITIVE_INFINITY;
  #longestGap = 0;

  constructor(seed: number, times: ClusterTimes, faults: Faults) {
    this.#below = chance(seed);
    this.#faults = faults;
    this.#standby = faults.includes('failover') ? new Standby(this.#store) : undefined;
    this.#times = times;
    this.#hosts = ['h1', 'h2', 'h3', 'h4'].slice(0, 2 + this.#below(3)).map((id) => this.#newHost(id));
  }

  run(): Outcome {
    for (let left = 2 + this.#below(6); left > 0; left -= 1) this.#later(this.#below(FAULTS_MS), () => this.#fault());
    for (let left = this.#below(MOST_CHANGES); left > 0; left -= 1)
      this.#later(this.#below(2 * FAULTS_MS), () => this.#changeUnits());
    this.#runUntil(FAULTS_MS);
    this.#heal();
    this.#runUntil(this.#healedAt);
    for (const unit of ROWS) this.#lastActed.set(unit, this.#now);
    this.#longestGap = 0;
    this.#gapLimit = takeoverWithinMs(this.#times);
    this.#runUntil(this.#healedAt + this.#gapLimit);
    const unownedMs = this.#longestGap;
    this.#longestGap = 0;
    this.#gapLimit = drainWithinMs(this.#times);
    if (this.#hosts.length === 1) return this.#outcome(unownedMs, 0);
    const leaver = this.#anyHost();
    leaver.member?.drain(this.#instant(leaver), this.#instant(leaver).elapsed + 2_000);
    this.#runUntil(this.#now + 2 * this.#gapLimit);
    if (!leaver.member?.hasLeft) this.#wrong ??= `${leaver.id} has not left`;
    return this.#outcome(unownedMs, this.#longestGap);
  }

  #outcome(unownedMs: number, drainMs: number): Outcome {
    return {
      wrong: this.#wrong,
      takeovers: this.#takeovers,
      lateWrites: this.#lateWrites,
      removals: this.#removals,
      failovers: this.#failovers,
      lossy: this.#lossy,
      promises: this.#promises,
      lateJoinings: this.#lateJoinings,
      changes: this.#changes,
      unreached: this.#unreached,
      moved: this.#moved,
      unownedMs,
      drainMs,
    };
  }

  #newHost(id: string): Host {
    const host = newHost(id, this.#below);
    // Some come later.
    if (this.#below(3) > 0) this.#start(host);
    else this.#later(this.#below(FAULTS_MS), () => host.process || this.#start(host));
    return host;
  }

  /** The lock of the data folder keeps a second process away until the first has ended. */
  #start(host: Host): void {
    const now = () => this.#instant(host);
    const process: ModelProcess = new ModelProcess({
      ...{ id: host.id, times: this.#times, serves: host.serves, units: this.#units, now },
      isLinked: () => host.isReached,
      below: (limit) => this.#below(limit),
      later: (ms, happens) => this.#later(ms, () => host.process === process && happens(), host),
    });
    host.process = process;
    host.member = process.member;
  }

  /** Somebody asks the gateway to add a unit, or to remove one. */
  #changeUnits(): void {
    const unit = UNITS[this.#below(UNITS.length)];
    const gateway = this.#hosts.find((host) => this.#acts(host, GATEWAY_ROLE));
    if (unit === undefined || !gateway) return;
    if (!this.#units.delete(unit)) this.#units.add(unit);
    gateway.process?.name();
    this.#changes += 1;
  }

  // Time and chance

  #anyHost(): Host {
    const host = this.#hosts[this.#below(this.#hosts.length)];
    if (!host) throw new Error('there is no host');
    return host;
  }

  #instant({ rate, slept, wallOffset }: Host): Instant {
    return { elapsed: rate * (this.#now - slept), wall: rate * this.#now + wallOffset };
  }

  #later(ms: number, happens: () => void, host?: Host): void {
    this.#events.push({ at: this.#now + ms, happens, ...(host && { host }) });
  }

  #runUntil(end: number): void {
    while (this.#wrong === undefined) {
      let at = end;
      let next: ModelEvent | undefined;
      let due: Host | undefined;
      for (const event of this.#events) {
        const when = Math.max(event.at, event.host?.stoppedUntil ?? 0);
        if (when < at) [at, next] = [when, event];
      }
      for (const host of this.#hosts) {
        if (!host.member || host.member.hasLeft) continue;
        const ready = host.member.dueAt / host.rate + host.slept + 0.001;
        const when = Math.max(ready, this.#now, host.stoppedUntil);
        if (when < at) [at, next, due] = [when, undefined, host];
      }
      if (!next && !due) break;
      this.#now = Math.max(this.#now, at);
      this.#judge();
      if (next) {
        this.#events.splice(this.#events.indexOf(next), 1);
        next.happens();
      } else if (due) this.#send(due);
      this.#judge();
    }
    this.#now = end;
    this.#judge();
  }

  // Messages

  #send(host: Host): void {
    const { member } = host;
    const request = member?.due(this.#instant(host));
    if (!member || !request) return;
    host.process?.asks(request);
    this.#lookAtClaims(host, request);
    this.#maybeWrite(host, member);
    if (this.#below(3) === 0) this.#later(this.#below(2_000), () => this.#askPromises(host, member), host);
    if (this.#isLost()) return;
    this.#later(this.#delay(), () => this.#arrives(host, member, request));
  }

  #lookAtClaims({ id, isReached, member }: Host, request: ClusterRequest): void {
    if (!member || request.kind !== 'beat' || isReached || unitOwner(member.view, GATEWAY_ROLE) === id) return;
    const unit = request.claim.find((claimed) => claimed !== GATEWAY_ROLE);
    if (unit) this.#wrong ??= `at ${this.#now} ${id} claims ${unit} and is not reached`;
    this.#unreached += 1;
  }

  #arrives(host: Host, member: ClusterMember, request: ClusterRequest): void {
    if (this.#now < this.#awayUntil || this.#now < host.cutUntil) return;
    this.#standby?.note(this.#now);
    const answer = this.#store.done(request);
    if (request.kind === 'beat' && answer !== 'refused') {
      this.#takeovers += request.close.length;
      this.#moved += request.release.length;
    }
    if (this.#isLost() || this.#now < host.deafUntil) return;
    const delay = this.#delay();
    // Others and the standby may come between the request and what is read after it.
    const read = () => {
      const later = this.#now < this.#awayUntil ? undefined : this.#store.answerLater(request, answer);
      if (later) this.#later(delay / 2, () => this.#answered(host, member, request, later), host);
    };
    this.#later(delay / 2, read);
  }

  #rowOf({ id }: Host) {
    return this.#store.state.members.get(id);
  }

  #answered(host: Host, member: ClusterMember, request: ClusterRequest, answer: ClusterAnswer): void {
    if (host.member !== member) return;
    const acted = ROWS.filter((unit) => this.#acts(host, unit));
    const row = this.#rowOf(host);
    const isReplaced = host.process?.isReplaced(request, answer, row, member.isLeased(this.#instant(host)));
    if (answer === 'refused' && row?.open && member.epoch !== undefined && row.epoch > member.epoch)
      this.#lateJoinings += 1;
    if (isReplaced) this.#wrong ??= `${host.id} takes itself, or one that is over, for another process`;
    member.answered(request, answer, this.#instant(host));
    if (answer !== 'refused' && member.view === answer && this.#failovers > 0 && this.#lossy === 0) {
      const lost = acted.find((unit) => member.epoch === undefined || unitOwner(answer, unit) !== host.id);
      if (lost) this.#wrong ??= `at ${this.#now} ${host.id} lost ${lost} by a failover that lost nothing`;
    }
    host.process?.look();
  }

  // Promises

  #askPromises(host: Host, member: ClusterMember): void {
    const { epoch, voters } = member;
    if (host.member !== member || epoch === undefined || !voters) return;
    const asked = this.#instant(host);
    const left = new Set(voters.map(({ id }) => id));
    const promised = () => {
      if (host.member === member && left.size === 0 && member.promised(epoch, asked)) this.#promises += 1;
    };
    promised();
    for (const id of [...left]) {
      const other = this.#hosts.find((one) => one.id === id);
      const arrives = (): void => {
        if (this.#areApart(host, other) || !other?.member?.promise(host.id, epoch, this.#instant(other).elapsed))
          return;
        const comesBack = () => {
          if (this.#areApart(host, other)) return;
          left.delete(id);
          promised();
        };
        if (!this.#isLost()) this.#later(this.#delay(), comesBack, host);
      };
      if (other && !this.#isLost()) this.#later(this.#delay(), arrives, other);
    }
  }

  #areApart(...hosts: readonly (Host | undefined)[]): boolean {
    return hosts.some((host) => (host?.apartUntil ?? 0) > this.#now);
  }

  #maybeWrite(host: Host, member: ClusterMember): void {
    const unit = ROWS[this.#below(ROWS.length)];
    const { epoch } = member;
    if (unit === undefined || epoch === undefined || !member.mayAct(unit, this.#instant(host))) return;
    this.#later(this.#below(30_000), () => {
      if (!this.#store.isOwner(host.id, epoch, unit)) this.#lateWrites += 1;
      // A database without its last changes takes those for whoever it knows.
      else if (this.#lossy === 0 && this.#hosts.some((other) => other !== host && this.#acts(other, unit)))
        this.#wrong ??= `a late write of ${host.id} for ${unit} was taken`;
    });
  }

  #isLost(): boolean {
    return this.#now < FAULTS_MS && this.#below(20) === 0;
  }

  #delay(): number {
    const ms = this.#now < FAULTS_MS && this.#below(15) === 0 ? this.#below(30_000) : 1 + this.#below(200);
    // What is late is a fault until it arrives.
    if (ms > 200) this.#healedAt = Math.max(this.#healedAt, this.#now + ms + 200);
    return ms;
  }

  // Faults

  #fault(): void {
    const host = this.#anyHost();
    const ms = 100 + this.#below(this.#below(2) === 0 ? 4_000 : 40_000);
    const until = Math.min(this.#now + ms, FAULTS_MS);
    switch (this.#faults[this.#below(this.#faults.length)]) {
      case 'kill':
        host.member = undefined;
        host.process = undefined;
        this.#later(until - this.#now, () => this.#start(host));
        break;
      case 'sleep':
        if (host.stoppedUntil > this.#now) break;
        host.slept += until - this.#now;
        host.stoppedUntil = until;
        break;
      case 'pause':
        host.stoppedUntil = Math.max(host.stoppedUntil, until);
        break;
      case 'jump':
        // Never back by what a computer slept: two such faults at once cannot be seen from inside.
        host.wallOffset += this.#below(2) === 0 ? 500 : (this.#below(2) * 2 - 1) * (100_000 + this.#below(10_000_000));
        break;
      case 'cut':
        host.cutUntil = until;
        // Promises matter where one host is cut off, and another one that reaches the store hears nothing of it.
        if (this.#below(2) === 0) this.#anyHost().apartUntil = until;
        break;
      case 'deaf':
        host.deafUntil = until;
        break;
      case 'apart':
        host.apartUntil = until;
        break;
      case 'away':
        this.#awayUntil = until;
        break;
      case 'drain':
        host.member?.drain(this.#instant(host), this.#instant(host).elapsed + this.#below(5_000));
        this.#later(until - this.#now, () => this.#start(host));
        break;
      case 'unreached':
        host.isReached = false;
        if (this.#below(3) > 0)
          this.#later(until - this.#now, () => {
            host.isReached = true;
            host.member?.hurry(this.#instant(host));
          });
        break;
      case 'failover':
        this.#failovers += 1;
        if (this.#standby?.takeOver(this.#now, this.#below(2) === 0 ? undefined : this.#below(1_000) / 1_000))
          this.#lossy += 1;
        if (this.#below(2) === 0) this.#awayUntil = until;
        break;
      case 'remove': {
        const row = this.#store.members.find(({ id }) => id === host.id);
        if (row && this.#store.removed(row)) this.#removals += 1;
        break;
      }
    }
  }

  /** All ends but, often, one death: that unit by unit is taken over is seen only where nobody comes back. */
  #heal(): void {
    const lost = this.#below(2) === 0 ? this.#anyHost() : undefined;
    if (lost) this.#hosts.splice(this.#hosts.indexOf(lost), 1);
    for (const host of this.#hosts) if (!host.member || host.member.hasLeft) this.#start(host);
  }

  // The referee

  #acts(host: Host, unit: string): boolean {
    return host.stoppedUntil <= this.#now && host.member?.mayAct(unit, this.#instant(host)) === true;
  }

  #judge(): void {
    for (const unit of ROWS) {
      let acting: Host | undefined;
      for (const host of this.#hosts) {
        if (!this.#acts(host, unit)) continue;
        if (acting) this.#wrong ??= `at ${this.#now} ${unit} has two owners: ${acting.id} and ${host.id}`;
        acting = host;
      }
      const isThere = this.#units.has(unit) || !UNITS.includes(unit);
      const gap = isThere ? this.#now - (this.#lastActed.get(unit) ?? 0) : 0;
      this.#longestGap = Math.max(this.#longestGap, gap);
      if (gap > this.#gapLimit) this.#wrong ??= `at ${this.#now} ${unit} had no owner for ${gap} ms`;
      if (acting || !isThere) this.#lastActed.set(unit, this.#now);
    }
  }
}
