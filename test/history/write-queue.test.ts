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
