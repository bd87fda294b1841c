import t from 'tap';
import { createCounters } from '../../lib/domain/fields/counters.ts';
import { SummedCounters } from '../../lib/remote/summed-counters.ts';

const counted = (commands: number, bytesSent = 10 * commands) => ({ ...createCounters(), commands, bytesSent });

t.test('what each place counts is added once; a place that begins anew takes nothing away', async (t) => {
  const sums = new SummedCounters();
  t.notOk(sums.isUsed);
  sums.take('here', counted(5), false);
  sums.take('here', counted(5), false);
  t.match(sums.sums, { commands: 5, bytesSent: 50, frames: 0 });
  sums.take('b', counted(3), false);
  sums.take('b', counted(4), false);
  t.match(sums.sums, { commands: 9, bytesSent: 90 });
  sums.take('here', counted(6), false);
  t.equal(sums.sums.commands, 10, 'it went on while the unit was elsewhere');
  sums.take('b', counted(1), false);
  t.equal(sums.sums.commands, 11, 'a process that was started again counts from zero');
  sums.take('b', counted(2), false);
  t.equal(sums.sums.commands, 12);
  t.ok(sums.isUsed);
});

t.test('what a place has counted before this process began is not its own', async (t) => {
  const sums = new SummedCounters();
  sums.take('b', counted(1_000), true);
  t.equal(sums.sums.commands, 0);
  sums.take('b', counted(1_001), true);
  t.equal(sums.sums.commands, 1);
});
