/**
 * Jobs that were refused because they could not be stored. The database may have stored them all the same: a later
 * start must not run them.
 */
import type { Clock } from '../clock.ts';
import type { Tables } from '../store/contract.ts';
import { SureChanges } from '../store/sure-changes.ts';
import { failure } from './outcome.ts';
import { JOBS } from './table.ts';

const DETAIL = 'It was refused: when it was asked for, the database did not say that it was stored.';

/** Jobs that end as failed if they are stored after all. */
export class RefusedJobs {
  /** By the id of the job: while the database does not answer, no job waits for other uncertain jobs. */
  readonly #changes: SureChanges;

  constructor({ tables, clock }: { readonly tables: Tables; readonly clock: Clock }) {
    this.#changes = new SureChanges(clock, async (of) => {
      const where = { id: Number(of) };
      const [stored] = await tables.read((rows) => rows.find(JOBS, { where }));
      if (!stored) return;
      const ended = { ...failure(DETAIL, 'STORAGE_FAILED'), endedAt: clock.now() };
      await tables.write((rows) => rows.change(JOBS, where, ended));
    });
  }

  /** Stores a new job. Errors: those of `store`; the job is then refused. */
  keep(id: number, store: () => Promise<void>): Promise<void> {
    return this.#changes.inTurn(store, String(id));
  }

  /** Ends the automatic work. */
  close(): void {
    this.#changes.close();
  }
}
