import t from 'tap';
import { createInstrument, FACTORY_SETUP } from '../../../simulator/acoustics/instrument.ts';
import type { Scenario } from '../../../simulator/acoustics/scenario.ts';
import { known, main } from './setups.ts';

const spectrum = { '500': 60, '1000': 60 };

/** Leq of successive intervals of 100 ms of a scenario, dB. */
function levels(scenario: Scenario, seconds: number, seed = 1): number[] {
  const found: number[] = [];
  const instrument = createInstrument({ seed, scenario: 'own', scenarios: { own: scenario } });
  instrument.onBlock(100, (block) => found.push(main(block.channels).leq));
  instrument.start();
  instrument.advance(seconds * 1000);
  return found;
}

function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

function greatestJump(values: readonly number[]): number {
  return values.reduce(
    (most, value, place) => Math.max(most, place ? Math.abs(value - (values[place - 1] ?? value)) : 0),
    0,
  );
}

t.test('the slow walk has its deviation and never jumps', async (t) => {
  const background = { levelDbA: 60, spectrum, slowDb: 2, fastDb: 0, bandwidthHz: 1000 };
  const found = levels({ description: 'slow', background }, 3600);
  t.ok(Math.abs(deviation(found) - 2) < 0.5, 'about 2 dB', { deviation: deviation(found) });
  t.ok(greatestJump(found) < 0.1, 'no jump', { jump: greatestJump(found) });
});

t.test('the fast variation has its deviation', async (t) => {
  const background = { levelDbA: 60, spectrum, slowDb: 0, fastDb: 1, bandwidthHz: 1000 };
  const found = levels({ description: 'fast', background }, 600);
  t.ok(Math.abs(deviation(found) - 1) < 0.25, 'about 1 dB', { deviation: deviation(found) });
});

t.test('a pass-by rises and falls without a jump, across windows and minutes, to the level it is given', async (t) => {
  const background = { levelDbA: 30, spectrum, slowDb: 0, fastDb: 0, bandwidthHz: 1000 };
  const passBys = [{ perHour: 60, levelDbA: [70, 70], seconds: [20, 20], spectrum } as const];
  const found = levels({ description: 'pass-bys', background, passBys }, 1200);
  const loudest = Math.max(...found);
  t.ok(loudest > 69.8 && loudest < 76, 'the top of one, or of a few at once', { loudest });
  t.ok(Math.min(...found) < 30.1, 'and the background between them');
  t.ok(greatestJump(found) < 12, 'from nothing to the foot of one, but no cliff', { jump: greatestJump(found) });
});

t.test('the step of the model changes no level by more than a hair, impulses included', async (t) => {
  const hours = [1, 10, 100].map((stepMs) => {
    const instrument = createInstrument({ seed: 1, scenario: 'construction', stepMs });
    instrument.start();
    instrument.advance(300_000);
    return main(instrument.display());
  });
  for (const name of ['leq', 'lmin', 'ltm5'] as const) {
    const found = hours.map((values) => known(values[name]));
    t.ok(Math.max(...found) - Math.min(...found) < 0.5, name, { found });
  }
});

t.test('the live level forgets nothing at the full minute: after a bang I falls on at 2.9 dB/s', async (t) => {
  const instrument = createInstrument({ seed: 1, scenario: 'steady-tone' });
  const impulse = { on: true, frequency: 'A', time: 'I' } as const;
  instrument.configure({ ...FACTORY_SETUP, channels: { ...FACTORY_SETUP.channels, main: impulse } });
  instrument.play({ steadyDb: 120 });
  instrument.advance(40_000);
  instrument.play({ steadyDb: 0 });
  const falls = [50_000, 59_990, 60_000, 70_000].map((time) => {
    instrument.advance(time);
    return 120 - known(main(instrument.display()).lp);
  });
  [28.95, 57.87, 57.9, 86.86].forEach((wanted, place) => {
    t.ok(Math.abs((falls[place] ?? 0) - wanted) < 0.1, `${wanted} dB`, { falls });
  });
});

t.test('after a pause levels go on from where the sound is then, not from where they were', async (t) => {
  const instrument = createInstrument({ seed: 1, scenario: 'steady-tone' });
  const lmins: number[] = [];
  instrument.onBlock(1000, (block) => lmins.push(main(block.channels).lmin));
  instrument.play({ steadyDb: 60 });
  instrument.advance(60_000);
  instrument.start();
  instrument.advance(60_500);
  instrument.pause();
  instrument.play({ steadyDb: 40 });
  instrument.advance(80_000);
  instrument.resume();
  instrument.play({ steadyDb: 60 });
  instrument.advance(80_500);
  t.ok(Math.abs(known(main(instrument.display()).lmin) - 40) < 0.01, 'the measurement');
  t.ok(Math.abs((lmins[0] ?? 0) - 40) < 0.01, 'and the block that the pause cut', { lmins });
});
