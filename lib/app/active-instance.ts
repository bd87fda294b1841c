/** The link between an instance, one of several on a database, and its gateway. */
import type { InstancesKnown } from '../cluster/contract.ts';
import type { Trouble } from '../http/health.ts';
import type { Ownership } from '../store/postgres/medium.ts';

/** The gateway sees its instance, and the others, through this. */
export interface ActiveInstance {
  /** The fence of the store. */
  readonly ownership: Ownership;
  /** False as soon as another instance may have the meters. Asked before each connection, and before bytes go out. */
  readonly mayAct: () => boolean;
  readonly known: () => InstancesKnown;
  /** Removes a member that is silent or has left. False: it has given a sign of life since. Errors: STORAGE_FAILED. */
  readonly remove: (id: string) => Promise<boolean>;
  readonly troubles: () => readonly Trouble[];
  /** Called when everything but the server is ready: the address is free after it. */
  readonly beforeListen: () => Promise<void>;
}

/** For a gateway in its own data folder: there are no instances. */
export const noInstances: Pick<ActiveInstance, 'known' | 'remove'> = Object.freeze({
  known: () => ({ members: [], takeovers: 0, gap: undefined }),
  remove: async () => false,
});
