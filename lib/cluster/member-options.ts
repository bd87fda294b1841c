/** What a member of a cluster is made of: what it says of itself, and what it asks its instance. */
import type { AboutMember } from './contract.ts';
import type { WeightOf } from './member-loads.ts';
import type { ClusterTimes } from './times.ts';

/** Of an instance. */
export interface MemberOptions {
  readonly id: string;
  readonly about: AboutMember;
  readonly sites: readonly string[];
  readonly times: ClusterTimes;
  /** Units that a member gives to others at a time and between two beats, at most. */
  readonly movesPerBeat: number;
  /** How much of the share of a member a unit is; 1 without it. */
  readonly weightOf?: WeightOf;
  /** True while a session of the unit is open or a command runs on it: it is not given away then. */
  readonly isBusy: (unit: string) => boolean;
  /** False while this member could not be the gateway: it does not claim that role. Default: it could. */
  readonly canBeGateway?: () => boolean;
  /** False while the gateway does not reach this member: it is given no units. Asked for each beat. Default: it does. */
  readonly isLinked?: () => boolean;
  /** True for a unit that does not move to another member now, whatever the shares are: something of it is kept here for the next gateway. Default: none. */
  readonly stays?: (unit: string) => boolean;
  /** False while no unit begins to move; those that move go on, because their sessions are ending. Default: they may. */
  readonly mayMove?: () => boolean;
  /**
   * Called with all units that are to be given away when these have become others, also when none is left: end their sessions, begin none, and call `hurry` when one has ended. One that is
   * not among them any more and still owned stays here. It is called within `due`, `answered` and `drain`.
   */
  readonly onUnwanted?: (units: readonly string[]) => void;
}
