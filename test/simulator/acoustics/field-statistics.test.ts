/**
 * How often the office shows what the captured results and frames of a real meter show: 900 measurements with S and F, and half
 * an hour of frames. docs/protocol.md states these rates.
 */
import t from 'tap';
import { createInstrument, FACTORY_SETUP } from '../../../simulator/acoustics/instrument.ts';
import type { TimeWeighting } from '../../../simulator/contract.ts';
import { known, main } from './setups.ts';

const EACH = 225;
const BETWEEN_MS = 7_300;

function office(time: TimeWeighting) {
  const instrument = createInstrument({ seed: 3, scenario: 'office' });
  const { channels } = FACTORY_SETUP;
  instrument.configure({ ...FACTORY_SETUP, channels: { ...channels, main: { on: true, frequency: 'A', time } } });
  instrument.advance(20_000);
  return instrument;
}

/** In per cent of the measurements, as the meter shows the values. */
function rates(time: TimeWeighting, ms: number) {
  const instrument = office(time);
  const seen = { l5IsL10: 0, l90IsLmin: 0, outsideAtBothEnds: 0, fartherOutside: 0 };
  for (let now = 20_000, run = 0; run < EACH; run++, now += ms + BETWEEN_MS) {
    instrument.advance(now);
    instrument.start();
    instrument.advance(now + ms);
    instrument.stop();
    const { ln, lmax, lmin } = main(instrument.result());
    const tenths = (level: number | null) => Math.round(known(level) * 10);
    const [above, below] = [tenths(ln[0]) - tenths(lmax), tenths(lmin) - tenths(ln[4])];
    seen.l5IsL10 += Number(tenths(ln[0]) === tenths(ln[1]));
    seen.l90IsLmin += Number(tenths(ln[3]) === tenths(lmin));
    seen.outsideAtBothEnds += Number(above === 1 && below === 1);
    seen.fartherOutside += Number(above > 1 || below > 1);
  }
  return Object.fromEntries(Object.entries(seen).map(([name, times]) => [name, (100 * times) / EACH]));
}

const ROWS = [
  { time: 'S', ms: 10_000, l5IsL10: [40, 60], l90IsLmin: [45, 70], outsideAtBothEnds: [4, 15] },
  { time: 'S', ms: 3_100, l5IsL10: [45, 70], l90IsLmin: [45, 70], outsideAtBothEnds: [35, 60] },
  { time: 'F', ms: 10_000, l5IsL10: [2, 12], l90IsLmin: [0, 2], outsideAtBothEnds: [0, 1] },
  { time: 'F', ms: 3_100, l5IsL10: [8, 22], l90IsLmin: [3, 15], outsideAtBothEnds: [0, 3] },
] as const;

for (const { time, ms, ...expected } of ROWS) {
  t.test(`percentiles of measurements of ${ms} ms with ${time}`, async (t) => {
    const got = rates(time, ms);
    for (const [name, [least, most]] of Object.entries(expected)) {
      const rate = known(got[name] ?? null);
      t.ok(rate >= least && rate <= most, `${name} in ${rate} %`);
    }
    t.equal(got.fartherOutside, 0, 'never by more than 0.1 dB');
  });
}

t.test('with S the Leq of 100 ms lies now and then 1.3 dB below Lp, as in a captured frame', async (t) => {
  const instrument = office('S');
  instrument.beginFrames();
  let frames = 0;
  let below = 0;
  for (let at = 20_100; at <= 20_000 + 1_800_000; at += 100) {
    instrument.advance(at);
    const { lp, leq } = main(instrument.frame());
    frames += 1;
    below += Number(Math.round(lp * 10) - Math.round(leq * 10) >= 13);
  }
  t.ok(below / frames > 0.001 && below / frames < 0.02, `${below} of ${frames}`);
});
