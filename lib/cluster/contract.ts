/** The gateways on one database, and the lease that decides which of them is active (docs/adr/0052). */
import type { InstanceState } from '../domain/ids.ts';

/** An instance writes this about itself. */
export interface AboutMember {
  /** For people. */
  readonly name: string;
  /** `http://HOST:PORT`, where clients reach it. */
  readonly address: string;
  /** Version of the gateway. */
  readonly version: string;
  /** Computer and data folder: a copy of the folder elsewhere would have the same id. */
  readonly place: string;
}

/** An instance, as the database has it. */
export interface MemberRow extends AboutMember {
  /** Made once, in the data folder of the instance. */
  readonly id: string;
  /** Counts on while the instance runs. */
  readonly beat: number;
  /** It was stopped regularly. */
  readonly hasLeft: boolean;
}

/** The lease: the only row of `store_owner`. */
export interface LeaseRow {
  /** Id of the instance that is or was active. */
  readonly member: string;
  readonly name: string;
  /** Raised by each takeover. It is the fence: a transaction under another number is refused. */
  readonly incarnation: number;
  /** Counts on while its holder is active. Null: the holder has stopped regularly. */
  readonly beat: number | null;
  /** The holder saw no other member: it continues without the database, and nobody may take over. */
  readonly alone: boolean;
  /**
   * The timeline of the server at the last beat: a failover may have lost later changes. Null: the server does not show
   * it.
   */
  readonly timeline: string | null;
}

/** All rows at one moment. */
export interface LeaseView {
  /** Undefined: no gateway was ever active on this database. */
  readonly lease: LeaseRow | undefined;
  readonly members: readonly MemberRow[];
  /** Timeline of the server now; null: the server does not show it. */
  readonly timeline: string | null;
  /** The wall clock of the server, ms since 1970 UTC. It decides nothing. */
  readonly time: number;
}

/** A beat of the holder. */
interface HolderBeat {
  readonly incarnation: number;
  /** Greater than before. */
  readonly beat: number;
  /** The last of its beats that was answered. A database that knows a lower one has gone back in time: the beat is refused. */
  readonly answered: number;
  readonly alone: boolean;
}

/** A sign of life of one instance, with at most one of the three other fields. */
export interface LeaseRequest {
  readonly member: string;
  readonly about: AboutMember;
  readonly beat?: HolderBeat;
  /** Takes the lease if its row still has these values; with `seen` undefined: if the row does not exist. */
  readonly take?: { readonly seen: LeaseRow | undefined };
  /** The instance stops. It gives back the lease of this incarnation, if it has one. */
  readonly leave?: { readonly incarnation: number | undefined };
}

/** The view after the request, and whether a `beat` or a `take` was done. */
export interface LeaseAnswer extends LeaseView {
  readonly isDone: boolean;
}

/** The rows. Each call is one transaction. */
export interface LeaseStore {
  /** Rejects if the database does not answer or the signal aborts: the outcome of the request is then unknown. */
  ask(request: LeaseRequest, signal: AbortSignal): Promise<LeaseAnswer>;
  /** All rows, without a sign of life. Rejects as `ask`. */
  look(signal: AbortSignal): Promise<LeaseView>;
  /** Removes a member whose beat is unchanged. False: it has given a sign of life since. Rejects as `ask`. */
  remove(member: Pick<MemberRow, 'id' | 'beat'>, signal: AbortSignal): Promise<boolean>;
  /** Calls when the lease was given back. A hint that may be missing. */
  onChange(listener: () => void): void;
  /** Ends the connection. */
  close(): Promise<void>;
}

/** An instance, as another one sees it. */
export interface MemberState extends Pick<MemberRow, 'id' | 'name' | 'address' | 'version'> {
  readonly state: InstanceState;
  /** Time of its last sign of life, ms since 1970 UTC; undefined: none since this process began. */
  readonly lastSeen: number | undefined;
  readonly isSelf: boolean;
}

/** All instances, for pages, rules and metrics. */
export interface InstancesKnown {
  /** None where the gateway is alone in its data folder. */
  readonly members: readonly MemberState[];
  /** How often this process became active since it began. */
  readonly takeovers: number;
  /** The last time in which no instance was active, as far as this process knows; ms since 1970 UTC. */
  readonly gap: { readonly from: number; readonly to: number } | undefined;
}
