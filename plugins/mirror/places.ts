/**
 * Only this file makes a path from a name of a card, and it uses the hash of the name. So no name on a card can lead to
 * another folder. Names that differ only in case are two files on any disk.
 */
import { createHash } from 'node:crypto';
import { mkdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JobRun } from '../../lib/built-in.ts';

export interface CopyPlace {
  readonly id: string;
  /** The beginning of the path of all its complete copies; `pathOfCopy` adds the rest. */
  readonly whole: string;
  readonly half: string;
}

export interface Copy {
  readonly unitId: string;
  readonly card: number;
  readonly path: string;
  /** The end of the file name after the id: empty in folders from before versions were kept. */
  readonly stored: string;
}

/** The end of the name of a copy with these bytes. Two versions of a file are two files on the disk. */
export const storedAs = (sha256: string): string => `.${sha256}`;

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

export const makeRoom = async ({ whole }: CopyPlace): Promise<void> =>
  void (await mkdir(dirname(whole), { recursive: true, mode: 0o700 }));

const MB = 1_000_000;
const GB = 1_000 * MB;
const ASK_EVERY = 4 * MB;

/**
 * A limit for the bytes of a day, or for the copies on this disk: the mirror goes on later. One sentence for people.
 */
export class LimitReached extends Error {}

interface LimitParts {
  readonly folder: string;
  /** For a local day, bytes; 0: no limit. */
  readonly maxMbPerDay: number;
  readonly maxGb: number;
  readonly minFreeMb: number;
  /** Bytes fetched today, and bytes of all copies, so far. */
  readonly today: number;
  readonly kept: number;
}

export class Limits {
  readonly #parts: LimitParts;
  #fetched = 0;
  /** Free bytes of the disk at the last check, and the bytes fetched until then. */
  #disk: { readonly free: number; readonly fetched: number } | undefined;

  constructor(parts: LimitParts) {
    this.#parts = parts;
  }

  get fetched(): number {
    return this.#fetched;
  }

  /** Throws LimitReached when the limit of the day is reached. */
  take(bytes: number): void {
    const { maxMbPerDay, today } = this.#parts;
    this.#fetched += bytes;
    if (maxMbPerDay > 0 && today + this.#fetched > maxMbPerDay * MB)
      throw new LimitReached(`The ${maxMbPerDay} MB of today are fetched; the rest follows tomorrow.`);
  }

  /** Throws LimitReached if there is no space for this many more bytes. */
  async room(bytes: number): Promise<void> {
    const { maxGb, kept, folder, minFreeMb } = this.#parts;
    if (kept + this.#fetched + bytes > maxGb * GB)
      throw new LimitReached(`The copies would be larger than the ${maxGb} GB of max_gb; raise this limit.`);
    if ((await this.#free(folder)) - bytes < minFreeMb * MB)
      throw new LimitReached(`Less than ${minFreeMb} MB would be free on the disk of the gateway.`);
  }

  /** The disk is checked again after some megabytes: a check costs as much as a small file. */
  async #free(folder: string): Promise<number> {
    if (this.#disk === undefined || this.#fetched - this.#disk.fetched > ASK_EVERY) {
      const { bavail, bsize } = await statfs(folder);
      this.#disk = { free: bavail * bsize, fetched: this.#fetched };
    }
    return this.#disk.free - (this.#fetched - this.#disk.fetched);
  }
}

/** In bytes of the card. It only grows, even if a file is begun again. */
export class Progress {
  readonly #job: Pick<JobRun, 'progress'>;
  readonly #total: number;
  #passed = 0;
  #done = 0;

  constructor(job: Pick<JobRun, 'progress'>, total: number) {
    this.#job = job;
    this.#total = total;
  }

  /** This many bytes of the present file are done. */
  within(bytes: number): void {
    this.#done = Math.min(Math.max(this.#done, this.#passed + bytes), this.#total);
    this.#job.progress(this.#done, this.#total, 'bytes');
  }

  pass(size: number): void {
    this.#passed += size;
    this.within(0);
  }

  /** Only this many bytes are left. */
  leave(bytes: number): void {
    this.#passed = Math.max(this.#passed, this.#total - bytes);
    this.within(0);
  }
}
