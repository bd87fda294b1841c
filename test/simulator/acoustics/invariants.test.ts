import fc from 'fast-check';
import t from 'tap';
import { createInstrument } from '../../../simulator/acoustics/instrument.ts';
import { scenarioNames } from '../../../simulator/acoustics/scenario.ts';
import type { DisplayValues } from '../../../simulator/contract.ts';
import { known, main, threeWeightings } from './setups.ts';

const runs = { numRuns: 60 };
const anyScenario = fc.constantFrom(...scenarioNames());
const worlds = fc.record({
  seed: fc.integer(),
  scenario: anyScenario,
  time: fc.constantFrom('F', 'S', 'I'),
  stepMs: fc.constantFrom(5, 10, 20, 100),
  waits: fc.array(fc.integer({ min: 100, max: 9000 }), { minLength: 2, maxLength: 8 }),
});

const HAIR = 1e-9;

/** Laws within one look at a channel. */
function consistent(values: DisplayValues, seconds: number): string | null {
  const [lp, leq, le, lmax, lmin, lpeak] = [
    values.lp,
    values.leq,
    values.le,
    values.lmax,
    values.lmin,
    values.lpeak,
  ].map(known) as [number, number, number, number, number, number];
  const ln = values.ln.map(known);
  if (!(lmin <= lp && lp <= lmax)) return 'Lmin <= Lp <= Lmax';
  if (Math.abs(le - leq - 10 * Math.log10(seconds)) > HAIR) return 'LE - Leq = 10 lg T';
  const falling = [lmax, ...ln, lmin].map((level) => Math.round(level * 10));
  falling[0] = (falling[0] as number) + 1;
  falling[6] = (falling[6] as number) - 1;
  if (falling.some((level, place) => place > 0 && level > (falling[place - 1] as number)))
    return 'as shown: Lmin - 0.1 <= LN5 ... LN1 <= Lmax + 0.1';
  if (lpeak < leq + 3.01) return 'Lpeak at least a crest of 3.01 dB over Leq';
  return null;
}

/** Laws from one look to the next within a measurement. */
function monotonic(before: DisplayValues, after: DisplayValues): string | null {
  if (known(after.lmax) < known(before.lmax)) return 'Lmax fell';
  if (known(after.lmin) > known(before.lmin)) return 'Lmin rose';
  if (known(after.lpeak) < known(before.lpeak)) return 'Lpeak fell';
  if (known(after.le) < known(before.le) - HAIR) return 'LE fell';
  return null;
}

t.test('in every scenario, for every seed, the values of a measurement are consistent and move one way', async (t) => {
  const property = fc.property(worlds, ({ seed, scenario, time, stepMs, waits }) => {
    const instrument = createInstrument({ seed, scenario, stepMs });
    instrument.configure(threeWeightings(time));
    instrument.start();
    let now = 0;
    let before: DisplayValues | null = null;
    for (const wait of waits) {
      now += wait;
      instrument.advance(now);
      const shown = main(instrument.display());
      const wrong = consistent(shown, instrument.measuredMs / 1000) ?? (before && monotonic(before, shown));
      if (wrong) throw new Error(wrong);
      before = shown;
    }
  });
  t.doesNotThrow(() => fc.assert(property, runs));
});

t.test('Leq lies between Lmin and Lmax, LIeq and Ltm5 are not below it, once the measurement is long', async (t) => {
  const property = fc.property(fc.integer(), anyScenario, (seed, scenario) => {
    const instrument = createInstrument({ seed, scenario });
    instrument.start();
    instrument.advance(120_000);
    const shown = main(instrument.display());
    const [leq, lmin, lmax] = [known(shown.leq), known(shown.lmin), known(shown.lmax)];
    return [leq - lmin, lmax - leq, known(shown.lieq) - leq + 0.01, known(shown.ltm5) - leq].every(
      (difference) => difference >= -HAIR,
    );
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 25 }));
});

t.test('Z lies above C and C above A in broadband noise', async (t) => {
  const scenarios = scenarioNames().filter((name) => name !== 'steady-tone');
  const property = fc.property(fc.integer(), fc.constantFrom(...scenarios), (seed, scenario) => {
    const instrument = createInstrument({ seed, scenario });
    instrument.configure(threeWeightings('S'));
    instrument.start();
    instrument.advance(60_000);
    const { main: a, sub1: c, sub2: z } = instrument.display();
    return known(z?.leq ?? null) >= known(c?.leq ?? null) && known(c?.leq ?? null) >= known(a?.leq ?? null);
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 25 }));
});

t.test('outdoors C and Z lie 3 to 15 dB above A', async (t) => {
  for (const scenario of ['roadside', 'night']) {
    const instrument = createInstrument({ seed: 1, scenario });
    instrument.configure(threeWeightings('F'));
    instrument.start();
    instrument.advance(600_000);
    const { main: a, sub1: c, sub2: z } = instrument.display();
    for (const [name, level] of [
      ['C', c?.leq],
      ['Z', z?.leq],
    ] as const) {
      const above = known(level ?? null) - known(a?.leq ?? null);
      t.ok(above >= 3 && above <= 15, `${scenario}: ${name}`, { above });
    }
  }
});

t.test('impulses lift LIeq and the peak far above Leq, where steady noise does not', async (t) => {
  const [site, room] = ['construction', 'office'].map((scenario) => {
    const instrument = createInstrument({ seed: 1, scenario });
    instrument.start();
    instrument.advance(600_000);
    return main(instrument.display());
  });
  const over = (values: DisplayValues | undefined, name: 'lieq' | 'lpeak') =>
    known(values?.[name] ?? null) - known(values?.leq ?? null);
  t.ok(over(site, 'lieq') > 5 && over(room, 'lieq') < 1, 'LIeq');
  t.ok(over(site, 'lpeak') > 25 && over(room, 'lpeak') < 18, 'Lpeak');
});
