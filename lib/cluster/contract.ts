/** What instances keep together in one store (docs/adr/0052): members, owners, and the fence that refuses late writers. */

/** An instance, as the store knows it. */
export interface MemberRow {
  /** Made once, in the data folder of the instance. */
  readonly id: string;
  /** Raised each time the instance joins. With `open` it is the fence: who writes under another one is refused. */
  readonly epoch: number;
  /** The number of its last beat in this epoch. */
  readonly beat: number;
  /** False once it has left or was taken over. */
  readonly open: boolean;
  /** It gives its units away and wants no new ones. */
  readonly leaving: boolean;
  /** The networks that it reaches. */
  readonly sites: readonly string[];
}

/** A unit, and whose it is. */
export interface OwnerRow {
  readonly unit: string;
  /** The network of its meter. */
  readonly site: string;
  /** The member that a person wants for it: it is served there whenever that member can. */
  readonly pinned: string | undefined;
  /** Undefined: nobody's. */
  readonly member: string | undefined;
}

/** Members and owners at one moment. */
export interface ClusterView {
  readonly members: readonly MemberRow[];
  readonly owners: readonly OwnerRow[];
}

/** A member as another one last saw it; it is taken over only while it is still so. */
export interface SeenMember {
  readonly id: string;
  readonly epoch: number;
  readonly beat: number;
}

/** An instance comes, or comes back. Older requests of it are refused from then on. It keeps its units if it was not taken over. */
export interface JoinRequest {
  readonly kind: 'join';
  readonly member: string;
  readonly sites: readonly string[];
}

/** A sign of life with all that the member wants to change: releases first, then takeovers, then claims. */
export interface BeatRequest {
  readonly kind: 'beat';
  readonly member: string;
  readonly epoch: number;
  /** Greater than that of any beat it sent before in this epoch: a late beat changes nothing. */
  readonly beat: number;
  readonly release: readonly string[];
  /** Members that were silent; of each the fence is closed and the units are nobody's. */
  readonly close: readonly SeenMember[];
  /** Units that it wants; it gets those that are nobody's. */
  readonly claim: readonly string[];
  /** `leaving`: wants no units. `gone`: gives all units away and closes its own fence. */
  readonly state: 'staying' | 'leaving' | 'gone';
}

/** What a member asks of the store. */
export type ClusterRequest = JoinRequest | BeatRequest;

/** The state after the request, or `refused`: the fence is closed, the epoch is another, or a later beat was there before. */
export type ClusterAnswer = ClusterView | 'refused';

/** The store of a cluster. Each call is one transaction, one after another for the rows it touches; the store reads no clock. */
export interface ClusterStore {
  /** Rejects if the store is away or the signal aborts; whether the request was done is unknown then. */
  ask(request: ClusterRequest, signal: AbortSignal): Promise<ClusterAnswer>;
  /**
   * Does `work` in a transaction in which `member` owns `unit` under `epoch` to the end: who takes over waits for it.
   * False, and nothing done, if it does not.
   */
  asOwner(member: string, epoch: number, unit: string, work: () => Promise<void>): Promise<boolean>;
}
