/**
 * Published and recomputed values: ISO 1996-1, directive 2002/49/EC Annex I, 24 CFR 51, California CNEL. docs/measuring.md shows the
 * same table, and a test holds it against this one.
 */
import {
  budget,
  energyMean,
  exposureLevel,
  indexOf,
  LevelCounts,
  type PeriodName,
  PRESETS,
} from '../../../../lib/domain/indices/index.ts';
import { spanOf } from './spans.ts';

const equally = (...levels: number[]) => levels.map((level) => ({ level, seconds: 1 }));

const indexFor = (preset: keyof typeof PRESETS, ...periods: [name: PeriodName, hours: number, level: number][]) =>
  indexOf(
    periods.map(([period, hours, leq]) => ({ period, hours, levels: spanOf({ leq, seconds: hours * 3_600 }) })),
    PRESETS[preset],
  );
const flat = (preset: keyof typeof PRESETS, day: number, evening: number, night: number) =>
  indexFor(preset, ['day', day, 60], ['evening', evening, 60], ['night', night, 60]);

const ONE_TO_HUNDRED = new LevelCounts();
for (let level = 1; level <= 100; level++) ONE_TO_HUNDRED.add(level);

const MIXED = [80, 80.3, 80.6, 80.4, 79.7, 76.9];

/** What, what comes out, what must, to how many decimals. */
export const PUBLISHED: readonly (readonly [what: string, actual: number | null, expected: number, digits: number])[] =
  [
    ['Leq of 80, 80.3, 80.6, 80.4, 79.7, 76.9', energyMean(equally(...MIXED)), 79.80699, 5],
    ['LE of the same, 1 s each', exposureLevel(energyMean(equally(...MIXED)) ?? 0, 6), 87.5885, 5],
    ['Leq of 50 and 70 (and not 60)', energyMean(equally(50, 70)), 67.03, 2],
    [
      '59 min at 50 and 1 min at 80: LAeq,1h',
      energyMean([
        { level: 50, seconds: 59 * 60 },
        { level: 80, seconds: 60 },
      ]),
      62.4674,
      4,
    ],
    ['twice the energy is more by', (energyMean(equally(60)) ?? 0) + 10 * Math.log10(2) - 60, 3.0103, 4],
    [
      'Lden of day 80, evening 65, night 45',
      indexFor('eu', ['day', 12, 80], ['evening', 4, 65], ['night', 8, 45]),
      77.14096,
      5,
    ],
    ['Ldn of day 80, night 45', indexFor('us', ['day', 15, 80], ['night', 9, 45]), 77.96703, 5],
    ['flat 60: Lden', flat('eu', 12, 4, 8), 66.3952, 4],
    ['flat 60: Ldn', indexFor('us', ['day', 15, 60], ['night', 9, 60]), 66.4098, 4],
    ['flat 60: CNEL', flat('cnel', 12, 3, 9), 66.6511, 4],
    [
      'day 70, evening 65, night 60: Lden',
      indexFor('eu', ['day', 12, 70], ['evening', 4, 65], ['night', 8, 60]),
      70,
      10,
    ],
    ['flat 60, spring day of 23 h with a night of 7 h: Lden', flat('eu', 12, 4, 7), 66.1439, 4],
    ['levels 1 to 100: L10', ONE_TO_HUNDRED.exceeded(10), 90.1, 10],
    ['levels 1 to 100: L50', ONE_TO_HUNDRED.exceeded(50), 50.5, 10],
    ['levels 1 to 100: L90', ONE_TO_HUNDRED.exceeded(90), 10.9, 10],
    [
      'limit 75 over 15 min, 10 min at 74: the rest may average',
      budget({ limit: 75, windowS: 900, elapsedS: 600, measuredS: 600, leq: 74 }).remainingMayAverage,
      76.4963,
      4,
    ],
  ];
