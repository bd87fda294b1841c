/** A store of a cluster in memory, as the contract says it. The model asks it at once; the contract's tests by promises. */
import type {
  BeatRequest,
  ClusterAnswer,
  ClusterRequest,
  ClusterStore,
  ClusterView,
  JoinRequest,
  MemberRow,
  OwnerRow,
} from '../../../lib/cluster/contract.ts';

export class MemoryClusterStore implements ClusterStore {
  readonly #members = new Map<string, MemberRow>();
  readonly #owners: Map<string, OwnerRow>;

  constructor(units: readonly Omit<OwnerRow, 'member'>[]) {
    this.#owners = new Map(units.map((row) => [row.unit, { ...row, member: undefined }]));
  }

  async ask(request: ClusterRequest, signal: AbortSignal): Promise<ClusterAnswer> {
    signal.throwIfAborted();
    return this.done(request);
  }

  async asOwner(member: string, epoch: number, unit: string, work: () => Promise<void>): Promise<boolean> {
    if (!this.isOwner(member, epoch, unit)) return false;
    await work();
    return true;
  }

  done(request: ClusterRequest): ClusterAnswer {
    return request.kind === 'join' ? this.#join(request) : this.#beat(request);
  }

  isOwner(member: string, epoch: number, unit: string): boolean {
    const row = this.#members.get(member);
    return row?.open === true && row.epoch === epoch && this.#owners.get(unit)?.member === member;
  }

  #join({ member, sites }: JoinRequest): ClusterView {
    const epoch = (this.#members.get(member)?.epoch ?? 0) + 1;
    this.#members.set(member, { id: member, epoch, beat: 0, open: true, leaving: false, sites });
    return this.#view();
  }

  #beat({ member, epoch, beat, release, close, claim, state }: BeatRequest): ClusterAnswer {
    const row = this.#members.get(member);
    if (!row?.open || row.epoch !== epoch || beat <= row.beat) return 'refused';
    this.#members.set(member, { ...row, beat, leaving: state !== 'staying' });
    for (const unit of release) if (this.#owners.get(unit)?.member === member) this.#give(unit, undefined);
    for (const seen of close) {
      const other = this.#members.get(seen.id);
      if (other?.open && other.epoch === seen.epoch && other.beat === seen.beat) this.#close(other);
    }
    for (const unit of claim) if (this.#owners.has(unit) && !this.#owners.get(unit)?.member) this.#give(unit, member);
    if (state === 'gone') this.#close({ ...row, beat });
    return this.#view();
  }

  #close(row: MemberRow): void {
    this.#members.set(row.id, { ...row, open: false });
    for (const { unit, member } of this.#owners.values()) if (member === row.id) this.#give(unit, undefined);
  }

  #give(unit: string, member: string | undefined): void {
    const row = this.#owners.get(unit);
    if (row) this.#owners.set(unit, { ...row, member });
  }

  #view(): ClusterView {
    return { members: [...this.#members.values()], owners: [...this.#owners.values()] };
  }
}
