/** A known text, sealed and kept in the database: a program that can open it has the key that the credentials are sealed with. */
import type { Sealer } from './secrets.ts';

/** Name of the fact. */
export const KEY_PROOF = 'key-proof';

/** The sealed text that is kept in the database. */
export const proofOf = (sealer: Sealer): string => sealer.seal('', KEY_PROOF, KEY_PROOF);

/** Whether this key sealed it. */
export function proves(sealer: Sealer, proof: string): boolean {
  try {
    return sealer.open('', KEY_PROOF, proof) === KEY_PROOF;
  } catch {
    return false;
  }
}
