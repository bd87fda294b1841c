/** How much may be fetched in a day, and kept on this disk. Reaching a limit is no fault: the mirror goes on another day. */
import { statfs } from 'node:fs/promises';

const MB = 1_000_000;
const GB = 1_000 * MB;

/** The reason is one sentence for people. */
export class LimitReached extends Error {}

export interface LimitParts {
  readonly folder: string;
  /** Of the local day, bytes; 0: no limit. */
  readonly maxMbPerDay: number;
  readonly maxGb: number;
  /** Left on the disk for everything else. */
  readonly minFreeMb: number;
  /** Bytes that were fetched today, and that are kept, so far. */
  readonly today: number;
  readonly kept: number;
}

export class Limits {
  readonly #parts: LimitParts;
  #fetched = 0;

  constructor(parts: LimitParts) {
    this.#parts = parts;
  }

  /** Bytes that came. */
  get fetched(): number {
    return this.#fetched;
  }

  /** Throws LimitReached once the day has had its bytes. */
  take(bytes: number): void {
    const { maxMbPerDay, today } = this.#parts;
    this.#fetched += bytes;
    if (maxMbPerDay > 0 && today + this.#fetched > maxMbPerDay * MB)
      throw new LimitReached(`The ${maxMbPerDay} MB of today are fetched; the rest comes tomorrow.`);
  }

  /** Throws LimitReached where so many bytes more have no room. */
  async room(bytes: number): Promise<void> {
    const { maxGb, kept, folder, minFreeMb } = this.#parts;
    if (kept + this.#fetched + bytes > maxGb * GB)
      throw new LimitReached(`More than the ${maxGb} GB of max_gb would be kept; raise it or make room.`);
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize - bytes < minFreeMb * MB)
      throw new LimitReached(`Less than ${minFreeMb} MB would be free on the disk of the gateway.`);
  }
}
