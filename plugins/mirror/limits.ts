/** Limits for the bytes of a day, and for the copies on this disk. Reaching a limit is not an error: the mirror goes on later. */
import { statfs } from 'node:fs/promises';

const MB = 1_000_000;
const GB = 1_000 * MB;
const ASK_EVERY = 4 * MB;

/** The reason is one sentence for people. */
export class LimitReached extends Error {}

/** The limits, and the folder whose disk counts. */
export interface LimitParts {
  readonly folder: string;
  /** For a local day, bytes; 0: no limit. */
  readonly maxMbPerDay: number;
  readonly maxGb: number;
  /** Space on the disk that stays free. */
  readonly minFreeMb: number;
  /** Bytes fetched today, and bytes of all copies, so far. */
  readonly today: number;
  readonly kept: number;
}

/** Counts what a run has fetched, bytes. */
export class Limits {
  readonly #parts: LimitParts;
  #fetched = 0;
  /** Free bytes of the disk at the last check, and the bytes fetched until then. */
  #disk: { readonly free: number; readonly fetched: number } | undefined;

  constructor(parts: LimitParts) {
    this.#parts = parts;
  }

  /** Bytes that came. */
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
