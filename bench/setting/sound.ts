/** Seconds as a recorder makes them, from an hour of the simulated sound of a road. */
import type { SecondRow } from '../../lib/history/contract.ts';
import { createInstrument, FACTORY_SETUP } from '../../simulator/acoustics/instrument.ts';

const HOUR_MS = 3_600_000;
const tenth = (level: number) => Math.round(level * 10) / 10;
const mean = (levels: readonly number[]) =>
  10 * Math.log10(levels.reduce((sum, level) => sum + 10 ** (level / 10), 0) / levels.length);

/** `count` hours in a row, beginning at `from` (seconds). */
export function* hoursOfSound(from: number, count: number, seed = 1): Generator<SecondRow[]> {
  const instrument = createInstrument({ seed, scenario: 'roadside', stepMs: 20 });
  instrument.configure(FACTORY_SETUP);
  const frames: { lp: number; leq: number; lmax: number; lmin: number; lpeak: number }[] = [];
  instrument.onBlock(100, ({ channels }) => {
    if (channels.main) frames.push(channels.main);
  });
  instrument.start();
  for (let hour = 0; hour < count; hour++) {
    instrument.advance((hour + 1) * HOUR_MS);
    const rows: SecondRow[] = [];
    for (let second = 0; second * 10 < frames.length; second++) {
      const steps = frames.slice(second * 10, second * 10 + 10);
      rows.push({
        at: from + hour * 3_600 + second,
        steps: steps.length,
        leq: mean(steps.map(({ leq }) => tenth(leq))),
        lmax: tenth(Math.max(...steps.map(({ lp }) => lp))),
        lmin: tenth(Math.min(...steps.map(({ lp }) => lp))),
        lpeak: tenth(Math.max(...steps.map(({ lpeak }) => lpeak))),
        lp: steps.map(({ lp }) => tenth(lp)),
      });
    }
    frames.length = 0;
    yield rows;
  }
}
