/** What instances keep together in one store (docs/adr/0052): members, owners, and the fence that refuses late writers. */
import type { InstanceState } from '../domain/instance-states.ts';

/** What an instance says of itself. */
export interface AboutMember {
  /** What people call it. */
  readonly name: string;
  /** `http://HOST:PORT`, where the other instances reach it. */
  readonly address: string;
  /** Of the gateway. */
  readonly version: string;
  /** Computer and data folder: a copy of the folder elsewhere would have the same id. */
  readonly place: string;
}

/** An instance, as the store knows it. */
export interface MemberRow extends AboutMember {
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
  /** The gateway reaches it, or it is the gateway: it may be given units. What it has it keeps also without. */
  readonly linked: boolean;
  /** Members that it asks for promises while the store is away: these may take it over soonest. Undefined: it asks nobody yet, so everybody may. */
  readonly voters: readonly string[] | undefined;
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
  /** The gateway does not name it any more: its owner gives it away, nobody else gets it, and then there is no such row. */
  readonly removed: boolean;
}

/** A unit as the gateway names it. */
export type DeclaredUnit = Pick<OwnerRow, 'unit' | 'site'>;

/** Members and owners at one moment. */
export interface ClusterView {
  readonly members: readonly MemberRow[];
  readonly owners: readonly OwnerRow[];
  /** The wall clock of the store as it answered, ms since 1970 UTC; undefined: it has none. To be told, never to decide by. */
  readonly time?: number | undefined;
  /** Of the database (docs/adr/0058): another one after each failover. Undefined: it does not tell. */
  readonly timeline?: string | undefined;
}

/** A member as another one last saw it; it is taken over only while it is still so. */
export interface SeenMember {
  readonly id: string;
  readonly epoch: number;
  readonly beat: number;
}

/** An instance comes, or comes back, and is not linked yet. Older requests of it are refused from then on. It keeps its units and voters if it was not taken over; its units are the former owner's if there was a failover lately. */
export interface JoinRequest extends AboutMember {
  readonly kind: 'join';
  readonly member: string;
  readonly sites: readonly string[];
}

/** A sign of life with all that the member wants to change: releases first, then takeovers, then the units that there are, then claims. */
export interface BeatRequest {
  readonly kind: 'beat';
  readonly member: string;
  readonly epoch: number;
  /** Greater than that of any beat it sent before in this epoch: a late beat changes nothing. */
  readonly beat: number;
  /** The last of its beats in this epoch that was answered; 0: none. A store that knows less of it has gone back in time. */
  readonly answered: number;
  /** As the last answer said. Where the database has another one now, nobody is closed, and what the member gives away is the former owner's first. */
  readonly timeline?: string | undefined;
  readonly release: readonly string[];
  /** Members that were silent; of each the fence is closed and the units are nobody's. */
  readonly close: readonly SeenMember[];
  /**
   * All units that there are, beside the rows that the store was made with. Counts only while the member owns `GATEWAY_ROLE`: what is missing is made, and is nobody's;
   * what is not named is removed, at once where it is nobody's, else as soon as its owner has given it away. So it never has a new owner while an old one may act.
   */
  readonly units?: readonly DeclaredUnit[];
  /** Units that it wants; it gets those that are nobody's. */
  readonly claim: readonly string[];
  /** Members that it knows. */
  readonly voters: readonly string[];
  /** See `MemberRow`. */
  readonly linked: boolean;
  /** `leaving`: wants no units. `gone`: gives all units away and closes its own fence. */
  readonly state: 'staying' | 'leaving' | 'gone';
}

/** What a member asks of the store. */
export type ClusterRequest = JoinRequest | BeatRequest;

/**
 * The state after the request, which later requests of others may have changed already; or `refused`: the fence is closed, the epoch is another, a later beat was there before, or the store has
 * gone back in time. Then it closes all fences, and the units are those of the former owner (`lib/domain/former-owner.ts`).
 */
export type ClusterAnswer = ClusterView | 'refused';

/** A small file that all instances have. */
export interface SharedFile {
  readonly name: string;
  /** Raised by each change. */
  readonly version: number;
  readonly text: string;
}

/** Where the instances leave small files for each other. */
export interface SharedFiles {
  /** By name. */
  versions(signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
  read(name: string, signal: AbortSignal): Promise<SharedFile | undefined>;
  /** False, and nothing done, where there is one of this version or a later one. */
  write(file: SharedFile, signal: AbortSignal): Promise<boolean>;
}

/** The store of a cluster on a database that all its instances have. */
export interface SharedClusterStore extends ClusterStore, SharedFiles {
  /** All that were ever there and were not removed. */
  members(signal: AbortSignal): Promise<readonly MemberRow[]>;
  /** Random bytes that only the instances know; made by the first one. */
  secret(signal: AbortSignal): Promise<Uint8Array>;
  /** Calls when a member has left, or units have been given away or claimed, so that nobody waits for the next beat. A hint: it may be missing. */
  onChange(listener: () => void): void;
  /** Ends the connection. */
  close(): Promise<void>;
}

/** The store of a cluster. Each call is one transaction, one after another for the rows it touches; the store decides by no clock. */
export interface ClusterStore {
  /** Rejects if the store is away or the signal aborts; whether the request was done is unknown then. */
  ask(request: ClusterRequest, signal: AbortSignal): Promise<ClusterAnswer>;
  /**
   * Closes the fence of a member that owns nothing, and names it no more until it joins again, under a later epoch than all before. False, and nothing done, where it
   * owns a unit or is not as it was seen. Rejects as `ask`.
   */
  remove(seen: SeenMember, signal: AbortSignal): Promise<boolean>;
}

/** How an instance fares, as another one sees it. */
export interface MemberState extends Pick<MemberRow, 'id' | 'name' | 'address' | 'version'> {
  readonly state: InstanceState;
  /** When its last sign of life came, ms since 1970 UTC; undefined: none since this process began. */
  readonly lastSeen: number | undefined;
  /** Units whose sessions it serves; undefined: meters are not shared out. */
  readonly units: number | undefined;
  readonly isSelf: boolean;
}

/** All instances, for who shows or judges them. */
export interface InstancesKnown {
  /** None where the gateway is alone. */
  readonly members: readonly MemberState[];
  /** How often this process got meters since it began. */
  readonly takeovers: number;
  /** The last time in which no instance had the meters, as far as this process knows; ms since 1970 UTC. */
  readonly gap: { readonly from: number; readonly to: number } | undefined;
  /** Where meters are shared out: units that no instance serves now. Undefined: none. */
  readonly unowned?: readonly UnownedUnit[] | undefined;
  /** The name of the instance that serves the session of a unit. Undefined: none does now, or the gateway is alone. */
  readonly servedBy?: (unitId: string) => string | undefined;
}

/** A unit without an instance, and one sentence that says why. */
export interface UnownedUnit {
  readonly unitId: string;
  readonly why: string;
}
