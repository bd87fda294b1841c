/** Jobs that were refused because they could not be stored. The database may have them all the same: no later start may do them. */
import type { Clock } from '../clock.ts';
import type { Tables } from '../store/contract.ts';
import { SureChanges } from '../store/sure-changes.ts';
import { failure } from './outcome.ts';
import { JOBS } from './table.ts';

const DETAIL = 'It was refused: when it was asked for, the database did not say that it was stored.';

/** They end as failed, where they are stored. */
export class RefusedJobs {
  /** By the id of the job: where the database says nothing, no job waits for the others that nothing is said of. */
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

  /** Stores a new job. Errors: those of `store`: then it is refused. */
  keep(id: number, store: () => Promise<void>): Promise<void> {
    return this.#changes.inTurn(store, String(id));
  }

  /** Nothing is ended by itself any more. */
  close(): void {
    this.#changes.close();
  }
}
