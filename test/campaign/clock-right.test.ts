/** Which clock of a meter a run that goes on sets: the meter was read so often that its clock is known to a few milliseconds. */
import t from 'tap';
import { createLog } from '../../lib/log.ts';
import type { Reservation } from '../../lib/meter/contract.ts';
import type { Host } from '../../lib/plugin/contract.ts';
import { ClockSync } from '../../plugins/campaign/clock/clock-sync.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { standIn } from '../support/stand-in.ts';

/** Commands to a meter whose clock is so far ahead, plus or minus 2 ms. */
async function sentTo(offsetMs: number): Promise<readonly string[]> {
  const clock = new VirtualClock();
  const signal = new AbortController().signal;
  const look = () => ({ clock: { at: clock.now(), offsetMs, uncertaintyMs: 2 } });
  const host = standIn<Host>({
    clock,
    signal,
    log: createLog('silent'),
    on: () => () => {},
    reachability: look,
  });
  const sent: string[] = [];
  const perform = async (...given: readonly [name: string, ...more: readonly unknown[]]) => void sent.push(given[0]);
  const done = new ClockSync(host).setWhereWrong('roof', 'UTC', standIn<Reservation>({ perform }));
  await clock.advance(10_000);
  await done;
  return sent;
}

t.test('a clock stays as it is where a setting would make it no better', async (t) => {
  for (const [offset, isSet] of [
    [4, false],
    [-4, false],
    [202, false],
    [203, true],
    [-203, true],
  ] as const)
    t.same(await sentTo(offset), isSet ? ['clock', 'setClock', 'clock'] : ['clock'], `${offset} ms`);
});
