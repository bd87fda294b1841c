/** Starts the runs of the schedules. One loop for all units; it checks at least twice a minute, so that a change of the clock is noticed. */
import type { Job } from '../../../lib/built-in.ts';
import { type Host, isGatewayError, sleep } from '../../../lib/index.ts';
import type { RunRow } from '../tables.ts';
import type { ScheduleAction } from './actions.ts';
import { type Run, runsAfter, runsIn, type Schedule } from './schedule.ts';
import type { ScheduleStore } from './schedule-store.ts';

/** The most newer jobs of one kind and unit that are read: there is one, or none. */
const MOST_LOOKED_AT = 100;

const IN_TIME_MS = 120_000;

interface Decision {
  readonly run: Run;
  readonly outcome: 'started' | 'made_up' | 'missed';
}

const lineOf = ({ action, profile }: Run): string => `${action} ${profile}`;

interface DecideParts {
  /** ms since 1970 UTC. */
  readonly now: number;
  /** How late a run may be, ms; 0: no late runs. */
  readonly limit: number;
  readonly actions: readonly ScheduleAction[];
}

/**
 * Decides about missed runs: the gateway was down, or its clock was set. Pure. The rule:
 *
 * - A run that is at most two minutes late is done as if it were in time.
 * - The last missed start or stop of a measurement decides what the meter should do now. It is done late if it is not older
 *   than the limit. If it is a start, the last stop before it is done first: the meter may still measure.
 * - Of each other action (with a profile: of each profile) the last run is done late within the same limit.
 * - All others are reported as missed.
 *
 * `runs` in their order.
 */
export function decide(runs: readonly Run[], { now, limit, actions }: DecideParts): readonly Decision[] {
  const measuring = ({ action }: Run) => actions.find(({ name }) => name === action)?.measuring;
  const isCycle = (run: Run): boolean => measuring(run) !== undefined;
  const lastCycle = runs.findLast(isCycle);
  const stopBefore = runs.findLast(
    (run) => lastCycle && measuring(run) === 'stop' && measuring(lastCycle) === 'start' && run.at <= lastCycle.at,
  );
  const lastOf = new Map(runs.map((run) => [lineOf(run), run]));
  const counts = (run: Run): boolean => {
    if (!isCycle(run)) return lastOf.get(lineOf(run)) === run;
    return run === lastCycle || (run === stopBefore && isYoung(lastCycle));
  };
  const isYoung = (run: Run | undefined): boolean => run !== undefined && now - run.at <= limit;
  return runs.map((run) => {
    if (now - run.at <= IN_TIME_MS) return { run, outcome: 'started' };
    // An old stop is done together with the start that follows it.
    const isDone = counts(run) && (isYoung(run) || run === stopBefore);
    return { run, outcome: isDone && limit > 0 ? 'made_up' : 'missed' };
  });
}

const LOOK_MS = 30_000;
/** Pause after the database did not answer, ms: a run is in time for two minutes only. */
const AGAIN_MS = 5_000;
/** If the wall clock was set back by more than this, runs that were handled "in the future" are forgotten. */
const FUTURE_MS = 86_400_000 + 3_600_000;

interface SchedulerParts {
  readonly host: Host;
  readonly schedules: ScheduleStore;
  readonly actions: readonly ScheduleAction[];
  /** How late a missed run may still be done, ms. */
  readonly makeUpMs: number;
  readonly begin: (unitId: string, run: Run) => Promise<Job>;
}

export class Scheduler {
  readonly #parts: SchedulerParts;
  /** The time of the next run of each unit, ms since 1970 UTC. Computed after each change, not at each check. */
  readonly #next = new Map<string, number>();
  /** Runs of each unit that are done but not on the disk yet. They are not started again. */
  readonly #unnoted = new Map<string, { readonly until: number; readonly rows: readonly RunRow[] }>();
  #plans = 0;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
    const { host, schedules } = parts;
    // The zone of the unit may have changed, or the unit was removed.
    host.on('config', ({ unitId }) => this.plan(unitId), { units: schedules.units });
  }

  plan(unitId: string): void {
    this.#plans += 1;
    this.#next.delete(unitId);
  }

  async run(): Promise<void> {
    const { clock, signal, log } = this.#parts.host;
    while (!signal.aborted) {
      let wait = LOOK_MS;
      for (const { unitId } of this.#parts.schedules.list()) {
        if (signal.aborted) return;
        await this.#look(unitId).catch((error: unknown) => {
          this.#next.delete(unitId);
          if (isGatewayError(error, 'STORAGE_FAILED', 'STORAGE_FULL')) wait = Math.min(wait, AGAIN_MS);
          log.error({ unit_id: unitId, err: error }, 'a schedule could not be followed; it is tried again');
        });
        wait = Math.min(wait, (this.#next.get(unitId) ?? Number.POSITIVE_INFINITY) - clock.now());
      }
      await sleep(clock, Math.max(wait, 1_000), signal).catch(() => {});
    }
  }

  async #look(unitId: string): Promise<void> {
    const { host, schedules, actions } = this.#parts;
    await this.#note(unitId);
    const row = schedules.find(unitId);
    const zone = row && zoneOf(host, unitId, row.body);
    if (!row || zone === undefined) return;
    const { body, handledUntil } = row;
    const now = host.clock.now();
    const isAhead = handledUntil > now + FUTURE_MS;
    if (isAhead) {
      await schedules.handled(unitId, now, []);
      this.#next.delete(unitId);
    }
    const from = isAhead ? now : handledUntil;
    const plans = this.#plans;
    const next = this.#next.get(unitId) ?? nextOf(body, zone, from, actions);
    if (next <= now) await this.#due(unitId, runsIn(body, zone, { after: from, until: now }, actions), now);
    // The schedule may have changed meanwhile: then the time is computed again.
    if (plans === this.#plans) this.#next.set(unitId, next <= now ? nextOf(body, zone, now, actions) : next);
  }

  async #due(unitId: string, runs: readonly Run[], now: number): Promise<void> {
    const { makeUpMs: limit, actions } = this.#parts;
    const decisions = decide(runs, { now, limit, actions });
    const rows: RunRow[] = [];
    for (const decision of decisions) rows.push(await this.#follow(unitId, decision));
    this.#unnoted.set(unitId, { until: now, rows });
    await this.#note(unitId);
  }

  async #note(unitId: string): Promise<void> {
    const { schedules } = this.#parts;
    const begun = this.#unnoted.get(unitId);
    if (!begun) return;
    // The schedule may have been replaced meanwhile.
    const until = Math.max(begun.until, schedules.find(unitId)?.handledUntil ?? 0);
    await schedules.handled(unitId, until, begun.rows);
    this.#unnoted.delete(unitId);
  }

  /** Errors: STORAGE_FULL, STORAGE_FAILED if the run cannot be stored: then it was not started, and is tried again. */
  async #follow(unitId: string, { run, outcome }: Decision): Promise<RunRow> {
    const { host } = this.#parts;
    const about = { unitId, due: run.at, action: run.action, profile: run.profile ?? '' };
    const words = { unit_id: unitId, action: run.action, due: new Date(run.at).toISOString() };
    const known = { job: null, detail: null, afterJob: null };
    const earlier = await this.#jobOf(about);
    if (earlier !== undefined) {
      host.log.info({ ...words, job: earlier }, 'a run of a schedule was started before this gateway');
      return { ...about, ...known, outcome: 'started', job: earlier };
    }
    if (outcome === 'missed') {
      host.log.warn(words, 'a run of a schedule was missed');
      return { ...about, ...known, outcome, detail: 'The gateway did not run then.' };
    }
    await this.#noteBegin({ ...about, outcome });
    return { ...about, ...known, ...(await this.#begin(unitId, { run, outcome })) };
  }

  /** The job that an earlier process started for this run; undefined: no job. */
  async #jobOf(run: Pick<RunRow, 'unitId' | 'due' | 'action' | 'profile'>): Promise<string | undefined> {
    const { host, schedules, actions } = this.#parts;
    const after = (await schedules.noted(run))?.afterJob ?? null;
    const kind = actions.find(({ name }) => name === run.action)?.job;
    if (after === null || kind === undefined) return undefined;
    const found = await host.jobs.list({ units: [run.unitId], kinds: [kind], limit: MOST_LOOKED_AT });
    const job = found.findLast(({ id }) => id > after);
    return job && String(job.id);
  }

  /**
   * A run is stored before its job is started. If the gateway ends between the two, or before the outcome is stored, the
   * next gateway finds the job, and begins no second job. Errors: STORAGE_FULL, STORAGE_FAILED; then nothing was begun.
   */
  async #noteBegin(run: Omit<RunRow, 'job' | 'detail' | 'afterJob'>): Promise<void> {
    const { host, schedules } = this.#parts;
    const [newest] = await host.jobs.list({ limit: 1 });
    await schedules.begins({ ...run, job: null, detail: 'It was about to be begun.', afterJob: newest?.id ?? 0 });
  }

  async #begin(unitId: string, { run, outcome }: Decision): Promise<Pick<RunRow, 'outcome' | 'job' | 'detail'>> {
    const { host, begin } = this.#parts;
    const words = { unit_id: unitId, action: run.action, due: new Date(run.at).toISOString() };
    try {
      const { id } = await begin(unitId, run);
      host.log.info({ ...words, job: id, outcome }, 'a run of a schedule was started');
      return { outcome, job: String(id), detail: null };
    } catch (error) {
      const detail = isGatewayError(error) ? error.message : 'An error in the gateway; its log has the cause.';
      const cause = isGatewayError(error) ? { reason: error.message } : { err: error };
      host.log.warn({ ...words, ...cause }, 'a run of a schedule could not be started');
      return { outcome: 'not_started', job: null, detail };
    }
  }
}

/** Undefined: the unit was removed. */
const zoneOf = (host: Pick<Host, 'configs'>, unitId: string, { zone }: Schedule): string | undefined => {
  const config = host.configs.get(unitId);
  return config && (zone ?? config.timezone);
};

const nextOf = (schedule: Schedule, zone: string, after: number, actions: readonly ScheduleAction[]): number =>
  runsAfter(schedule, zone, { after, most: 1 }, actions)[0]?.at ?? Number.POSITIVE_INFINITY;
