/** What an instance and its gateway know of each other. */
import type { MemberRow } from '../cluster/contract.ts';
import type { PassedOnCheck } from '../http/arrival.ts';
import type { Trouble } from '../http/health.ts';

/** What the gateway of an instance is told. */
export interface InstanceSeat {
  /** False as soon as another instance may have the meters. Asked before each connection and before bytes go out. */
  readonly mayAct: () => boolean;
  readonly passedOn: PassedOnCheck;
  readonly members: () => readonly MemberState[];
  readonly troubles: () => readonly Trouble[];
  /** Called when everything but the server is ready: the address is free after it. */
  readonly beforeListen: () => Promise<void>;
}

/** An instance, as another one sees it. */
export interface MemberState extends Pick<MemberRow, 'id' | 'name' | 'address' | 'version'> {
  /** `silent`: it does not beat any more, and is taken over soon or was. `left`: it was stopped in order. */
  readonly state: 'has the meters' | 'waits' | 'silent' | 'left';
  readonly isSelf: boolean;
}
