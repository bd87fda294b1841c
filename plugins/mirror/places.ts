/**
 * The path of a file of a card on this disk. Only this file makes a path from a name of a card, and it uses the hash of the
 * name. So no name on a card can lead to another folder. Names that differ only in case are two files on any disk.
 */
import { createHash } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The paths of one copy. */
export interface CopyPlace {
  readonly id: string;
  /** The beginning of the path of all its complete copies; `pathOfCopy` adds the rest. */
  readonly whole: string;
  /** The partial copy during a transfer. */
  readonly half: string;
}

/** A copy, with the names of the tables. */
export interface Copy {
  readonly unitId: string;
  readonly card: number;
  readonly path: string;
  /** The end of the file name after the id: empty in folders from before versions were kept. */
  readonly stored: string;
}

/** The end of the name of a copy with these bytes. Two versions of a file are two files on the disk. */
export const storedAs = (sha256: string): string => `.${sha256}`;

/** The path of a complete copy on this disk. */
export const pathOfCopy = (root: string, { unitId, card, path, stored }: Copy): string =>
  copyPlaceOf(root, unitId, card, path).whole + stored;

/** Whether the bytes of a complete copy are on this disk: another instance may have fetched it. */
export const isHere = (root: string, copy: Copy): Promise<boolean> =>
  stat(pathOfCopy(root, copy)).then(
    () => true,
    () => false,
  );

/** `root`: the folder of the plugin; `path`: on the card. */
export function copyPlaceOf(root: string, unitId: string, card: number, path: string): CopyPlace {
  const id = createHash('sha256')
    .update(JSON.stringify([unitId, card, path]))
    .digest('hex')
    .slice(0, 40);
  const whole = join(root, id.slice(0, 2), id);
  return { id, whole, half: `${whole}.half` };
}

/** Makes the folder of a copy (mode 0700). */
export const makeRoom = async ({ whole }: CopyPlace): Promise<void> =>
  void (await mkdir(dirname(whole), { recursive: true, mode: 0o700 }));
