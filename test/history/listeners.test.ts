/** Events about levels that come after their time. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Clock } from '../../lib/clock.ts';
import type { IntervalRow } from '../../lib/history/contract.ts';
import { openHistory } from '../../lib/history/index.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { AF, interval, second } from '../contract/history/rows.ts';

async function opened(test: Test) {
  const virtual = new VirtualClock();
  let shift = 0;
  const clock: Clock = {
    now: () => virtual.now() + shift,
    elapsed: () => virtual.elapsed(),
    after: (ms, fire) => virtual.after(ms, fire),
  };
  const told: object[] = [];
  const onLate = (late: object) => told.push(late);
  const history = await openHistory({
    path: join(test.testdir(), 'history.db'),
    clock,
    log: createLog('silent'),
    onLate,
  });
  test.teardown(() => history.close());
  const append = (source: 'stream' | 'card' | 'poll', ...times: number[]) =>
    history.append({ unitId: 'roof', source, weighting: AF, seconds: times.map((at) => second(at, 50)) });
  const setBack = (ms: number) => {
    shift -= ms;
  };
  return { setBack, told, history, append, now: Math.floor(clock.now() / 1_000) };
}

t.test('levels of cards and those of more than an hour ago are late, those of now are not', async (t) => {
  const { setBack, told, append, now } = await opened(t);
  append('stream', now - 1, now - 3_600);
  append('poll');
  append('card');
  t.strictSame(told.splice(0), [], 'a second that began an hour ago is of now, and no row is of no time');
  append('stream', now, now - 3_601);
  append('card', now - 8, now - 10);
  const of = { unitId: 'roof', channel: 'main' };
  t.strictSame(told.splice(0), [
    { ...of, source: 'stream', from: now - 3_601, to: now + 1 },
    { ...of, source: 'card', from: now - 10, to: now - 7 },
  ]);
  setBack(7_200_000);
  append('stream', now - 7_200);
  t.match(told, [{ source: 'stream', from: now - 7_200 }], 'a clock that is set back does not make them new');
});

t.test('an import is one event, when its rows are there; an import that fails is no event', async (t) => {
  const { told, history, now } = await opened(t);
  const from = now - 40_000 * 60;
  async function* pages(count: number): AsyncGenerator<readonly IntervalRow[]> {
    for (let page = 0; page < count; page++)
      yield Array.from({ length: 1_000 }, (_, row) => interval(from + (page * 1_000 + row) * 60, 60, 50));
    t.strictSame(told, []);
  }
  const target = { unitId: 'roof', channel: 'sub1', weighting: AF };
  await history.import(target, pages(3));
  t.strictSame(told.splice(0), [{ unitId: 'roof', channel: 'sub1', source: 'import', from, to: from + 3_000 * 60 }]);
  await t.rejects(history.import(target, pages(1)), { code: 'INVALID' });
  t.strictSame(told, []);
});
