import t from 'tap';
import { createInstrument } from '../../../simulator/acoustics/instrument.ts';
import { energyMean } from '../../../simulator/acoustics/levels.ts';
import type { Block } from '../../../simulator/contract.ts';
import { known, main } from './setups.ts';

const times = (blocks: readonly Block[]) => blocks.map(({ from, to }) => [from, to]);

t.test('blocks follow each other without a gap, and merged they are the measurement', async (t) => {
  const instrument = createInstrument({ seed: 9, scenario: 'construction' });
  const blocks: Block[] = [];
  instrument.advance(500);
  instrument.start();
  instrument.onBlock(1000, (block) => blocks.push(block));
  instrument.advance(60_500);
  t.same(
    times(blocks),
    Array.from({ length: 60 }, (_, place) => [500 + place * 1000, 1500 + place * 1000]),
  );
  const shown = main(instrument.display());
  const merged = energyMean(blocks.map((block) => main(block.channels).leq));
  t.ok(Math.abs(merged - known(shown.leq)) < 1e-9, 'Leq');
  t.equal(Math.max(...blocks.map((block) => main(block.channels).lmax)), shown.lmax);
  t.equal(Math.min(...blocks.map((block) => main(block.channels).lmin)), shown.lmin);
  t.equal(Math.max(...blocks.map((block) => main(block.channels).lpeak)), shown.lpeak);
  t.equal(blocks.at(-1)?.channels.main?.lp, shown.lp);
  t.ok(
    blocks.every((block) => main(block.channels).le === main(block.channels).leq),
    'LE of one second is Leq',
  );
});

t.test('only complete blocks are handed out, and only while measuring', async (t) => {
  const instrument = createInstrument({ seed: 9, scenario: 'office' });
  let count = 0;
  instrument.onBlock(1000, () => {
    count += 1;
  });
  instrument.advance(5000);
  t.equal(count, 0, 'not before the start');
  instrument.start();
  instrument.advance(7999);
  t.equal(count, 2);
  instrument.stop();
  instrument.advance(20_000);
  t.equal(count, 2, 'the begun one is dropped');
  instrument.start();
  instrument.advance(21_000);
  t.equal(count, 3, 'and the next measurement has a grid of its own');
});

t.test('a pause is left out of measured time and lies within the block that it cuts', async (t) => {
  const instrument = createInstrument({ seed: 9, scenario: 'office' });
  const blocks: Block[] = [];
  instrument.start();
  instrument.onBlock(1000, (block) => blocks.push(block));
  instrument.advance(1500);
  instrument.pause();
  instrument.advance(10_000);
  instrument.resume();
  instrument.advance(11_500);
  instrument.pause();
  instrument.advance(20_000);
  instrument.resume();
  instrument.advance(21_000);
  t.same(times(blocks), [
    [0, 1000],
    [1000, 10_500],
    [10_500, 11_500],
    [20_000, 21_000],
  ]);
});

t.test('intervals that steps do not divide keep their own times', async (t) => {
  const instrument = createInstrument({ seed: 9, scenario: 'office' });
  const blocks: Block[] = [];
  instrument.start();
  instrument.onBlock(25, (block) => blocks.push(block));
  instrument.advance(100);
  t.same(times(blocks), [
    [0, 25],
    [25, 50],
    [50, 75],
    [75, 100],
  ]);
});

t.test('intervals shorter than a step repeat the step they lie in', async (t) => {
  const instrument = createInstrument({ seed: 9, scenario: 'office', stepMs: 100 });
  const blocks: Block[] = [];
  instrument.start();
  instrument.onBlock(25, (block) => blocks.push(block));
  instrument.advance(200);
  t.same(times(blocks).slice(0, 4), [
    [0, 25],
    [25, 50],
    [50, 75],
    [75, 100],
  ]);
  t.equal(blocks.length, 8);
  t.equal(blocks[3]?.channels, blocks[0]?.channels);
  t.not(blocks[4]?.channels.main?.leq, blocks[0]?.channels.main?.leq);
});

t.test('several intervals at once come in the order of time', async (t) => {
  const instrument = createInstrument({ seed: 9, scenario: 'office' });
  const ends: number[] = [];
  instrument.start();
  for (const period of [1000, 100, 700]) instrument.onBlock(period, (block) => ends.push(block.to));
  instrument.advance(10_000);
  t.equal(ends.length, 10 + 100 + 14);
  t.same(
    ends,
    [...ends].sort((one, other) => one - other),
  );
});

t.test('a taker may leave the feed, stop, or start again from within', async (t) => {
  const instrument = createInstrument({ seed: 9, scenario: 'office' });
  let [once, all] = [0, 0];
  const dispose = instrument.onBlock(100, () => {
    once += 1;
    dispose();
  });
  instrument.onBlock(100, () => {
    all += 1;
    if (all === 5) instrument.stop();
  });
  instrument.start();
  instrument.advance(10_000);
  t.same([once, all], [1, 5]);
  t.equal(instrument.measuredMs, 500, 'stopped at the end of that block');
  t.ok(
    Math.abs(known(main(instrument.result()).le) - known(main(instrument.result()).leq) - 10 * Math.log10(0.5)) < 1e-9,
  );
});

t.test('a taker that throws does so to the one who advanced, and the next block comes all the same', async (t) => {
  const instrument = createInstrument({ seed: 9, scenario: 'office' });
  let count = 0;
  instrument.onBlock(1000, () => {
    count += 1;
    if (count === 1) throw new Error('card full');
  });
  instrument.start();
  t.throws(() => instrument.advance(3000), /card full/);
  instrument.advance(3000);
  t.equal(count, 3);
});
