import t from 'tap';
import { createInstrument, FACTORY_SETUP } from '../../../simulator/acoustics/instrument.ts';
import type { DisplayValues } from '../../../simulator/contract.ts';
import { known, main, measured, threeWeightings } from './setups.ts';

t.test('a steady tone is measured exactly: Leq, Lmax, Lmin, LN, LE - Leq and a peak 3.01 dB above', async (t) => {
  const instrument = createInstrument({ seed: 1, scenario: 'steady-tone' });
  instrument.configure(threeWeightings('S', 10_000));
  instrument.start();
  instrument.advance(60_000);
  for (const channel of [instrument.display().main, instrument.display().sub1, instrument.display().sub2]) {
    const values = channel as DisplayValues;
    for (const name of ['lp', 'leq', 'lmax', 'lmin', 'lieq', 'leqMov', 'ltm5'] as const) {
      t.ok(Math.abs(known(values[name]) - 94) < 1e-9, `${name} 94`);
    }
    t.same(values.ln, [94.1, 94.1, 94, 93.9, 93.9], 'the one class, and the next outwards');
    t.ok(Math.abs(known(values.lpeak) - 97.0103) < 1e-4, 'Lpeak');
    t.ok(Math.abs(known(values.le) - (94 + 10 * Math.log10(60))) < 1e-9, 'LE');
  }
});

t.test('a sound of 0 dB with a burst in it gives the tone-burst levels of IEC 61672-1 on the display', async (t) => {
  const wanted = [
    [1000, 0, -2],
    [500, -0.1, -4.1],
    [200, -1, -7.4],
    [100, -2.6, -10.2],
    [50, -4.8, -13.1],
    [20, -8.3, -17],
  ] as const;
  for (const [ms, fast, slow] of wanted) {
    const instrument = createInstrument({ seed: 1, scenario: 'steady-tone', stepMs: 1 });
    const { main: first, sub1, ...others } = FACTORY_SETUP.channels;
    const channels = { main: first, sub1: { ...sub1, on: true, frequency: 'A', time: 'S' }, ...others } as const;
    instrument.configure({ ...FACTORY_SETUP, channels });
    instrument.play({ steadyDb: -10 });
    instrument.advance(200_000);
    instrument.start();
    instrument.play({ steadyDb: 100 });
    instrument.advance(200_000 + ms);
    instrument.play({ steadyDb: -10 });
    instrument.advance(202_000);
    const shown = instrument.display();
    t.ok(Math.abs(known(main(shown).lmax) - 100 - fast) <= 0.1, `F, ${ms} ms`);
    t.ok(Math.abs(known(shown.sub1?.lmax ?? null) - 100 - slow) <= 0.1, `S, ${ms} ms`);
    t.ok(Math.abs(known(main(shown).le) - 100 - 10 * Math.log10(ms / 1000)) <= 0.01, `LE, ${ms} ms`);
  }
});

t.test('a new start clears the display but not the last result', async (t) => {
  const instrument = createInstrument({ seed: 3, scenario: 'roadside' });
  instrument.start();
  instrument.advance(20_000);
  instrument.stop();
  const before = instrument.result();
  instrument.start();
  instrument.advance(21_000);
  t.ok(known(main(instrument.display()).le) - known(main(instrument.display()).leq) < 1e-9, 'one second');
  t.equal(instrument.result(), before);
  t.equal(instrument.measuredMs, 1000);
});

t.test('in a pause time, energy, extremes and statistics stand still, and go on after it', async (t) => {
  const instrument = createInstrument({ seed: 3, scenario: 'roadside' });
  instrument.start();
  instrument.advance(20_000);
  instrument.pause();
  const paused = main(instrument.display());
  instrument.play({ steadyDb: 120 });
  instrument.advance(500_000);
  t.same(measured(main(instrument.display())), measured(paused));
  t.ok(Math.abs(known(main(instrument.display()).lp) - 120) < 1e-6, 'Lp lives');
  t.equal(instrument.measuredMs, 20_000);
  instrument.play({ steadyDb: 60 });
  instrument.advance(600_000);
  instrument.resume();
  instrument.advance(620_000);
  t.equal(instrument.measuredMs, 40_000);
  t.ok(known(main(instrument.display()).lmax) < 90, 'the 120 dB of the pause are not in it');
  t.ok(Math.abs(known(main(instrument.display()).lmin) - 60) < 1e-6);
});

t.test('a running measurement keeps the setup it began with; the next one has the new', async (t) => {
  const instrument = createInstrument({ seed: 3, scenario: 'roadside' });
  instrument.start();
  instrument.advance(10_000);
  instrument.configure(threeWeightings('S'));
  instrument.advance(20_000);
  t.equal(instrument.display().sub2, null);
  instrument.stop();
  t.equal(known(instrument.display().sub2?.lp ?? null) > 0, true, 'live at once');
  t.equal(instrument.display().sub2?.leq, null, 'without measured values');
  instrument.start();
  instrument.advance(30_000);
  t.ok(known(instrument.display().sub2?.leq ?? null) > known(main(instrument.display()).leq), 'Z above A');
});

t.test('steps and levels that make no sense are refused', async (t) => {
  t.throws(
    () => createInstrument({ seed: 1, scenario: 'office', stepMs: 30 }),
    /a step of 30 ms does not divide 100 ms/,
  );
  t.throws(() => createInstrument({ seed: 1, scenario: 'office', stepMs: 0 }), RangeError);
  const instrument = createInstrument({ seed: 1, scenario: 'office' });
  t.throws(() => instrument.play({ steadyDb: Number.NaN }), /a steady level must be a number/);
  t.throws(() => instrument.play({ scenario: 'disco' }), /no scenario is called disco/);
  t.throws(() => instrument.onBlock(0, () => {}), RangeError);
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
