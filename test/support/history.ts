/** A history on a clock that the test moves. */
import { join } from 'node:path';
import type { Test } from 'tap';
import { type HistoryOptions, openHistory } from '../../lib/history/index.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';

export async function openedHistory(t: Test, more: Partial<HistoryOptions> & { readonly clock?: VirtualClock } = {}) {
  const { path = join(t.testdir(), 'history.db'), clock = new VirtualClock() } = more;
  const history = await openHistory({ log: createLog('silent'), ...more, path, clock });
  t.teardown(() => history.close());
  /** Time passes, and the thread does what it had to do. */
  const advance = async (ms: number, step = 1_000) => {
    for (let passed = 0; passed < ms; passed += step) {
      await clock.advance(step);
      await history.units();
    }
  };
  return { history, clock, path, advance, now: () => clock.now() };
}
