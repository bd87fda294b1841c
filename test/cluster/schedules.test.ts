/**
 * Random schedules of a cluster in small; `npm run test:more` runs 8,000 (`test/more/cluster-schedules.ts`). A failure names its seed:
 * `runSchedule(seed)` shows it again.
 */
import t from 'tap';
import { faultOfTimes } from '../../lib/cluster/times.ts';
import { MODEL_TIMES, runSchedule } from './support/model.ts';
import { FAILOVERS, MORE_FAULTS, UNREACHED } from './support/model-faults.ts';
import { runSchedules } from './support/model-runs.ts';

t.test('no unit has two owners, none is left alone, and no late writer gets in', async (t) => {
  const { wrong, schedules, takeovers, lateWrites, promises, lateJoinings, changes, moved } = runSchedules(1, 700);
  t.equal(wrong, undefined);
  t.equal(schedules, 700);
  t.ok(takeovers > 1_000 && lateWrites > 1_000 && promises > 1_000, 'and there was something to see');
  t.ok(lateJoinings > 50, 'and no process took one of these for another process that runs');
  t.ok(changes > 1_000 && moved > 1_000, 'units came and went, and moved');
});

t.test('so it is where members are removed, also such as are not gone', async (t) => {
  const { wrong, removals } = runSchedules(1, 500, MORE_FAULTS);
  t.equal(wrong, undefined);
  t.ok(removals > 100);
});

t.test('so it is where the gateway does not reach some: these take nothing', async (t) => {
  const { wrong, unreached } = runSchedules(1, 500, UNREACHED);
  t.equal(wrong, undefined);
  t.ok(unreached > 1_000);
});

t.test('so it is where a standby becomes the database, with all changes or without the last ones', async (t) => {
  const { wrong, failovers, lossy } = runSchedules(1, 500, FAILOVERS);
  t.equal(wrong, undefined);
  t.ok(failovers > 500 && lossy > 200);
});

t.test('the same seed gives the same schedule', async (t) => {
  t.strictSame(runSchedule(7), runSchedule(7));
});

t.test('the referee sees two owners where the times are too close together', async (t) => {
  const tooClose = { ...MODEL_TIMES, takeMs: 6_000 };
  t.match(faultOfTimes(tooClose), /takeMs must be 15278 or more/);
  let seed = 1;
  while (seed < 1_500 && !runSchedule(seed, tooClose).wrong?.includes('two owners')) seed += 1;
  t.ok(seed < 1_500);
});
