/** How the instances fare, for people and monitoring: the state of each, and when it was last heard of. Decides nothing. */
import { unitIdOf, unitRow } from '../domain/cluster-units.ts';
import { FORMER_OWNER } from '../domain/former-owner.ts';
import type { ClusterView, InstancesKnown, MemberRow, MemberState, UnownedUnit } from './contract.ts';

interface Heard extends Pick<MemberRow, 'epoch' | 'beat'> {
  /** By the monotonic clock, ms; undefined: before this process began to look. */
  readonly at: number | undefined;
}

/** A moment of this process. Milliseconds. */
interface Now {
  readonly elapsed: number;
  /** Since 1970 UTC. */
  readonly wall: number;
}

/** What is kept of the answers of the store. While the store is away everything stays as it was: nobody knows better. */
export class MemberStates {
  readonly #self: string;
  #view: ClusterView | undefined;
  #heard: ReadonlyMap<string, Heard> = new Map();
  #quiet: ReadonlySet<string> = new Set();
  #takeovers = 0;
  /** When an instance was last known to have the meters, and the last time without one; by the monotonic clock, ms. */
  #hadUntil: number | undefined;
  #gap: InstancesKnown['gap'];

  constructor(self: string) {
    this.#self = self;
  }

  /** Takes note of an answer; the same one again changes nothing. `isQuiet`: not heard of for some beats. */
  saw(view: ClusterView, elapsed: number, isQuiet: (id: string) => boolean, hasMeters: (id: string) => boolean): void {
    if (view === this.#view) return;
    this.#view = view;
    this.#quiet = new Set(view.members.filter(({ id }) => isQuiet(id)).map(({ id }) => id));
    const before = this.#heard;
    this.#heard = new Map(
      view.members.map(({ id, epoch, beat }) => {
        const old = before.get(id);
        if (old?.epoch === epoch && old.beat === beat) return [id, old];
        return [id, { epoch, beat, at: old ? elapsed : undefined }];
      }),
    );
    // Of this one `took` and `lost` know more.
    const others = view.members.filter(({ id }) => id !== FORMER_OWNER.id && id !== this.#self);
    const owner = others.find(({ id, open }) => open && hasMeters(id));
    if (owner && !this.#quiet.has(owner.id)) this.#hadUntil = this.#heard.get(owner.id)?.at ?? elapsed;
  }

  /** This instance got the meters. */
  took(elapsed: number): void {
    this.#takeovers += 1;
    if (this.#hadUntil !== undefined) this.#gap = { from: this.#hadUntil, to: elapsed };
    this.#hadUntil = elapsed;
  }

  /** It acts no longer. */
  lost(elapsed: number): void {
    this.#hadUntil = elapsed;
  }

  /** All of it, for who shows or judges it. */
  known(hasMeters: (id: string) => boolean, now: Now): InstancesKnown {
    const wallOf = (at: number) => now.wall - (now.elapsed - at);
    const gap = this.#gap && { from: wallOf(this.#gap.from), to: wallOf(this.#gap.to) };
    return {
      ...{ members: this.states(hasMeters, now), takeovers: this.#takeovers, gap, unowned: this.#unowned() },
      servedBy: (unitId) => this.#servedBy(unitId, hasMeters),
    };
  }

  #unowned(): UnownedUnit[] {
    const { members = [], owners = [] } = this.#view ?? {};
    const heard = new Set(this.#heardOf().map(({ id }) => id));
    return owners.flatMap(({ unit, member, removed }) => {
      const unitId = unitIdOf(unit);
      if (unitId === undefined || removed || (member !== undefined && heard.has(member))) return [];
      return [{ unitId, why: whyUnowned(member, members) }];
    });
  }

  /** Where meters are not shared out, the gateway serves all. */
  #servedBy(unitId: string, hasMeters: (id: string) => boolean): string | undefined {
    const owners = this.#view?.owners ?? [];
    const isShared = owners.some(({ unit }) => unitIdOf(unit) !== undefined);
    const row = owners.find(({ unit, removed }) => unit === unitRow(unitId) && !removed);
    return this.#heardOf().find(({ id }) => (isShared ? id === row?.member : hasMeters(id)))?.name;
  }

  #heardOf(): MemberRow[] {
    return this.#view?.members.filter((member) => member.id !== FORMER_OWNER.id && this.#isHeard(member)) ?? [];
  }

  #isHeard({ id, open }: MemberRow): boolean {
    return open && !this.#quiet.has(id);
  }

  /** `hasMeters`: who has the meters, as the same answer said. */
  states(hasMeters: (id: string) => boolean, { elapsed, wall }: Now): MemberState[] {
    const { members: all = [], owners = [] } = this.#view ?? {};
    const members = all.filter(({ id }) => id !== FORMER_OWNER.id);
    const rows = owners.filter(({ unit, removed }) => unitIdOf(unit) !== undefined && !removed);
    return members.map((member) => {
      const { id, name, address, version, leaving } = member;
      const state = this.#isHeard(member) ? (hasMeters(id) ? 'has the meters' : 'waits') : leaving ? 'left' : 'silent';
      const at = this.#heard.get(id)?.at;
      const lastSeen = at === undefined ? undefined : wall - (elapsed - at);
      const units = rows.length > 0 ? rows.filter((row) => row.member === id).length : undefined;
      return { id, name, address, version, state, lastSeen, units, isSelf: id === this.#self };
    });
  }
}

function whyUnowned(member: string | undefined, members: readonly MemberRow[]): string {
  if (member === undefined) return 'No instance has taken it yet.';
  if (member === FORMER_OWNER.id)
    return 'The database was restored or has failed over: nobody takes it for about a minute.';
  const name = members.find(({ id }) => id === member)?.name ?? member;
  return `The instance ${name} had it and is silent: another one takes it when that one must have stopped.`;
}
