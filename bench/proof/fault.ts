/** What a fault is, what it works on, and whom it hits. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ProofDatabase } from './database.ts';
import type { Host } from './network.ts';
import type { ProofInstance } from './programs.ts';

/** What a fault works on. */
export interface Scene {
  readonly database: ProofDatabase;
  readonly instances: readonly ProofInstance[];
  /** The instance that is the gateway now. Throws if there is none for two minutes. */
  owner(): Promise<ProofInstance>;
  /** Resolves when no meter is given from one instance to another any more, or after some time. */
  even(): Promise<void>;
}

/** The gateway, or one of the others: without shared meters the first has all of them, and the others wait. */
export type Whose = 'owner' | 'other';

/** What the two are called in the names of faults. */
export interface Roles extends Readonly<Record<Whose, string>> {
  /** Meters are shared out: the others serve some. */
  readonly isShared: boolean;
}

/** By whether meters are shared out. */
export const rolesOf = (isShared: boolean): Roles =>
  isShared
    ? { isShared, owner: 'the gateway', other: 'one that serves' }
    : { isShared, owner: 'the owner', other: 'one that waits' };

/** One fault. */
export interface Fault {
  readonly name: string;
  /** How long the meters of the instance that is hit may be without one, s: what the docs say. 0: not at all. */
  readonly within: number;
  /** So far is a wall clock off during the fault, s: levels may be found under a time that is wrong by this. */
  readonly clockOff?: number;
  /** Levels that a meter of another instance may lack, s: what the docs say. 0 without it; infinite: nothing is promised of them. */
  readonly lacks?: number;
  /** Does it, and resolves when it is healed: with the host of the instance that it hits; undefined: it hits none. */
  run(scene: Scene): Promise<Host | undefined>;
}

/** A fault with its time, ms since 1970 UTC. */
export interface Done {
  readonly fault: Fault;
  /** Whose instance was hit. */
  readonly hit: Host | undefined;
  readonly from: number;
  readonly to: number;
}

/** A gateway that dies has recorded levels that it has not copied yet: docs/postgresql.md. */
export const NOT_COPIED_S = 8;

/** Waits, s. */
export const seconds = (s: number): Promise<void> => pause(s * 1_000);

/** The gateway of now, or another instance that runs. */
export async function instanceOf({ owner, instances }: Scene, whose: Whose): Promise<ProofInstance> {
  const first = await owner();
  if (whose === 'owner') return first;
  const other = instances.find((each) => each !== first && each.isThere);
  if (!other) throw new Error('there is no other instance');
  return other;
}
