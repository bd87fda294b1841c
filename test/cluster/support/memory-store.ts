/** A store of a cluster in memory, as the contract says it. The model asks it at once; the contract's tests by promises. */
import type {
  BeatRequest,
  ClusterAnswer,
  ClusterRequest,
  ClusterStore,
  ClusterView,
  DeclaredUnit,
  JoinRequest,
  MemberRow,
  OwnerRow,
  SeenMember,
  SharedFile,
  SharedFiles,
} from '../../../lib/cluster/contract.ts';
import { GATEWAY_ROLE } from '../../../lib/domain/cluster-units.ts';
import { EPOCHS_LOST, FORMER_OWNER } from '../../../lib/domain/former-owner.ts';

/** What a member of a test says of itself. */
export const aboutMember = (id: string) => ({
  name: id,
  address: `http://${id}.test:8100`,
  version: '0.0.0',
  place: id,
});

const FREE = { pinned: undefined, member: undefined, removed: false };

export class MemoryClusterStore implements ClusterStore {
  readonly #members = new Map<string, MemberRow>();
  readonly #owners: Map<string, OwnerRow>;
  readonly #removed = new Set<string>();

  readonly #always: ReadonlySet<string>;

  constructor(units: readonly (DeclaredUnit & Partial<OwnerRow>)[]) {
    this.#owners = new Map(units.map((row) => [row.unit, { ...FREE, ...row }]));
    this.#always = new Set(this.#owners.keys());
  }

  async ask(request: ClusterRequest, signal: AbortSignal): Promise<ClusterAnswer> {
    signal.throwIfAborted();
    return this.done(request);
  }

  done(request: ClusterRequest): ClusterAnswer {
    return request.kind === 'join' ? this.#join(request) : this.#beat(request);
  }

  async remove(seen: SeenMember, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    return this.removed(seen);
  }

  removed({ id, epoch, beat }: SeenMember): boolean {
    const row = this.#members.get(id);
    if (row?.epoch !== epoch || row.beat !== beat) return false;
    if ([...this.#owners.values()].some(({ member }) => member === id)) return false;
    this.#close(row);
    this.#removed.add(id);
    return true;
  }

  get members(): readonly MemberRow[] {
    return [...this.#members.values()].filter(({ id }) => !this.#removed.has(id));
  }

  get owners(): readonly OwnerRow[] {
    return [...this.#owners.values()];
  }

  isOwner(member: string, epoch: number, unit: string): boolean {
    const row = this.#members.get(member);
    // What has no row is the gateway's.
    const owner = this.#owners.get(unit) ?? this.#owners.get(GATEWAY_ROLE);
    return row?.open === true && row.epoch === epoch && owner?.member === member;
  }

  #join({ kind: _, member, ...about }: JoinRequest): ClusterView {
    const epoch = (this.#members.get(member)?.epoch ?? 0) + 1;
    this.#removed.delete(member);
    this.#members.set(member, { id: member, epoch, beat: 0, open: true, leaving: false, voters: undefined, ...about });
    return this.#view();
  }

  #beat({ member, epoch, beat, answered, release, close, claim, voters, units, state }: BeatRequest): ClusterAnswer {
    const row = this.#members.get(member);
    if (!row || row.epoch < epoch || (row.epoch === epoch && row.beat < answered)) return this.#beginAnew();
    if (!row?.open || row.epoch !== epoch || beat <= row.beat) return 'refused';
    const present = { ...row, beat, voters, leaving: state !== 'staying' };
    this.#members.set(member, present);
    for (const unit of release) if (this.#owners.get(unit)?.member === member) this.#give(unit, undefined);
    for (const seen of close) {
      const other = this.#members.get(seen.id);
      if (other?.open && other.epoch === seen.epoch && other.beat === seen.beat) this.#close(other);
    }
    if (state === 'gone') this.#close(present);
    if (units && this.#owners.get(GATEWAY_ROLE)?.member === member) this.#declare(units);
    for (const row of [...this.#owners.values()]) if (row.removed && !row.member) this.#owners.delete(row.unit);
    if (state !== 'gone')
      for (const unit of claim) if (this.#owners.has(unit) && !this.#owners.get(unit)?.member) this.#give(unit, member);
    return this.#view();
  }

  #declare(units: readonly DeclaredUnit[]): void {
    const named = new Map(units.map((one) => [one.unit, one]));
    for (const row of [...this.#owners.values(), ...units.map((one) => ({ ...FREE, ...one }))]) {
      if (this.#always.has(row.unit)) continue;
      const { site } = named.get(row.unit) ?? row;
      this.#owners.set(row.unit, { ...row, ...this.#owners.get(row.unit), site, removed: !named.has(row.unit) });
    }
  }

  #beginAnew(): 'refused' {
    for (const row of this.#members.values())
      this.#members.set(row.id, { ...row, open: false, epoch: row.epoch + EPOCHS_LOST });
    const { id, name } = FORMER_OWNER;
    const epoch = this.#members.get(id)?.epoch ?? 1;
    const row = { ...aboutMember(id), name, address: '', sites: [], voters: undefined };
    this.#members.set(id, { id, epoch, beat: 0, open: true, leaving: true, ...row });
    for (const unit of this.#owners.keys()) this.#give(unit, id);
    return 'refused';
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
    return { members: this.members, owners: [...this.#owners.values()] };
  }
}

/** Small files in memory. */
export class MemoryFiles implements SharedFiles {
  readonly #kept = new Map<string, SharedFile>();

  versions = async () => new Map([...this.#kept.values()].map(({ name, version }) => [name, version]));
  read = async (name: string) => this.#kept.get(name);

  async write(file: SharedFile): Promise<boolean> {
    if ((this.#kept.get(file.name)?.version ?? 0) >= file.version) return false;
    this.#kept.set(file.name, file);
    return true;
  }
}
