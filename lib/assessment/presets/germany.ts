/** TA Lärm and AVV Baulärm. */
import type { PresetBody } from '../contract.ts';
import { areas, PLAIN, period, REST_DAYS, WORKDAYS, wholePeriod, worst } from './build.ts';

const HOUR_S = 3_600;

/** Installations: the day as a whole, the night by its loudest full hour. */
export const TA_LAERM: PresetBody = {
  ...PLAIN,
  title: 'Germany: TA Lärm, installations',
  source: 'TA Lärm 1998, No. 6 and annex A.1',
  periods: [period('day', 6, 22), period('night', 22, 6)],
  figures: [wholePeriod('day'), worst('night', 'night', HOUR_S)],
  tonal: { by: 'person', values: [0, 3, 6] },
  impulse: { by: 'takt' },
  rest: {
    db: 6,
    times: [
      { days: WORKDAYS, from: '06:00', to: '07:00' },
      { days: WORKDAYS, from: '20:00', to: '22:00' },
      { days: REST_DAYS, from: '06:00', to: '09:00' },
      { days: REST_DAYS, from: '13:00', to: '15:00' },
      { days: REST_DAYS, from: '20:00', to: '22:00' },
    ],
    areas: ['WA', 'WR', 'cure'],
  },
  areas: areas(['day', 'night'], {
    GI: ['Industrial area', 70, 70],
    GE: ['Commercial area', 65, 50],
    MU: ['Urban area', 63, 45],
    MI: ['Mixed area', 60, 45],
    WA: ['General residential area', 55, 40],
    WR: ['Purely residential area', 50, 35],
    cure: ['Spas, hospitals, nursing homes', 45, 35],
  }),
  peaks_over: { day: 30, night: 20 },
};

/** Building sites: how long the machines run changes the level. */
export const AVV_BAULAERM: PresetBody = {
  ...PLAIN,
  title: 'Germany: AVV Baulärm, building sites',
  source: 'AVV Baulärm 1970, No. 3 and annex 1',
  periods: [period('day', 7, 20), period('night', 20, 7)],
  figures: [wholePeriod('day'), wholePeriod('night')],
  impulse: { by: 'takt' },
  duration: {
    changes: 'level',
    steps: {
      day: [
        { up_to_s: 2.5 * HOUR_S, db: -10 },
        { up_to_s: 8 * HOUR_S, db: -5 },
      ],
      night: [
        { up_to_s: 2 * HOUR_S, db: -10 },
        { up_to_s: 6 * HOUR_S, db: -5 },
      ],
    },
  },
  areas: areas(['day', 'night'], {
    GI: ['Only commercial or industrial', 70, 70],
    GE: ['Mainly commercial', 65, 50],
    MI: ['Mixed', 60, 45],
    WA: ['Mainly residential', 55, 40],
    WR: ['Only residential', 50, 35],
    cure: ['Spas, hospitals, nursing homes', 45, 35],
  }),
};
