/** Events about levels that come after their time. */
import t, { type Test } from 'tap';
import type { IntervalRow } from '../../lib/history/contract.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { AF, interval, second } from '../contract/history/rows.ts';
import { openedHistory } from '../support/history.ts';

class SetClock extends VirtualClock {
  behind = 0;

  override now(): number {
    return super.now() - this.behind;
  }
}

async function opened(test: Test) {
  const clock = new SetClock();
  const told: object[] = [];
  const { history } = await openedHistory(test, { clock, onLate: (late) => void told.push(late) });
  const append = (source: 'stream' | 'card' | 'poll', ...times: number[]) =>
    history.append({ unitId: 'roof', source, weighting: AF, seconds: times.map((at) => second(at, 50)) });
  return { clock, told, history, append, now: Math.floor(clock.now() / 1_000) };
}

t.test('levels of cards and those of more than an hour ago are late, those of now are not', async (t) => {
  const { clock, told, append, now } = await opened(t);
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
  clock.behind = 7_200_000;
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
