import t from 'tap';
import { createInstrument, FACTORY_SETUP } from '../../../simulator/acoustics/instrument.ts';
import { main, threeWeightings } from './setups.ts';

const slowMain = {
  ...FACTORY_SETUP,
  channels: { ...FACTORY_SETUP.channels, main: { on: true, frequency: 'A', time: 'S' } },
} as const;

/** As the meter would print it. */
const shown = (level: number) => Math.round(level * 10) / 10;

t.test('a frame has the look of captured ones: Lmax and Lmin are the two ends of its 100 ms, Lp its end', async (t) => {
  // 163, 43.7, 43.2, 43.8, 43.7: slow weighting, before it a level that was 43.8. Then one rising and one falling again.
  for (const [before, leq, lp, lmax, lmin] of [
    [43.8, 43.2, 43.7, 43.8, 43.7],
    [46.2, 46.7, 46.3, 46.3, 46.2],
    [46.3, 44.9, 46.2, 46.3, 46.2],
  ] as const) {
    const instrument = createInstrument({ seed: 1, scenario: 'steady-tone' });
    instrument.configure(slowMain);
    instrument.play({ steadyDb: before });
    instrument.advance(200_000);
    instrument.beginFrames();
    instrument.play({ steadyDb: leq });
    instrument.advance(200_100);
    const frame = main(instrument.frame());
    t.same(
      [frame.lp, frame.leq, frame.lmax, frame.lmin].map(shown),
      [lp, leq, lmax, lmin],
      `from ${before} with ${leq}`,
    );
  }
});

t.test('a frame stays until the next is complete, and each request begins a new grid', async (t) => {
  const instrument = createInstrument({ seed: 2, scenario: 'roadside' });
  instrument.advance(1000);
  instrument.beginFrames();
  instrument.advance(1100);
  const first = instrument.frame();
  instrument.advance(1199);
  t.equal(instrument.frame(), first);
  instrument.advance(1200);
  t.notSame(instrument.frame(), first);
  instrument.advance(1250);
  const second = instrument.frame();
  instrument.beginFrames();
  t.notSame(instrument.frame(), second, 'the 100 ms before the request');
});

t.test('frames do not ask whether a measurement runs', async (t) => {
  const [measuring, stopped] = [true, false].map((start) => {
    const instrument = createInstrument({ seed: 2, scenario: 'office' });
    instrument.configure(threeWeightings('F'));
    if (start) instrument.start();
    instrument.advance(12_340);
    return instrument.frame();
  });
  t.strictSame(measuring, stopped);
});

t.test('peaks of noise lie about 11 dB above a frame, as captured', async (t) => {
  const instrument = createInstrument({ seed: 2, scenario: 'office' });
  let sum = 0;
  for (let count = 1; count <= 200; count++) {
    instrument.advance(count * 100);
    const { lpeak, leq } = main(instrument.frame());
    t.ok(lpeak - leq >= 3.01, 'never below the crest of a sine');
    sum += lpeak - leq;
  }
  t.ok(Math.abs(sum / 200 - 11) < 1, 'on average', { mean: sum / 200 });
});
