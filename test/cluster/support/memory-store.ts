/** The lease of instances in memory, as PostgreSQL has them. */
import type {
  LeaseAnswer,
  LeaseRequest,
  LeaseRow,
  LeaseStore,
  LeaseView,
  MemberRow,
} from '../../../lib/cluster/contract.ts';

export const aboutMember = (name: string) => ({ name, address: `http://192.0.2.1/${name}`, version: '1', place: name });

/** The content of one database. */
export class MemoryLease {
  lease: LeaseRow | undefined;
  members = new Map<string, MemberRow>();
  timeline: string | null = '00000001';
  readonly listeners = new Set<() => void>();

  ask({ member, about, beat, take, leave }: LeaseRequest, time: number): LeaseAnswer {
    const { lease, timeline } = this;
    const own = (incarnation: number | undefined) => lease?.member === member && lease.incarnation === incarnation;
    let isDone = false;
    if (beat && lease && own(beat.incarnation) && lease.beat !== null) {
      isDone = lease.beat >= beat.answered && lease.beat < beat.beat;
      if (isDone) this.lease = { ...lease, beat: beat.beat, alone: beat.alone, timeline };
    }
    if (take && JSON.stringify(take.seen) === JSON.stringify(lease)) {
      isDone = true;
      const incarnation = (lease?.incarnation ?? 0) + 1;
      this.lease = { member, name: about.name, incarnation, beat: 0, alone: false, timeline };
    }
    if (leave && lease && own(leave.incarnation)) {
      this.lease = { ...lease, beat: null, alone: false };
      for (const tell of this.listeners) queueMicrotask(tell);
    }
    const known = this.members.get(member)?.beat ?? 0;
    this.members.set(member, { id: member, ...about, beat: known + 1, hasLeft: leave !== undefined });
    return { ...this.view(time), isDone };
  }

  view(time: number): LeaseView {
    return { lease: this.lease, members: [...this.members.values()], timeline: this.timeline, time };
  }
}

/** The store of one instance; `faults` makes it fail. */
export class MemoryLeaseStore implements LeaseStore {
  readonly #lease: MemoryLease;
  readonly #now: () => number;
  /** The database is away for this instance, or only its answers are. */
  isAway = false;
  losesAnswers = false;

  constructor(lease: MemoryLease, now: () => number) {
    this.#lease = lease;
    this.#now = now;
  }

  async ask(request: LeaseRequest): Promise<LeaseAnswer> {
    if (this.isAway) throw new Error('the database is away');
    const answer = this.#lease.ask(request, this.#now());
    if (this.losesAnswers) throw new Error('the connection was lost');
    return answer;
  }

  async look(): Promise<LeaseView> {
    if (this.isAway) throw new Error('the database is away');
    return this.#lease.view(this.#now());
  }

  async remove({ id, beat }: Pick<MemberRow, 'id' | 'beat'>): Promise<boolean> {
    if (this.isAway) throw new Error('the database is away');
    return this.#lease.members.get(id)?.beat === beat && this.#lease.members.delete(id);
  }

  onChange(listener: () => void): void {
    this.#lease.listeners.add(listener);
  }

  async close(): Promise<void> {}
}
