import t from 'tap';
import { OCTAVE_BANDS, perUnitA, weighSpectrum, weightingAt } from '../../../simulator/acoustics/weighting.ts';

// IEC 61672-1, table 3, at the exact midband frequencies.
const BANDS = ['16', '31.5', '63', '125', '250', '500', '1000', '2000', '4000', '8000', '16000'];
const A = [-56.7, -39.4, -26.2, -16.1, -8.6, -3.2, 0, 1.2, 1.0, -1.1, -6.6];
const C = [-8.5, -3.0, -0.8, -0.2, 0, 0, 0, -0.2, -0.8, -3.0, -8.5];

t.test('A and C weighting are those of IEC 61672-1, table 3, and Z weighs nothing', async (t) => {
  BANDS.forEach((band, place) => {
    const hz = OCTAVE_BANDS[band] ?? Number.NaN;
    const rounded = (value: number) => Math.round(value * 10) / 10 + 0;
    t.equal(rounded(weightingAt('A', hz)), A[place], `A at ${band} Hz`);
    t.equal(rounded(weightingAt('C', hz)), C[place], `C at ${band} Hz`);
    t.equal(weightingAt('Z', hz), 0, `Z at ${band} Hz`);
  });
});

t.test('at 1 kHz all three are 0 to the last bit, so that a calibrator shows one number', async (t) => {
  t.equal(weightingAt('A', 1000), 0);
  t.equal(weightingAt('C', 1000), 0);
});

t.test('a spectrum of one band is that band, weighted', async (t) => {
  const { A: a, C: c, Z: z } = weighSpectrum({ '125': 60 });
  t.ok(Math.abs(10 * Math.log10(a) - (60 - 16.1)) < 0.1, 'A');
  t.ok(Math.abs(10 * Math.log10(c) - (60 - 0.2)) < 0.1, 'C');
  t.ok(Math.abs(10 * Math.log10(z) - 60) < 1e-9, 'Z');
  t.equal(perUnitA({ '125': 60 }).A, 1);
  t.throws(() => weighSpectrum({ '130': 60 }), /no octave band is called 130/);
});
