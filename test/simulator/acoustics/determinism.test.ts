import t from 'tap';
import { createInstrument } from '../../../simulator/acoustics/instrument.ts';
import type { Block, BlockValues, DisplayValues, PerChannel } from '../../../simulator/contract.ts';
import { threeWeightings } from './setups.ts';

interface ReceivedLine {
  readonly shown: readonly PerChannel<DisplayValues>[];
  readonly frames: readonly PerChannel<BlockValues>[];
  readonly blocks: readonly Block[];
}

/** One afternoon of a meter. Time comes in parts of `partMs`. `nosy`: somebody looks at it after each part. */
function afternoon(partMs: number, nosy: boolean, seed = 5): ReceivedLine {
  const instrument = createInstrument({ seed, scenario: 'construction' });
  const shown: PerChannel<DisplayValues>[] = [];
  const frames: PerChannel<BlockValues>[] = [];
  const blocks: Block[] = [];
  let now = 0;
  const until = (to: number) => {
    for (; now < to; now = Math.min(to, now + partMs)) {
      instrument.advance(now);
      if (nosy) {
        instrument.display();
        instrument.frame();
      }
    }
    instrument.advance(to);
    shown.push(instrument.display());
    frames.push(instrument.frame());
  };
  instrument.configure(threeWeightings('I', 10_000));
  until(33_330);
  instrument.start();
  const dispose = instrument.onBlock(700, (block) => blocks.push(block));
  until(70_070);
  instrument.pause();
  until(200_000);
  instrument.resume();
  until(215_550);
  instrument.play({ scenario: 'night' });
  until(230_000);
  dispose();
  instrument.beginFrames();
  until(330_040);
  instrument.stop();
  until(1_000_000);
  return { shown, frames, blocks };
}

t.test(
  'the same calls give the same numbers to the last bit, however time is handed over and whoever looks',
  async (t) => {
    const wanted = afternoon(1_000_000, false);
    t.equal(wanted.blocks.length, 95, '36.74 s before the pause and 30 s after it, in whole blocks of 0.7 s');
    for (const [partMs, nosy] of [
      [10, false],
      [100, true],
      [77, true],
      [5003, false],
      [60_000, true],
    ] as const) {
      t.strictSame(afternoon(partMs, nosy), wanted, `parts of ${partMs} ms${nosy ? ', looked at' : ''}`);
    }
  },
);

t.test('another seed or another scenario is another sound', async (t) => {
  t.notSame(afternoon(60_000, false, 6).shown, afternoon(60_000, false, 5).shown);
  const lp = (scenario: string) => createInstrument({ seed: 5, scenario }).display().main?.lp;
  t.not(lp('office'), lp('night'));
});

t.test('a live level is the same when listening began long ago as when it begins now', async (t) => {
  const early = createInstrument({ seed: 8, scenario: 'roadside' });
  const late = createInstrument({ seed: 8, scenario: 'roadside' });
  early.start();
  early.advance(7_199_990);
  late.advance(7_199_990);
  t.ok(Math.abs((early.display().main?.lp ?? 0) - (late.display().main?.lp ?? 99)) < 1e-9);
});

t.test('a year without a question costs next to nothing', async (t) => {
  const instrument = createInstrument({ seed: 1, scenario: 'roadside' });
  // Worked through, it would be half an hour of computing, and the limit of the test would end it.
  for (let minute = 1; minute <= 60 * 24 * 365; minute++) instrument.advance(minute * 60_000);
  t.ok((instrument.display().main?.lp ?? 0) > 60);
});
