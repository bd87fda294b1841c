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
import { isOtherTimeline } from '../../../lib/domain/timeline.ts';

/** What a member of a test says of itself. */
export const aboutMember = (id: string) => ({
  name: id,
  address: `http://${id}.test:8100`,
  version: '0.0.0',
  place: id,
});

/** All that such a store has, at one moment. */
export interface StoreState {
  readonly members: ReadonlyMap<string, MemberRow>;
  readonly owners: ReadonlyMap<string, OwnerRow>;
  readonly removed: ReadonlySet<string>;
  /** That was seen last. */
  readonly timeline: number;
}

const FREE = { pinned: undefined, member: undefined, removed: false };

export class MemoryClusterStore implements ClusterStore {
  #members = new Map<string, MemberRow>();
  #owners: Map<string, OwnerRow>;
  #removed = new Set<string>();
  readonly #always: ReadonlySet<string>;
  /** Of the server, and as it was seen last. */
  #timeline = 1;
  #seen = 1;

  constructor(units: readonly (DeclaredUnit & Partial<OwnerRow>)[]) {
    this.#owners = new Map(units.map((row) => [row.unit, { ...FREE, ...row }]));
    this.#always = new Set(this.#owners.keys());
  }

  async ask(request: ClusterRequest, signal: AbortSignal): Promise<ClusterAnswer> {
    signal.throwIfAborted();
    return this.done(request);
  }

  /** The answer to a request that was done as `done` says, where others have changed something since. Undefined where another server is the database now. */
  answerLater(request: ClusterRequest, done: ClusterAnswer): ClusterAnswer | undefined {
    if (done === 'refused') return done;
    if (done.timeline !== String(this.#timeline)) return undefined;
    const before = done.members.find(({ id }) => id === request.member);
    const now = this.#members.get(request.member);
    const isGone = request.kind === 'beat' && request.state === 'gone';
    return isGone || (now?.open && now.epoch === before?.epoch) ? this.#view() : 'refused';
  }

  /** As it is now. Rows are never changed, only replaced. */
  get state(): StoreState {
    return {
      members: new Map(this.#members),
      owners: new Map(this.#owners),
      removed: new Set(this.#removed),
      timeline: this.#seen,
    };
  }

  /** Another server becomes the database; it has what was there at that moment. */
  failOver(to: StoreState = this.state): void {
    this.#members = new Map(to.members);
    this.#owners = new Map(to.owners);
    this.#removed = new Set(to.removed);
    this.#seen = to.timeline;
    this.#timeline += 1;
  }

  done(request: ClusterRequest): ClusterAnswer {
    if (this.#seen !== this.#timeline) this.#keepForFormerOwner();
    this.#seen = this.#timeline;
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
    const before = this.#members.get(member);
    const epoch = (before?.epoch ?? 0) + 1;
    // This may be an older joining that comes late, and the member goes on by promises of those that it knew.
    const voters = before?.open ? before.voters : undefined;
    this.#removed.delete(member);
    const begun = { epoch, beat: 0, open: true, leaving: false, linked: false };
    this.#members.set(member, { id: member, ...begun, voters, ...about });
    if (this.#formerOwner) this.#free(member, FORMER_OWNER.id);
    return this.#view();
  }

  #beat(request: BeatRequest): ClusterAnswer {
    const { member, epoch, beat, answered, release, close, claim, voters, linked, units, state } = request;
    const row = this.#members.get(member);
    if (!row || row.epoch < epoch || (row.epoch === epoch && row.beat < answered)) return this.#beginAnew();
    if (!row?.open || row.epoch !== epoch || beat <= row.beat) return 'refused';
    const isOld = isOtherTimeline(request.timeline, String(this.#timeline));
    if (isOld && !this.#formerOwner) return 'refused';
    const present = { ...row, beat, voters, linked, leaving: state !== 'staying' };
    this.#members.set(member, present);
    // Another one may have it by a change that was lost.
    const next = isOld ? this.#formerOwner : undefined;
    for (const unit of release) if (this.#owners.get(unit)?.member === member) this.#give(unit, next);
    for (const seen of isOld ? [] : close) {
      const other = this.#members.get(seen.id);
      if (other?.open && other.epoch === seen.epoch && other.beat === seen.beat) this.#close(other);
    }
    if (state === 'gone') this.#close(present, next);
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
    const voters = this.#formerOwner === undefined ? undefined : this.#members.get(FORMER_OWNER.id)?.voters;
    for (const row of this.#members.values())
      this.#members.set(row.id, { ...row, open: false, epoch: row.epoch + EPOCHS_LOST });
    for (const unit of this.#owners.keys()) this.#give(unit, FORMER_OWNER.id);
    this.#openFormerOwner(voters);
    return 'refused';
  }

  /** Whoever has units by changes that are lost may act at them until its lease is over. */
  #keepForFormerOwner(): void {
    const listed = this.members.filter(({ id }) => id !== FORMER_OWNER.id);
    const open = listed.filter((row) => row.open);
    // Nobody goes on without the database before these have promised not to take its units.
    const asked = listed.filter(({ id }) => open.every((one) => one.id === id || (one.voters?.includes(id) ?? true)));
    this.#free(undefined, FORMER_OWNER.id);
    this.#openFormerOwner(open.length === 0 ? undefined : asked.map(({ id }) => id));
  }

  #openFormerOwner(voters: readonly string[] | undefined): void {
    const { id, name } = FORMER_OWNER;
    const epoch = (this.#members.get(id)?.epoch ?? 0) + 1;
    const row = { ...aboutMember(id), name, address: '', sites: [], voters };
    this.#members.set(id, { id, epoch, beat: 0, open: true, leaving: true, linked: false, ...row });
  }

  /** Undefined where it is not open. */
  get #formerOwner(): string | undefined {
    return this.#members.get(FORMER_OWNER.id)?.open ? FORMER_OWNER.id : undefined;
  }

  #close(row: MemberRow, next?: string): void {
    this.#members.set(row.id, { ...row, open: false });
    this.#free(row.id, next);
  }

  /** What is one's is the other's, or nobody's. */
  #free(from: string | undefined, next: string | undefined): void {
    for (const { unit, member } of this.#owners.values()) if (member === from) this.#give(unit, next);
  }

  #give(unit: string, member: string | undefined): void {
    const row = this.#owners.get(unit);
    if (row) this.#owners.set(unit, { ...row, member });
    const former = this.#members.get(FORMER_OWNER.id);
    // All begin to wait anew: a request that comes late is not the end of a lease.
    if (former && member === former.id) this.#members.set(former.id, { ...former, beat: former.beat + 1 });
  }

  #view(): ClusterView {
    return { members: this.members, owners: [...this.#owners.values()], timeline: String(this.#timeline) };
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
