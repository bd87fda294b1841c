/** Questions that are asked while rows go from this computer to the database: each row counts once, wherever it is. */
import { join } from 'node:path';
import t from 'tap';
import type { Batch, History } from '../../lib/history/contract.ts';
import { openHistory } from '../../lib/history/index.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { AF, HOUR, interval, rowsOf, second } from '../contract/history/rows.ts';
import { freshDatabase } from '../support/postgres.ts';

/** Rows of a new unit move in each. */
const ROUNDS = 10;
/** Questions under way at a time. */
const ASKING = 8;
const SPAN = { from: HOUR, to: HOUR + 12 * 3_600 };
const STEPS = [12 * 3_600, 1_800];

/** Seconds in some hours, and an interval of ten minutes in the hour after them. */
const rowsFrom = (unitId: string, first: number, end: number): Batch[] => [
  {
    ...{ unitId, source: 'stream', weighting: AF },
    seconds: Array.from({ length: end - first }, (_, index) => second(HOUR + (first + index) * 3_600, 60)),
  },
  { unitId, source: 'card', weighting: AF, intervals: [interval(HOUR + end * 3_600, 600, 70)] },
];

/** What answers lack, or have too much: seconds. */
async function wrongAnswers(history: History, unitId: string, measured: number): Promise<string[]> {
  const wrong: string[] = [];
  const compare = (name: string, all: readonly { readonly measured: number }[]) => {
    const found = all.reduce((sum, one) => sum + one.measured, 0);
    if (Math.abs(found - measured) > 0.1) wrong.push(`${name}: ${found} s`);
  };
  for (const step of STEPS) compare(`rows of ${step} s`, await rowsOf(history, { unitId, over: { ...SPAN, step } }));
  compare('extent', (await history.extent(unitId)).series);
  if (!(await history.units()).includes(unitId)) wrong.push('the unit');
  return wrong;
}

t.test('an answer has all rows while they go to the database', async (t) => {
  const database = await freshDatabase(t);
  const clock = new VirtualClock();
  const path = join(t.testdir(), 'history.db');
  const history = await openHistory({ path, clock, log: createLog('silent'), database });
  t.teardown(() => history.close());

  /** Asks all the time until the rows of a unit are in the database. */
  const wrongWhileMoving = async (unitId: string, measured: number) => {
    let areMoved = false;
    const wrong: string[] = [];
    const ask = async () => {
      while (!areMoved) wrong.push(...(await wrongAnswers(history, unitId, measured)));
    };
    const asking = Array.from({ length: ASKING }, ask);
    for (let passed = 0; passed < 11; passed++) {
      await clock.advance(1_000);
      await history.units();
    }
    areMoved = true;
    await Promise.all(asking);
    return wrong;
  };

  for (let round = 0; round < ROUNDS; round++) {
    const unitId = `moving-${round}`;
    for (const batch of rowsFrom(unitId, 0, 3)) history.append(batch);
    await history.flush();
    t.strictSame(await wrongWhileMoving(unitId, 603), [], `round ${round}: a new unit`);
    for (const batch of rowsFrom(unitId, 4, 9)) history.append(batch);
    await history.flush();
    t.strictSame(await wrongWhileMoving(unitId, 1_208), [], `round ${round}: one of which the database has rows`);
  }
});
