/** The contract on SQLite; one file for all of its tests, in which everything works on the same thread. */
import { join } from 'node:path';
import t from 'tap';
import { openHistory } from '../../lib/history/index.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { historyContract } from '../contract/history/index.ts';
import type { Stage } from '../contract/history/rows.ts';

const clock = new VirtualClock();
const history = await openHistory({ path: join(t.testdir(), 'history.db'), clock, log: createLog('silent') });
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
