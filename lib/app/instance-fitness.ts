/** What would keep an instance that waits from taking over well: a full disk, and tables that a newer release has changed since it started. Nobody would know before. */
import { type Clock, within } from '../clock.ts';
import { StoreError } from '../store/problem.ts';
import { InstanceDisk } from './instance-disk.ts';
import type { InstanceParts } from './instance-parts.ts';

/** From one look at the tables to the next, ms. */
const TABLES_MS = 60_000;
/** For one answer of the database, ms. */
const ANSWER_MS = 15_000;

/** What is lacking. */
export interface Lacks {
  /** Its disk has no room. */
  readonly isDiskShort: boolean;
  /** The tables are of a newer release. */
  readonly isOlder: boolean;
}

/** Looked at with each beat. */
export class InstanceFitness {
  readonly #parts: Pick<InstanceParts, 'clock' | 'log' | 'fits'>;
  readonly #disk: Pick<InstanceDisk, 'isShort' | 'look'>;
  #isOlder = false;
  #next: number;

  constructor({ settings, clock, log, fits }: Pick<InstanceParts, 'settings' | 'clock' | 'log' | 'fits'>) {
    this.#parts = { clock, log, ...(fits && { fits }) };
    this.#disk = new InstanceDisk(settings, log);
    // It was looked at before the start.
    this.#next = clock.elapsed() + TABLES_MS;
  }

  /** For `instanceTroubles`. */
  get lacks(): Lacks {
    return { isDiskShort: this.#disk.isShort, isOlder: this.#isOlder };
  }

  /** Never rejects. */
  async look(): Promise<void> {
    await Promise.all([this.#disk.look(), this.#lookAtTables(this.#parts.clock)]);
  }

  /** A database that does not answer says nothing new. */
  async #lookAtTables(clock: Clock): Promise<void> {
    const { fits, log } = this.#parts;
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
