/** Reasons why a standby could not take over well: a full disk, or tables that a newer release has changed since the start. */
import { statfs } from 'node:fs/promises';
import { type Clock, within } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings/index.ts';
import { StoreError } from '../store/problem.ts';

const MB = 1_000_000;
/** A disk with less takes nothing, whatever the settings leave free. */
const LEAST_MB = 10;
/** From one look at the tables to the next, ms. */
const TABLES_MS = 60_000;
/** For one answer of the database, ms. */
const ANSWER_MS = 15_000;

interface FitnessParts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  /** Rejects with StoreError: why this instance could not take over the database as it is. Without it that is not looked at. */
  readonly fits?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** Looked at with each beat. */
export class InstanceFitness {
  readonly #parts: FitnessParts;
  readonly #leastMb: number;
  #isDiskShort = false;
  #isOlder = false;
  #next: number;

  constructor(parts: FitnessParts) {
    this.#parts = parts;
    this.#leastMb = Math.max(parts.settings.history_min_free_mb, LEAST_MB);
    // The tables were looked at before the start.
    this.#next = parts.clock.elapsed() + TABLES_MS;
  }

  /** Its disk has less room than a gateway needs to record. */
  get isDiskShort(): boolean {
    return this.#isDiskShort;
  }

  /** The tables are of a newer release: this instance cannot take over. */
  get isOlder(): boolean {
    return this.#isOlder;
  }

  /** Never rejects. */
  async look(): Promise<void> {
    await Promise.all([this.#lookAtDisk(), this.#lookAtTables()]);
  }

  /** If the free space of a disk is unknown, the disk does not count as full. */
  async #lookAtDisk(): Promise<void> {
    const { settings, log } = this.#parts;
    const free = await statfs(settings.data_dir).then(
      ({ bavail, bsize }) => (bavail * bsize) / MB,
      (error: unknown) => {
        log.debug({ reason: messageOf(error) }, 'the free space of the disk is unknown');
        return Number.POSITIVE_INFINITY;
      },
    );
    const isShort = free < this.#leastMb;
    if (isShort && !this.#isDiskShort)
      log.error({ free_mb: Math.floor(free) }, 'the disk of the data folder has no room');
    else if (!isShort && this.#isDiskShort) log.info({}, 'the disk of the data folder has room again');
    this.#isDiskShort = isShort;
  }

  /** Without an answer of the database, nothing changes. */
  async #lookAtTables(): Promise<void> {
    const { clock, fits, log } = this.#parts;
    if (!fits || clock.elapsed() < this.#next) return;
    this.#next = clock.elapsed() + TABLES_MS;
    const late = () => new Error('the database does not answer');
    const isOlder = await within(clock, ANSWER_MS, late, fits).then(
      () => false,
      (error: unknown) => (error instanceof StoreError && error.problem === 'newer') || this.#isOlder,
    );
    if (isOlder && !this.#isOlder)
      log.warn({}, 'the tables are of a newer release: this instance cannot take over until it is updated');
    this.#isOlder = isOlder;
  }
}
