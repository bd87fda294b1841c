/**
 * A run is noted before its job is started. Where the gateway ends between the two, or before the outcome is noted, the next one sees which
 * job it was, and begins no second one.
 */
import type { Host } from '../../../lib/index.ts';
import type { RunRow } from '../tables.ts';
import type { ScheduleAction } from './action.ts';
import type { ScheduleStore } from './schedule-store.ts';

/** Newer jobs of one kind and unit that are looked at: there is one, or none. */
const MOST_LOOKED_AT = 100;

/** What it needs. */
export interface BegunRunsParts {
  readonly host: Pick<Host, 'jobs'>;
  readonly schedules: Pick<ScheduleStore, 'begins' | 'noted'>;
  readonly actions: readonly Pick<ScheduleAction, 'name' | 'job'>[];
}

/** Runs on their way from due to begun. */
export class BegunRuns {
  readonly #parts: BegunRunsParts;

  constructor(parts: BegunRunsParts) {
    this.#parts = parts;
  }

  /** The job that was started for this run before this process; undefined: none was. */
  async jobOf(run: Pick<RunRow, 'unitId' | 'due' | 'action' | 'profile'>): Promise<string | undefined> {
    const { host, schedules, actions } = this.#parts;
    const after = (await schedules.noted(run))?.afterJob ?? null;
    const kind = actions.find(({ name }) => name === run.action)?.job;
    if (after === null || kind === undefined) return undefined;
    const found = await host.jobs.list({ units: [run.unitId], kinds: [kind], limit: MOST_LOOKED_AT });
    const job = found.findLast(({ id }) => id > after);
    return job && String(job.id);
  }

  /** Resolves when the next gateway would know of it. Errors: STORAGE_FULL, STORAGE_FAILED; then nothing was begun. */
  async note(run: Omit<RunRow, 'job' | 'detail' | 'afterJob'>): Promise<void> {
    const { host, schedules } = this.#parts;
    const [newest] = await host.jobs.list({ limit: 1 });
    await schedules.begins({ ...run, job: null, detail: 'It was about to be begun.', afterJob: newest?.id ?? 0 });
  }
}
