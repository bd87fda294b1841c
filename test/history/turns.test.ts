/** Many long questions at once: the process keeps its turns, and a question that nobody waits for costs nothing more. */
import t from 'tap';
import { HOUR, second, stream } from '../contract/history/rows.ts';
import { cpuOfOthers } from '../support/cpu.ts';
import { openedHistory } from '../support/history.ts';

const { history } = await openedHistory(t);
history.append(stream('roof', [second(HOUR, 60)]));
await history.flush();
const DAY = 86_400;

t.test('ten people who ask for a month each leave the event loop its turns', async (t) => {
  const turns = new Map<number, number>();
  let turn = 0;
  let isOn = true;
  const next = () => {
    turn += 1;
    if (isOn) setImmediate(next);
  };
  setImmediate(next);
  const over = { from: HOUR, to: HOUR + 30 * DAY, step: 60 };
  let pages = 0;
  const ask = async () => {
    for await (const _page of (await history.query({ unitId: 'roof', over })).rows) {
      pages += 1;
      turns.set(turn, (turns.get(turn) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 10 }, ask));
  isOn = false;
  t.equal(pages, 10 * 216);
  t.ok(Math.max(...turns.values()) <= 2, `${Math.max(...turns.values())} pages in one turn`);
});

t.test('a question that is abandoned midway costs nothing more', async (t) => {
  const leaving = new AbortController();
  const over = { from: HOUR, to: HOUR + 50 * DAY, step: 1 };
  const asked = Array.from({ length: 5 }, async () => {
    for await (const _page of (await history.query({ unitId: 'roof', over }, leaving.signal)).rows);
  });
  const ended = Promise.allSettled(asked);
  await new Promise((resolve) => setTimeout(resolve, 50));
  leaving.abort(new Error('nobody waits'));
  const outcomes = await ended;
  t.ok(outcomes.every(({ status }) => status === 'rejected'));
  await history.units();
  t.ok((await cpuOfOthers(200)) < 100, 'the thread rests');
  for await (const _page of (await history.query({ unitId: 'roof', over })).rows) break;
  await history.units();
  t.ok((await cpuOfOthers(200)) < 100, 'also when a loop is left');
});
