/** The United States, Japan, Singapore, Hong Kong, and aircraft noise. */
import type { PresetBody } from '../contract.ts';
import { areas, index, PLAIN, period, THREEFOLD, wholePeriod, worst } from './build.ts';

/** Two periods, the night counts 10 dB more. */
export const US_LDN: PresetBody = {
  ...PLAIN,
  title: 'United States: Ldn',
  source: '24 CFR 51, subpart B',
  night_of: 'midnight',
  periods: [period('day', 7, 22), period('night', 22, 7)],
  figures: [index('ldn', { day: 0, night: 10 }), wholePeriod('day'), wholePeriod('night')],
  areas: areas(['ldn'], { all: ['Acceptable', 65] }),
};

/** With an evening that counts three times. */
export const US_CNEL: PresetBody = {
  ...PLAIN,
  title: 'California: CNEL',
  source: 'California Code of Regulations, title 21, section 5001',
  night_of: 'midnight',
  periods: [period('day', 7, 19), period('evening', 19, 22), period('night', 22, 7)],
  figures: [
    index('cnel', { day: 0, evening: THREEFOLD, night: 10 }),
    wholePeriod('day'),
    wholePeriod('evening'),
    wholePeriod('night'),
  ],
  areas: areas(['cnel'], { all: ['Acceptable', 65] }),
};

/** The environment by its Leq, works at the boundary by L5. */
export const JP_KANKYO: PresetBody = {
  ...PLAIN,
  title: 'Japan: environmental quality standard, and works at the boundary',
  source: 'Environment Agency notice 64 of 1998; Noise Regulation Act, specified construction work',
  periods: [period('day', 6, 22), period('night', 22, 6)],
  figures: [wholePeriod('day'), wholePeriod('night'), { name: 'works', period: 'day', quantity: 5, window_s: null }],
  areas: areas(['day', 'night', 'works'], {
    AA: ['Quiet is specially needed', 50, 40],
    A: ['Only residential', 55, 45],
    B: ['Mainly residential', 55, 45],
    C: ['Residential beside commerce and industry', 60, 50],
  }).concat({ name: 'works', title: 'Boundary of a building site', limits: { works: 85 } }),
};

const DAY_EVENING_NIGHT = [period('day', 7, 19), period('evening', 19, 22), period('night', 22, 7)];
const SHORT_S = 300;

/** Building sites: the day as a whole, hours later, and five minutes always. */
export const SG_CONSTRUCTION: PresetBody = {
  ...PLAIN,
  title: 'Singapore: building sites',
  source: 'Environmental Protection and Management (Control of Noise at Construction Sites) Regulations',
  periods: DAY_EVENING_NIGHT,
  figures: [
    wholePeriod('day'),
    worst('evening', 'evening', 3_600),
    worst('night', 'night', 3_600),
    worst('day_5min', 'day', SHORT_S),
    worst('evening_5min', 'evening', SHORT_S),
    worst('night_5min', 'night', SHORT_S),
  ],
  areas: areas(['day', 'evening', 'night', 'day_5min', 'evening_5min', 'night_5min'], {
    hospital: ['Hospitals, schools, homes for the aged', 60, 50, 50, 75, 55, 55],
    residential: ['Residential within 150 m', 75, 65, 55, 90, 70, 55],
    other: ['Others', 75, 65, 65, 90, 70, 70],
  }),
};

/** Building sites by half hours. */
export const HK_CONSTRUCTION: PresetBody = {
  ...PLAIN,
  title: 'Hong Kong: building sites',
  source: 'Noise Control Ordinance, technical memoranda; ProPECC PN 2/93',
  periods: DAY_EVENING_NIGHT,
  figures: [worst('day', 'day', 1_800), worst('evening', 'evening', SHORT_S), worst('night', 'night', SHORT_S)],
  areas: [
    { name: 'dwelling', title: 'Dwellings by day', limits: { day: 75 } },
    { name: 'school', title: 'Schools by day', limits: { day: 70 } },
    ...areas(['evening', 'night'], {
      A: ['Area sensitivity rating A', 60, 45],
      B: ['Area sensitivity rating B', 65, 50],
      C: ['Area sensitivity rating C', 70, 55],
    }),
  ],
};

/** Aircraft: single events and what they are of the whole. */
export const ISO20906: PresetBody = {
  ...PLAIN,
  title: 'Aircraft noise by events',
  source: 'ISO 20906:2009',
  periods: [period('day', 6, 22), period('night', 22, 6)],
  figures: [wholePeriod('day'), wholePeriod('night')],
  events: { threshold: null, over_background: 10, min_s: 5, hold_s: 10, nat: [60, 65, 70] },
};
