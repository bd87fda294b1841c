/** How rows wait for a disk that takes none. */
import t from 'tap';
import { WriteQueue } from '../../lib/history/write-queue.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { second, stream } from '../contract/history/rows.ts';

t.test('after hours without room rows are recorded within two seconds of the first room', async (t) => {
  const clock = new VirtualClock();
  let hasRoom = false;
  const write = async () => {
    if (!hasRoom) throw new Error('no room');
    return { duplicates: 0 };
  };
  const queue = new WriteQueue({ clock, log: createLog('silent'), write, problemOf: () => 'full' });
  queue.append(stream('roof', [second(1_795_240_800, 60)]));
  for (let step = 0; step < 3_600; step++) await clock.advance(3_000);
  t.match(queue.status, { state: 'full', waiting: 1 });
  hasRoom = true;
  await clock.advance(2_000);
  await new Promise((resolve) => setImmediate(resolve));
  t.match(queue.status, { state: 'recording', waiting: 0 });
  await queue.close();
});

t.test(
  'after ten batches with mostly known levels there is a fault, until the first batch with new levels',
  async (t) => {
    const clock = new VirtualClock();
    let duplicates = 0;
    let are = 0;
    const write = async () => {
      duplicates += are;
      return { duplicates };
    };
    const lines: string[] = [];
    const log = createLog('debug', { write: (line: string) => void lines.push(line) });
    const queue = new WriteQueue({ clock, log, write, problemOf: () => 'full' });
    const record = async (batches: number, dropped: number) => {
      are = dropped;
      for (let batch = 0; batch < batches; batch += 1) {
        queue.append(stream('roof', [second(1_795_240_800, 60), second(1_795_240_801, 60)]));
        await clock.advance(500);
      }
    };
    await record(1, 5_000);
    await record(20, 0);
    t.equal(queue.status.drops, false, 'many at once, as they are carried to a shared database');
    await record(9, 1);
    t.equal(queue.status.drops, false);
    await record(1, 1);
    t.equal(queue.status.drops, true);
    await record(20, 2);
    await record(1, 0);
    t.equal(queue.status.drops, false);
    t.match(lines, [/levels are dropped/, /levels are kept again/]);
    await queue.close();
  },
);
