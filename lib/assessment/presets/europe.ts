/** The directive on environmental noise, France, Spain and Italy. */
import type { PresetBody } from '../contract.ts';
import { areas, index, PLAIN, period, wholePeriod } from './build.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;

const lden = (where: string, day: number, evening: number, night: number): PresetBody => ({
  ...PLAIN,
  title: `Lden and Lnight, ${where}`,
  source: 'Directive 2002/49/EC, Annex I',
  night_of: 'midnight',
  periods: [period('day', day, evening), period('evening', evening, night), period('night', night, day)],
  figures: [
    index('lden', { day: 0, evening: 5, night: 10 }),
    wholePeriod('day'),
    wholePeriod('evening'),
    wholePeriod('night'),
  ],
});

/** The periods of the directive. */
export const EU_LDEN = lden('periods of the directive', 7, 19, 23);
/** An evening of two hours, which the directive allows. */
export const EU_LDEN_ITALY = lden('Italy', 6, 20, 22);
/** The periods of Sweden, written down so that they can be changed alone. */
export const EU_LDEN_SWEDEN = lden('Sweden', 6, 18, 22);
/** Spain has the periods of the directive. */
export const EU_LDEN_SPAIN = lden('Spain', 7, 19, 23);

const EMERGENCE = [
  { up_to_s: MINUTE_S, db: 6 },
  { up_to_s: 5 * MINUTE_S, db: 5 },
  { up_to_s: 20 * MINUTE_S, db: 4 },
  { up_to_s: 2 * HOUR_S, db: 3 },
  { up_to_s: 4 * HOUR_S, db: 2 },
  { up_to_s: 8 * HOUR_S, db: 1 },
];

/** How far the noise stands out from the one without it; short noise may more. */
export const FR_VOISINAGE: PresetBody = {
  ...PLAIN,
  title: 'France: neighbourhood noise by emergence',
  source: 'Code de la santé publique, R1336-7',
  periods: [period('day', 7, 22), period('night', 22, 7)],
  figures: [wholePeriod('day'), wholePeriod('night')],
  residual: 'emergence',
  duration: { changes: 'limit', steps: { day: EMERGENCE, night: EMERGENCE } },
  areas: areas(['day', 'night'], { all: ['Everywhere', 5, 3] }),
};

const BY_DIFFERENCE = [
  { above: 10, db: 3 },
  { above: 15, db: 6 },
];

/** Activities, with corrections from differences of weightings. */
export const ES_RD1367: PresetBody = {
  ...PLAIN,
  title: 'Spain: activities, LKeq',
  source: 'Real Decreto 1367/2007, annexes III (table B1) and IV',
  periods: [period('day', 7, 19), period('evening', 19, 23), period('night', 23, 7)],
  figures: [wholePeriod('day'), wholePeriod('evening'), wholePeriod('night')],
  tonal: { by: 'person', values: [0, 3, 6] },
  impulse: { by: 'laieq', steps: BY_DIFFERENCE },
  low_frequency: { by: 'lceq', steps: BY_DIFFERENCE },
  most_added: 9,
  areas: areas(['day', 'evening', 'night'], {
    e: ['Health, teaching, culture', 50, 50, 40],
    a: ['Residential', 55, 55, 45],
    d: ['Tertiary', 60, 60, 50],
    c: ['Leisure', 63, 63, 53],
    b: ['Industrial', 65, 65, 55],
  }),
};

/** Corrected level by the classes of the town. */
export const IT_DM16_3_98: PresetBody = {
  ...PLAIN,
  title: 'Italy: corrected level by class',
  source: 'DM 16/3/1998; limits: DPCM 14/11/1997, table C',
  periods: [period('day', 6, 22), period('night', 22, 6)],
  figures: [wholePeriod('day'), wholePeriod('night')],
  tonal: { by: 'person', values: [0, 3] },
  impulse: { by: 'person', values: [0, 3] },
  low_frequency: { by: 'person', values: [0, 3], periods: ['night'] },
  areas: areas(['day', 'night'], {
    I: ['Specially protected', 50, 40],
    II: ['Mainly residential', 55, 45],
    III: ['Mixed', 60, 50],
    IV: ['Intense human activity', 65, 55],
    V: ['Mainly industrial', 70, 60],
    VI: ['Only industrial', 70, 70],
  }),
};
