/** What a fault is, and what it works on. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ProofDatabase } from './database.ts';
import type { ProofInstance } from './programs.ts';

/** What a fault works on. */
export interface Scene {
  readonly database: ProofDatabase;
  readonly instances: readonly ProofInstance[];
  /** The instance that has the meters now. Throws if there is none for two minutes. */
  owner(): Promise<ProofInstance>;
}

/** One fault. */
export interface Fault {
  readonly name: string;
  /** How long the meters may be without a gateway, s: what the docs say. 0: not at all. */
  readonly within: number;
  /** So far is a wall clock off during the fault, s: levels may be found under a time that is wrong by this. */
  readonly clockOff?: number;
  /** Does it, and resolves when it is healed. */
  run(scene: Scene): Promise<void>;
}

/** A fault with its time, ms since 1970 UTC. */
export interface Done {
  readonly fault: Fault;
  readonly from: number;
  readonly to: number;
}

/** Waits, s. */
export const seconds = (s: number): Promise<void> => pause(s * 1_000);

/** An instance that waits now. */
export async function waiting({ owner, instances }: Scene): Promise<ProofInstance> {
  const first = await owner();
  const other = instances.find((each) => each !== first && each.isThere);
  if (!other) throw new Error('no instance waits');
  return other;
}
