/** How the instances fare, for people and monitoring. It decides nothing. */
import type { InstancesKnown, MemberState } from './contract.ts';
import type { Lease } from './lease.ts';

/** Times by its monotonic clock, ms. */
export class MemberStates {
  readonly #self: string;
  #takeovers = 0;
  /** When an instance was last known to be active. */
  #activeUntil: number | undefined;
  #gap: InstancesKnown['gap'];

  constructor(self: string) {
    this.#self = self;
  }

  saw(lease: Lease): void {
    const row = lease.view.lease;
    if (!row || row.member === this.#self || row.beat === null) return;
    this.#activeUntil = lease.seenAt(row.member) ?? this.#activeUntil;
  }

  took(elapsed: number): void {
    this.#takeovers += 1;
    if (this.#activeUntil !== undefined) this.#gap = { from: this.#activeUntil, to: elapsed };
    this.#activeUntil = elapsed;
  }

  lost(elapsed: number): void {
    this.#activeUntil = elapsed;
  }

  /** `now`: both clocks of this process, ms. */
  known(lease: Lease | undefined, now: { readonly elapsed: number; readonly wall: number }): InstancesKnown {
    const wallOf = (at: number) => now.wall - (now.elapsed - at);
    const gap = this.#gap && { from: wallOf(this.#gap.from), to: wallOf(this.#gap.to) };
    return { members: lease ? this.#states(lease, wallOf) : [], takeovers: this.#takeovers, gap };
  }

  #states(lease: Lease, wallOf: (at: number) => number): MemberState[] {
    const { members, lease: row } = lease.view;
    return members.map(({ id, name, address, version, hasLeft }) => {
      const isSelf = id === this.#self;
      const isActive = isSelf ? lease.isActive : row?.member === id && row.beat !== null;
      const at = lease.seenAt(id);
      return {
        id,
        name,
        address,
        version,
        state: hasLeft ? 'left' : lease.isSilent(id) ? 'silent' : isActive ? 'active' : 'standby',
        lastSeen: at === undefined ? undefined : wallOf(at),
        isSelf,
      };
    });
  }
}
