/** The disk of an instance that waits: one without room could take over, and would record nothing. Nobody would know before. */
import { statfs } from 'node:fs/promises';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings/index.ts';

const MB = 1_000_000;
/** A disk with less takes nothing, whatever the settings leave free. */
const LEAST_MB = 10;

/** Looked at with each beat. */
export class InstanceDisk {
  readonly #folder: string;
  readonly #leastMb: number;
  readonly #log: Log;
  #isShort = false;

  constructor({ data_dir, history_min_free_mb }: Settings, log: Log) {
    this.#folder = data_dir;
    this.#leastMb = Math.max(history_min_free_mb, LEAST_MB);
    this.#log = log;
  }

  /** Less is free than a gateway needs to record. */
  get isShort(): boolean {
    return this.#isShort;
  }

  /** Never rejects. A disk that does not say what is free is not known to be short. */
  async look(): Promise<void> {
    const free = await statfs(this.#folder).then(
      ({ bavail, bsize }) => (bavail * bsize) / MB,
      (error: unknown) => {
        this.#log.debug({ reason: messageOf(error) }, 'the disk does not say what is free');
        return Number.POSITIVE_INFINITY;
      },
    );
    const isShort = free < this.#leastMb;
    if (isShort && !this.#isShort)
      this.#log.error({ free_mb: Math.floor(free) }, 'the disk of the data folder has no room');
    else if (!isShort && this.#isShort) this.#log.info({}, 'the disk of the data folder has room again');
    this.#isShort = isShort;
  }
}
