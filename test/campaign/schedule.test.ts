/** When the entries of a schedule come, what is done about missed ones, and what a schedule may not say. All pure. */
import t from 'tap';
import { ACTIONS } from '../../plugins/campaign/schedules/actions.ts';
import {
  nextRun,
  nextRuns,
  type Run,
  runsAfter,
  runsBetween,
  runsIn,
  type ScheduleEntry,
  scheduleProblems,
} from '../../plugins/campaign/schedules/schedule.ts';
import { decide } from '../../plugins/campaign/schedules/scheduler.ts';

const BERLIN = 'Europe/Berlin';
const at = (text: string): number => Date.parse(text);
const times = (all: readonly number[]): string[] => all.map((one) => new Date(one).toISOString().slice(5, 16));
const between = (cron: string, from: string, to: string) => times(runsBetween(cron, BERLIN, at(from), at(to), 20));

t.test('an entry comes at the time of the zone, in summer and in winter', async (t) => {
  t.same(between('0 6 * * *', '2026-10-23T12:00Z', '2026-10-26T12:00Z'), ['10-24T04:00', '10-25T05:00', '10-26T05:00']);
  t.equal(nextRun('0 6 * * 1-5', BERLIN, at('2026-11-20T12:00Z')), at('2026-11-23T05:00Z'), 'Friday to Monday');
  t.equal(nextRun('0 6 31 2 *', BERLIN, at('2026-11-20T12:00Z')), undefined);
  t.same(
    times(nextRuns('0 0 1 * *', 'America/New_York', at('2026-02-10T00:00Z'), 2)),
    ['03-01T05:00', '04-01T04:00'],
    'each place by its own clocks',
  );
});

t.test('a time of day that comes twice runs once, the first time', async (t) => {
  t.same(between('30 2 * * *', '2026-10-24T12:00Z', '2026-10-25T12:00Z'), ['10-25T00:30']);
  t.same(between('0,30 2 * * *', '2026-10-24T12:00Z', '2026-10-25T12:00Z'), ['10-25T00:00', '10-25T00:30']);
});

t.test('a time of day that is skipped runs at the first moment after, once', async (t) => {
  t.same(between('30 2 * * *', '2027-03-27T12:00Z', '2027-03-28T12:00Z'), ['03-28T01:00']);
  t.same(between('0,30 2 * * *', '2027-03-27T12:00Z', '2027-03-28T12:00Z'), ['03-28T01:00']);
  t.same(between('0 3 * * *', '2027-03-27T12:00Z', '2027-03-28T12:00Z'), ['03-28T01:00'], 'the hour after is itself');
});

t.test('an entry of every so often goes by what really passes', async (t) => {
  t.equal(
    between('*/30 1-3 * * *', '2026-10-24T22:30Z', '2026-10-25T03:00Z').length,
    8,
    'twice in the hour that comes twice',
  );
  t.same(between('0 * * * *', '2027-03-27T23:30Z', '2027-03-28T02:30Z'), ['03-28T00:00', '03-28T01:00', '03-28T02:00']);
});

t.test('entries of the same moment come in an order that makes sense, equal ones once', async (t) => {
  const entry = (action: ScheduleEntry['action'], cron = '0 0 * * *') => ({ cron, action, profile: null, store: null });
  const entries = [entry('mirror'), entry('start_cycle'), entry('stop_cycle'), entry('stop_cycle', '0 0 * * 0-6')];
  const runs = runsAfter({ entries }, 'UTC', { after: at('2026-11-21T12:00Z'), most: 3 }, ACTIONS);
  t.same(
    runs.map(({ action }) => action),
    ['stop_cycle', 'start_cycle', 'mirror'],
  );
});

t.test(
  'when entries come at the same moment and differ only in the files of the card, the entry with files counts',
  async (t) => {
    const entry = (store: ScheduleEntry['store'], cron: string) => ({
      cron,
      action: 'start_cycle',
      profile: null,
      store,
    });
    const span = { after: at('2026-11-22T12:00Z'), until: at('2026-11-23T12:00Z') };
    for (const stores of [
      ['auto', 'nothing'],
      [null, 'auto'],
    ] as const) {
      const entries = [entry(stores[0], '0 6 * * *'), entry(stores[1], '0 6 * * MON')];
      t.match(runsIn({ entries }, 'UTC', span, ACTIONS), [{ store: 'auto' }]);
      t.equal(runsIn({ entries }, 'UTC', span, ACTIONS).length, 1);
    }
  },
);

const NOW = at('2026-11-21T12:00Z');
const ago = (minutes: number, action: Run['action'], profile: string | null = null): Run => ({
  at: NOW - minutes * 60_000,
  action,
  profile,
  store: null,
});
const decided = (runs: readonly Run[], limitMinutes = 60) =>
  decide(runs, { now: NOW, limit: limitMinutes * 60_000, actions: ACTIONS }).map(
    ({ run, outcome }) => `${run.action} ${outcome}`,
  );

t.test('a run is in time up to two minutes after it was due, exactly', async (t) => {
  t.same(decided([ago(2, 'start_cycle')], 0), ['start_cycle started'], 'two minutes to the millisecond');
  t.same(decided([ago(2 + 1 / 60_000, 'start_cycle')], 0), ['start_cycle missed'], 'and a millisecond more');
  t.same(decided([ago(60, 'stop_cycle')]), ['stop_cycle made_up'], 'a missed run counts up to the limit, exactly');
  t.same(decided([ago(60 + 1 / 60_000, 'stop_cycle')]), ['stop_cycle missed']);
});

t.test('of missed starts and stops the last counts, if it is not too old', async (t) => {
  t.same(decided([ago(1, 'start_cycle')]), ['start_cycle started'], 'a little late is in time');
  t.same(decided([ago(50, 'start_cycle'), ago(10, 'stop_cycle')]), ['start_cycle missed', 'stop_cycle made_up']);
  t.same(decided([ago(70, 'stop_cycle')]), ['stop_cycle missed']);
  t.same(decided([ago(90, 'start_cycle'), ago(70, 'stop_cycle')]), ['start_cycle missed', 'stop_cycle missed']);
  t.same(decided([ago(10, 'stop_cycle')], 0), ['stop_cycle missed'], 'nothing is made up for');
});

t.test('before a start that is made up for comes the stop that was missed: the meter may still measure', async (t) => {
  t.same(
    decided([ago(2_000, 'stop_cycle'), ago(1_500, 'start_cycle'), ago(600, 'stop_cycle'), ago(30, 'start_cycle')]),
    ['stop_cycle missed', 'start_cycle missed', 'stop_cycle made_up', 'start_cycle made_up'],
  );
  t.same(decided([ago(600, 'stop_cycle'), ago(90, 'start_cycle')]), ['stop_cycle missed', 'start_cycle missed']);
});

t.test('of every other action the last missed run is made later', async (t) => {
  t.same(
    decided([
      ago(50, 'mirror'),
      ago(40, 'apply_profile', 'a'),
      ago(30, 'apply_profile', 'b'),
      ago(20, 'mirror'),
      ago(10, 'clock_sync'),
    ]),
    ['mirror missed', 'apply_profile made_up', 'apply_profile made_up', 'mirror made_up', 'clock_sync made_up'],
  );
});

t.test('an error of a schedule has its place and advice', async (t) => {
  const knowsProfile = (name: string) => name === 'site';
  const parts = { zone: BERLIN, now: NOW, actions: ACTIONS, knowsProfile, hasStore: true };
  const problem = (entry: Partial<ScheduleEntry>) => {
    const entries = [{ cron: '0 6 * * *', action: 'mirror', profile: null, store: null, ...entry } as const];
    const [first] = scheduleProblems({ zone: null, entries }, parts);
    return first ? `${first.path} ${first.message}` : 'fine';
  };
  t.equal(problem({}), 'fine');
  t.equal(problem({ action: 'start_cycle', profile: 'site' }), 'fine');
  t.match(problem({ cron: '0 6 * *' }), /^\/entries\/0\/cron must have five parts/);
  t.match(problem({ cron: '@daily' }), /must have five parts/);
  t.match(problem({ cron: '0 0 6 * * *' }), /must have five parts/);
  t.match(problem({ cron: '0 6 L * *' }), /nothing else/);
  t.match(problem({ cron: '0 25 * * *' }), /is no time: .*hour: 25/);
  t.match(problem({ cron: '0 6 31 2 *' }), /never comes/);
  t.match(problem({ action: 'apply_profile' }), /^\/entries\/0\/profile is missing/);
  t.match(problem({ action: 'mirror', profile: 'site' }), /cannot be used with mirror/);
  t.equal(problem({ action: 'start_cycle', store: 'nothing' }), 'fine');
  t.match(
    problem({ action: 'mirror', store: 'auto' }),
    /^\/entries\/0\/store cannot be used with mirror; .*start_cycle/,
  );
  t.match(
    scheduleProblems(
      { zone: null, entries: [{ cron: '0 6 * * *', action: 'start_cycle', profile: null, store: 'auto' }] },
      { ...parts, hasStore: false },
    ),
    [{ path: '/entries/0/store', message: /no store mode/ }],
  );
  t.match(problem({ action: 'apply_profile', profile: 'none' }), /is not a profile; GET \/_profiles/);
  const twice = [0, 1].map(() => ({ cron: '0 6 * * *', action: 'mirror', profile: null, store: null }) as const);
  t.match(scheduleProblems({ zone: null, entries: twice }, parts), [
    { path: '/entries/1', message: /same as entry 0/ },
  ]);
});
