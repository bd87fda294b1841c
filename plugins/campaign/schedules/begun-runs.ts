/**
 * A run is stored before its job is started. If the gateway ends between the two, or before the outcome is stored, the next
 * gateway finds the job, and begins no second job.
 */
import type { Host } from '../../../lib/index.ts';
import type { RunRow } from '../tables.ts';
import type { ScheduleAction } from './action.ts';
import type { ScheduleStore } from './schedule-store.ts';

/** The most newer jobs of one kind and unit that are read: there is one, or none. */
const MOST_LOOKED_AT = 100;

export interface BegunRunsParts {
  readonly host: Pick<Host, 'jobs'>;
  readonly schedules: Pick<ScheduleStore, 'begins' | 'noted'>;
  readonly actions: readonly Pick<ScheduleAction, 'name' | 'job'>[];
}

/** Runs between their time and the start of their job. */
export class BegunRuns {
  readonly #parts: BegunRunsParts;

  constructor(parts: BegunRunsParts) {
    this.#parts = parts;
  }

  /** The job that an earlier process started for this run; undefined: no job. */
  async jobOf(run: Pick<RunRow, 'unitId' | 'due' | 'action' | 'profile'>): Promise<string | undefined> {
    const { host, schedules, actions } = this.#parts;
    const after = (await schedules.noted(run))?.afterJob ?? null;
    const kind = actions.find(({ name }) => name === run.action)?.job;
    if (after === null || kind === undefined) return undefined;
    const found = await host.jobs.list({ units: [run.unitId], kinds: [kind], limit: MOST_LOOKED_AT });
    const job = found.findLast(({ id }) => id > after);
    return job && String(job.id);
  }

  /** Resolves when the next gateway would find it. Errors: STORAGE_FULL, STORAGE_FAILED; then nothing was begun. */
  async note(run: Omit<RunRow, 'job' | 'detail' | 'afterJob'>): Promise<void> {
    const { host, schedules } = this.#parts;
    const [newest] = await host.jobs.list({ limit: 1 });
    await schedules.begins({ ...run, job: null, detail: 'It was about to be begun.', afterJob: newest?.id ?? 0 });
  }
}
