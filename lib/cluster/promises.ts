/**
 * While the store is away a member goes on if all others that could take over promise not to, for as long as it takes a silent member to be taken over. Who could
 * take over stands in the store: a member writes with each beat whom it knows. Who is not among them takes over much later, and the member ends before that.
 */
import { FORMER_OWNER } from '../domain/former-owner.ts';
import type { ClusterView } from './contract.ts';
import { clocksPart, type Instant } from './own-lease.ts';
import type { ClusterTimes } from './times.ts';

/** What a member knows of those whose promises it needs. */
export class NeededPromises {
  readonly #times: ClusterTimes;
  /** Undefined: the store may say that everybody can take over. */
  #needed: ReadonlySet<string> | undefined;
  /** When the last beat was sent that the store has answered. */
  #confirmed: Instant | undefined;

  constructor(times: ClusterTimes) {
    this.#times = times;
  }

  /** Without these nobody goes on. Undefined where promises are of no use. */
  get needed(): ReadonlySet<string> | undefined {
    return this.#confirmed && this.#needed;
  }

  /** It has joined, or lost its place: from now on everybody can take over. */
  forget(): void {
    this.#needed = undefined;
    this.#confirmed = undefined;
  }

  /** A beat leaves that names these; the store may have it although no answer comes. */
  sends(voters: readonly string[]): void {
    if (this.#needed) this.#needed = new Set([...this.#needed, ...voters]);
  }

  /** The store has it: earlier ones can change nothing any more. */
  answered(voters: readonly string[], sent: Instant): void {
    this.#needed = new Set(voters);
    this.#confirmed = sent;
  }

  /** True where one of these would not be asked: the store does not say yet that it is. */
  lacks(voters: readonly string[]): boolean {
    return voters.some((id) => !this.#needed?.has(id));
  }

  /** True if the lease may count from `asked`, when all were asked: before anybody else takes over it is at its end. */
  mayCountFrom(asked: Instant): boolean {
    if (!this.#confirmed || clocksPart(this.#confirmed, asked)) return false;
    return asked.elapsed - this.#confirmed.elapsed + this.#times.ownMs <= this.#times.promisedMs;
  }
}

/** Members that are open, without `me`. The former owner takes nothing. */
export const whoCouldTakeOver = ({ members }: ClusterView, me: string): string[] =>
  members.filter(({ open, id }) => open && id !== me && id !== FORMER_OWNER.id).map(({ id }) => id);
