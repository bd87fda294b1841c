/** A gateway ends while it begins a run of a schedule: the next one begins it if nobody has, and no second time. */
import t, { type Test } from 'tap';
import { createFamilies } from '../../lib/drivers/index.ts';
import { GatewayError } from '../../lib/errors.ts';
import type { Job, JobFilter } from '../../lib/jobs/contract.ts';
import { createLog } from '../../lib/log.ts';
import type { Host } from '../../lib/plugin/contract.ts';
import type { Rows, Tables } from '../../lib/store/contract.ts';
import { ACTIONS } from '../../plugins/campaign/schedules/actions.ts';
import { ScheduleStore } from '../../plugins/campaign/schedules/schedule-store.ts';
import { Scheduler } from '../../plugins/campaign/schedules/scheduler.ts';
import type { RunRow, ScheduleRow } from '../../plugins/campaign/tables.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { deviceConfig } from '../support/config.ts';
import { standIn } from '../support/stand-in.ts';

const HALF_HOUR = 1_800_000;
/** Moments of a run: the job is kept, and all that is written. */
const MOST_MOMENTS = 20;

/** State that outlives a gateway. */
function database() {
  const clock = new VirtualClock(Date.UTC(2026, 10, 21, 6, 30));
  const runs = new Map<string, RunRow>();
  const jobs: Job[] = [];
  let schedule: ScheduleRow | undefined;
  const state = { isAway: false };
  const keyOf = ({ unitId, due, action, profile }: RunRow) => `${unitId} ${due} ${action} ${profile}`;
  const put = (row: RunRow | ScheduleRow) => {
    if ('handledUntil' in row) schedule = row;
    else runs.set(keyOf(row), row);
  };
  /** A gateway on it, which ends at its moment of this number. */
  const gateway = async (t: Test, endsAt = Number.POSITIVE_INFINITY) => {
    let moments = 0;
    const dead = new Promise<never>(() => {});
    /** Does it, unless the gateway has ended before or right after. */
    const moment = async <T>(work: () => T): Promise<T> => {
      moments += 1;
      if (moments >= endsAt) return dead;
      const done = work();
      moments += 1;
      return moments >= endsAt ? dead : done;
    };
    const rows = standIn<Rows>({
      find: async ({ name }: { name: string }, { where = {} }: { where?: Partial<RunRow> } = {}) => {
        if (state.isAway) throw new GatewayError('STORAGE_FAILED', 'The database does not answer.');
        if (name === 'campaign_schedule') return schedule ? [schedule] : [];
        return [...runs.values()].filter(({ due, action }) => due === where.due && action === where.action);
      },
      put: async (_: unknown, all: readonly unknown[]) => {
        for (const row of all) put(row as RunRow | ScheduleRow);
      },
      remove: async () => 0,
    });
    const read = (todo: (given: Rows) => Promise<unknown>) => todo(rows);
    const write = (todo: (given: Rows) => Promise<unknown>) => moment(() => todo(rows));
    const schedules = new ScheduleStore(standIn<Tables>({ read, write }), clock, () => {});
    await schedules.load();
    const ending = new AbortController();
    const config = deviceConfig({ unitId: 'roof' });
    const list = async ({ kinds, limit = 100 }: JobFilter = {}) =>
      jobs
        .filter(({ kind }) => kinds?.includes(kind) ?? true)
        .toReversed()
        .slice(0, limit);
    const host = standIn<Host>({
      clock,
      signal: ending.signal,
      log: createLog('silent'),
      on: () => () => {},
      configs: { get: () => config },
      families: createFamilies(),
      jobs: { list },
    });
    const begin = (unitId: string, { action }: { readonly action: string }) =>
      moment(() => {
        const kind = ACTIONS.find(({ name }) => name === action)?.job ?? '';
        const job = standIn<Job>({ id: jobs.length + 1, kind, unitId });
        jobs.push(job);
        return job;
      });
    void new Scheduler({ host, schedules, actions: ACTIONS, makeUpMs: HALF_HOUR, begin }).run();
    const end = () => ending.abort(new Error('over'));
    t.teardown(end);
    return { end, hasEnded: () => moments >= endsAt };
  };
  const plan = (actions: readonly string[]) =>
    put({
      unitId: 'roof',
      body: {
        zone: 'UTC',
        entries: actions.map((action) => ({ cron: '0 * * * *', action, profile: null, store: null })),
      },
      handledUntil: clock.now(),
    });
  return { clock, jobs, runs, gateway, plan, state };
}

t.test('each run is begun once, at whatever moment the gateway ends', async (t) => {
  const wrong: object[] = [];
  let moment = 1;
  for (let isOver = false; !isOver && moment < MOST_MOMENTS; moment += 1) {
    const { clock, jobs, runs, gateway, plan } = database();
    plan(['clock_sync', 'mirror']);
    const first = await gateway(t, moment);
    await clock.advance(HALF_HOUR + 2_000);
    isOver = !first.hasEnded();
    first.end();
    const second = await gateway(t);
    await clock.advance(60_000);
    second.end();
    const begun = jobs.map(({ kind }) => kind).toSorted();
    const told = [...runs.values()].map(({ action, outcome, job }) => `${action} ${outcome} ${job}`).toSorted();
    if (begun.join(' ') !== 'clock-sync mirror' || told.join(', ') !== 'clock_sync started 1, mirror started 2')
      wrong.push({ moment, begun, told });
  }
  t.strictSame(wrong, []);
  t.ok(moment > 6 && moment < MOST_MOMENTS, `${moment} moments`);
});

t.test('a run that could not be begun while the database was away is begun seconds after it is back', async (t) => {
  const { clock, jobs, runs, gateway, plan, state } = database();
  plan(['clock_sync']);
  await gateway(t);
  await clock.advance(HALF_HOUR - 1_000);
  state.isAway = true;
  await clock.advance(100_000);
  t.equal(jobs.length, 0);
  state.isAway = false;
  await clock.advance(6_000);
  t.equal(jobs.length, 1, 'not with the next look, which would be too late for it');
  t.match([...runs.values()], [{ outcome: 'started' }]);
});
