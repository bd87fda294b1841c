/** Size of a channel on the disk: the same as the main channel alone, within the bound of a meter, day and channel. */
import t from 'tap';
import { hoursOfSound } from '../../bench/setting/sound.ts';
import type { Batch } from '../../lib/history/contract.ts';
import { HOUR } from '../contract/history/rows.ts';
import { openedHistory } from '../support/history.ts';

/** Bytes of a meter, day and channel. */
const BOUND = 1_200_000;

t.test('an hour of a recorded channel takes at most a 24th of 1.2 MB, beside others and alone', async (t) => {
  const { history, advance } = await openedHistory(t);
  const [seconds = []] = [...hoursOfSound(HOUR, 1)];
  const weightings = { main: 'A', sub1: 'C', sub2: 'Z' } as const;
  for (const [channel, frequency] of Object.entries(weightings)) {
    // Another weighting has other levels of the same sound: its tenths do not follow those of the main channel.
    const rows = channel === 'main' ? seconds : seconds.map((row) => ({ ...row, ...raised(row) }));
    const batch: Batch = { unitId: 'roof', source: 'stream', weighting: { frequency, time: 'F' }, seconds: rows };
    history.append(channel === 'main' ? batch : { ...batch, channel });
    await history.flush();
  }
  history.append({ unitId: 'alone', source: 'stream', weighting: { frequency: 'A', time: 'F' }, seconds });
  await history.flush();
  // An hour is packed five minutes after its end.
  await advance(3 * 3_600_000, 60_000);
  const { series } = await history.extent('roof');
  const [alone] = (await history.extent('alone')).series;
  t.equal(series.length, 3);
  for (const { channel, bytes, measured } of series) {
    t.equal(measured, 3_600, channel);
    t.ok(bytes > 10_000 && bytes * 24 <= BOUND, `${channel}: ${(bytes * 24) / 1e6} MB a day`);
  }
  t.equal(
    series.find(({ channel }) => channel === 'main')?.bytes,
    alone?.bytes,
    'others cost the main channel nothing',
  );
});

type Second = NonNullable<Batch['seconds']>[number];

function raised({ at, leq, lmax, lmin, lp = [] }: Second): Partial<Second> {
  const by = (place: number) => 6 + ((at * 7 + place * 13) % 30) / 10;
  const up = (level: number | null | undefined, place: number) => (level == null ? null : level + by(place));
  return { leq: up(leq, 1), lmax: up(lmax, 2), lmin: up(lmin, 3), lp: lp.map((level, place) => level + by(place)) };
}
