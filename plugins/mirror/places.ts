/**
 * Where a file of a card is on this disk. Only this file makes a path from a name of a card, and it uses the hash of the
 * name: nothing on a card can lead anywhere else, and names that differ only in case are two files on any disk.
 */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface CopyPlace {
  readonly id: string;
  /** The last complete copy. */
  readonly whole: string;
  /** What is being fetched. */
  readonly half: string;
}

export function copyPlaceOf(root: string, unitId: string, card: number, path: string): CopyPlace {
  const id = createHash('sha256')
    .update(JSON.stringify([unitId, card, path]))
    .digest('hex')
    .slice(0, 40);
  const whole = join(root, id.slice(0, 2), id);
  return { id, whole, half: `${whole}.half` };
}

export const makeRoom = async ({ whole }: CopyPlace): Promise<void> =>
  void (await mkdir(dirname(whole), { recursive: true, mode: 0o700 }));
