/** While somebody sets the clock of the gateway: no run of a schedule is done twice, and nothing waits for a time that was wrong. */
import t, { type Test } from 'tap';
import type { Table } from '../../lib/domain/fields/field.ts';
import { createFamilies } from '../../lib/drivers/index.ts';
import type { Job } from '../../lib/jobs/contract.ts';
import { createLog } from '../../lib/log.ts';
import type { Host } from '../../lib/plugin/contract.ts';
import type { Rows, Tables } from '../../lib/store/contract.ts';
import { type LastValues, readSettings } from '../../plugins/campaign/profiles/last-values.ts';
import type { ProfileStore } from '../../plugins/campaign/profiles/profile-store.ts';
import { ACTIONS } from '../../plugins/campaign/schedules/actions.ts';
import { ScheduleStore } from '../../plugins/campaign/schedules/schedule-store.ts';
import { Scheduler } from '../../plugins/campaign/schedules/scheduler.ts';
import type { RunRow } from '../../plugins/campaign/tables.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { deviceConfig } from '../support/config.ts';
import { standIn } from '../support/stand-in.ts';

const HOUR = 3_600_000;
const TWO = ['mirror', 'clock_sync'] as const;

class SetClock extends VirtualClock {
  /** How far it was set forward, ms. */
  ahead = 0;

  override now(): number {
    return super.now() + this.ahead;
  }
}

/** A schedule with one entry, and when its runs were begun: the times that they were due. */
async function following(t: Test, ...crons: string[]) {
  const clock = new SetClock(Date.UTC(2026, 10, 21, 6, 30));
  const noted: RunRow[] = [];
  const kept: unknown[] = [];
  const put = async ({ name }: Pick<Table<never>, 'name'>, rows: readonly unknown[]) => {
    if (name === 'campaign_schedule') kept.splice(0, 1, ...rows);
    noted.push(...rows.filter((row): row is RunRow => Object(row).afterJob === null));
  };
  let puts = put;
  const rows = standIn<Rows>({
    find: async ({ name }: Pick<Table<never>, 'name'>) => (name === 'campaign_schedule' ? kept : []),
    remove: async () => 0,
    put: (...what: Parameters<typeof put>) => puts(...what),
  });
  const work = (todo: (given: Rows) => Promise<unknown>) => todo(rows);
  const schedules = new ScheduleStore(standIn<Tables>({ read: work, write: work }), clock, () => {});
  await schedules.put(
    'roof',
    {
      zone: 'UTC',
      entries: crons.map((cron, index) => ({ cron, action: TWO[index] ?? 'mirror', profile: null, store: null })),
    },
    clock.now(),
  );
  const ending = new AbortController();
  const config = deviceConfig({ unitId: 'roof' });
  const host = standIn<Host>({
    clock,
    signal: ending.signal,
    log: createLog('silent'),
    on: () => () => {},
    configs: { get: () => config },
    jobs: { list: async () => [] },
  });
  const begun: string[] = [];
  /** Which starts of a run, counted from 1, end in a fault. */
  const faults = new Set<number>();
  const onBegin = { do: () => {} };
  const begin = async (_unitId: string, { at }: { readonly at: number }) => {
    begun.push(new Date(at).toISOString().slice(11, 16));
    onBegin.do();
    if (faults.has(begun.length)) throw new TypeError('a fault of the program');
    return { id: begun.length } as Job;
  };
  const scheduler = new Scheduler({
    host,
    schedules,
    actions: ACTIONS,
    makeUpMs: 12 * HOUR,
    begin,
  });
  const ended = scheduler.run();
  t.teardown(async () => {
    ending.abort(new Error('over'));
    await ended;
  });
  const disk = { tries: 0 };
  const fillDisk = () => {
    puts = () => {
      disk.tries += 1;
      return Promise.reject(new Error('the disk is full'));
    };
  };
  const emptyDisk = () => {
    puts = put;
  };
  return { clock, begun, onBegin, faults, noted, disk, fillDisk, emptyDisk };
}

t.test('a run comes within a second of its time', async (t) => {
  const { clock, begun } = await following(t, '0 * * * *');
  await clock.advance(HOUR / 2 - 1);
  t.same(begun, []);
  await clock.advance(1_001);
  t.same(begun, ['07:00']);
});

t.test('a run that cannot be noted is begun once, and its note is tried again twice a minute', async (t) => {
  const { clock, begun, onBegin, noted, disk, fillDisk, emptyDisk } = await following(t, '0 * * * *');
  await clock.advance(HOUR / 2 - 1);
  onBegin.do = fillDisk;
  await clock.advance(60_001);
  t.equal(disk.tries, 3);
  emptyDisk();
  onBegin.do = () => {};
  await clock.advance(30_000);
  t.match(noted, [{ outcome: 'started', job: '1' }]);
  await clock.advance(HOUR);
  t.same(begun, ['07:00', '08:00']);
  t.equal(noted.length, 2);
});

t.test('while nothing can be noted no run is begun; then it is, if it is not too late', async (t) => {
  const { clock, begun, noted, disk, fillDisk, emptyDisk } = await following(t, '0 * * * *');
  await clock.advance(HOUR / 2 - 1);
  fillDisk();
  await clock.advance(60_001);
  t.ok(disk.tries > 1);
  t.same(begun, []);
  emptyDisk();
  await clock.advance(30_000);
  t.same(begun, ['07:00']);
  t.match(noted, [{ outcome: 'started', job: '1' }]);
});

t.test(
  'a run that fails for whatever reason has failed: neither it nor the one beside it is begun again',
  async (t) => {
    const { clock, begun, faults, noted } = await following(t, '0 * * * *', '0 * * * *');
    faults.add(2);
    await clock.advance(HOUR);
    t.same(begun, ['07:00', '07:00']);
    t.match(noted, [
      { outcome: 'started', job: '1', detail: null },
      { outcome: 'not_started', job: null, detail: /error in the gateway/i },
    ]);
    await clock.advance(HOUR);
    t.same(begun, ['07:00', '07:00', '08:00', '08:00'], 'the next ones come in their time');
  },
);

t.test('set forward, the run that was jumped over is made up for, the last one alone', async (t) => {
  const { clock, begun } = await following(t, '0 * * * *');
  clock.ahead = 3 * HOUR;
  await clock.advance(60_000);
  t.same(begun, ['09:00']);
});

t.test('set back, no run is done twice, and the next one comes when its time has come', async (t) => {
  const { clock, begun } = await following(t, '0 * * * *');
  await clock.advance(2 * HOUR);
  t.same(begun, ['07:00', '08:00']);
  clock.ahead = -2 * HOUR;
  await clock.advance(2 * HOUR);
  t.same(begun, ['07:00', '08:00']);
  await clock.advance(HOUR);
  t.same(begun, ['07:00', '08:00', '09:00']);
});

t.test('set back by days, it starts again from there', async (t) => {
  const { clock, begun } = await following(t, '0 * * * *');
  await clock.advance(HOUR);
  clock.ahead = -72 * HOUR;
  await clock.advance(HOUR);
  t.same(begun, ['07:00', '08:00']);
});

t.test('settings are read once a day, also after the clock was a year ahead', async (t) => {
  const clock = new SetClock(Date.UTC(2026, 10, 21, 6, 30));
  const ending = new AbortController();
  let answers = true;
  const read: string[] = [];
  const values = new Map<string, { value: string; at: number }>();
  const host = standIn<Host>({
    clock,
    signal: ending.signal,
    log: createLog('silent'),
    families: createFamilies(),
    configs: { get: () => deviceConfig() },
    meter: () => ({
      async reserve() {
        read.push(new Date(clock.now()).toISOString().slice(0, 10));
        if (!answers) throw new Error('nobody answers');
        values.set('lp_interval', { value: '1s', at: clock.now() });
      },
    }),
    publish: () => {},
    on: () => () => {},
  });
  const profiles = standIn<ProfileStore>({
    assigned: () => [{ unitId: 'roof', profile: 'site' }],
    find: () => ({ settings: { lp_interval: '1s' } }),
  });
  const ended = readSettings(host, profiles, standIn<LastValues>({ of: () => values }));
  t.teardown(async () => {
    ending.abort(new Error('over'));
    await ended;
  });
  clock.ahead = 365 * 24 * HOUR;
  await clock.advance(60_000);
  t.same(read, ['2027-11-21']);
  clock.ahead = 0;
  await clock.advance(60_000);
  t.same(read, ['2027-11-21', '2026-11-21'], 'what was noted in the year ahead is older than it says');
  await clock.advance(23 * HOUR);
  t.equal(read.length, 2);
  answers = false;
  clock.ahead = 365 * 24 * HOUR;
  await clock.advance(60_000);
  clock.ahead = 0;
  values.clear();
  await clock.advance(HOUR - 120_000);
  t.equal(read.length, 3, 'a meter that did not answer is left alone for an hour');
  await clock.advance(120_000);
  t.equal(read.length, 4);
});
