/** Levels that are old, and levels that cannot be true. The test has the numbers, computed by hand. */
import t from 'tap';
import type { TimeName } from '../../lib/status/contract.ts';
import { areLevelsStale, isFrozen, levelsStaleAfterSeconds } from '../../lib/status/values.ts';
import type { Snapshot } from '../../lib/store/contract.ts';

const MINUTE = 60_000;
const MAIN = { lp: '51.0', leq: '50.0', le: '60.0', lmax: '55.0', lmin: '45.0', lpeak: '70.0' };
const PERCENTILES = { ln1: '54.0', ln2: '53.0', ln3: '50.5', ln4: '47.0', ln5: '46.0' };
const LEVELS = { ...MAIN, ...PERCENTILES };
const snapshot = (part: Partial<Snapshot>): Snapshot =>
  ({ ...LEVELS, measurementState: 'Measure', levelsAt: 0, lpAt: null, unchangedSince: null, ...part }) as Snapshot;
/** The status at the time `now`, on a clock that nobody sets. */
const status = (part: Partial<Snapshot>, now = 0) => {
  const values = snapshot(part);
  return { values, age: (timeName: TimeName) => (values[timeName] === null ? null : now - Number(values[timeName])) };
};

t.test('beside a stream the levels of the display are old after three of its pauses of 300 s', async (t) => {
  const streamed = (now: number) => status({ levelsAt: 0, lpAt: now - 1_000 }, now);
  t.equal(levelsStaleAfterSeconds(streamed(60_000), 2), 900);
  t.notOk(areLevelsStale(streamed(900_000), 2), 'an interval of 2 s is not kept beside a stream');
  t.ok(areLevelsStale(streamed(900_001), 2));
  t.notOk(areLevelsStale(streamed(1_800_000), 600), 'a longer interval counts');
  t.ok(areLevelsStale(streamed(1_800_001), 600));
});

t.test('when the stream has ended the polling interval counts again', async (t) => {
  const ended = status({ levelsAt: 0, lpAt: 100_000 }, 107_000);
  t.equal(levelsStaleAfterSeconds(ended, 2), 6);
  t.ok(areLevelsStale(ended, 2));
  t.notOk(areLevelsStale(status({ levelsAt: 0, lpAt: 0 }, 6_000), 2), 'without a stream both are of one moment');
  t.ok(areLevelsStale(status({ levelsAt: 0, lpAt: 0 }, 6_001), 2));
  t.ok(areLevelsStale(status({ levelsAt: null, lpAt: 0 }, 0), 60), 'the display was never read');
});

t.test('in a long measurement they may stand still for a twentieth of its time', async (t) => {
  // LE - Leq = 49.4 dB: 87,096 s, a day. A twentieth are 4,355 s.
  const day = { leq: '50.0', le: '99.4', unchangedSince: 0 };
  t.notOk(isFrozen(status({ ...day, levelsAt: 4_354_000 })));
  t.ok(isFrozen(status({ ...day, levelsAt: 4_356_000 })));
});

t.test('values that the meter does not give are not judged', async (t) => {
  t.notOk(isFrozen(status({ leq: null, unchangedSince: 0, levelsAt: 60 * MINUTE })));
  t.notOk(isFrozen(status({ unchangedSince: null, levelsAt: 60 * MINUTE })));
});
