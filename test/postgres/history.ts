/** The contract of the history on PostgreSQL: the same suite as on SQLite, on one history for all of its tests. */
import { join } from 'node:path';
import t from 'tap';
import { openHistory } from '../../lib/history/index.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { historyContract } from '../contract/history/index.ts';
import type { Stage } from '../contract/history/rows.ts';
import { freshDatabase } from '../support/postgres.ts';

const database = await freshDatabase(t);
const clock = new VirtualClock();
const history = await openHistory({ path: join(t.testdir(), 'history.db'), clock, log: createLog('silent'), database });
t.teardown(() => history.close());

const stage: Stage = {
  history,
  now: () => clock.now(),
  async advance(ms) {
    for (let passed = 0; passed < ms; passed += 1_000) {
      await clock.advance(1_000);
      // An answer of the thread: what it had to do before is done.
      await history.units();
    }
  },
};
historyContract(t, async () => stage);
