/** BS 5228 and BS 4142. */
import type { PresetBody } from '../contract.ts';
import { ALL_DAYS, areas, PLAIN, period, REST_DAYS, WEEKDAYS, wholePeriod, worst } from './build.ts';

/** Building sites: the category follows from the ambient level. */
export const UK_BS5228: PresetBody = {
  ...PLAIN,
  title: 'United Kingdom: BS 5228, building sites (ABC method)',
  source: 'BS 5228-1, annex E',
  periods: [
    {
      name: 'day',
      times: [
        { days: WEEKDAYS, from: '07:00', to: '19:00' },
        { days: ['sat'], from: '07:00', to: '13:00' },
      ],
    },
    {
      name: 'evening',
      times: [
        { days: WEEKDAYS, from: '19:00', to: '23:00' },
        { days: ['sat'], from: '13:00', to: '23:00' },
        { days: REST_DAYS, from: '07:00', to: '23:00' },
      ],
    },
    { name: 'night', times: [{ days: ALL_DAYS, from: '23:00', to: '07:00' }] },
  ],
  figures: [wholePeriod('day'), wholePeriod('evening'), wholePeriod('night')],
  areas: areas(['day', 'evening', 'night'], {
    A: ['Ambient, rounded to 5 dB, is below the limits of A', 65, 55, 45],
    B: ['Ambient, rounded to 5 dB, is the same as the limits of A', 70, 60, 50],
    C: ['Ambient, rounded to 5 dB, is above the limits of A', 75, 65, 55],
  }),
};

/** Industrial and commercial sound: how far the rating level lies above the background. */
export const UK_BS4142: PresetBody = {
  ...PLAIN,
  title: 'United Kingdom: BS 4142, industrial and commercial sound',
  source: 'BS 4142:2014+A1:2019, sections 7 to 11',
  periods: [period('day', 7, 23), period('night', 23, 7)],
  figures: [worst('day', 'day', 3_600), worst('night', 'night', 900)],
  tonal: { by: 'person', values: [0, 2, 4, 6] },
  impulse: { by: 'person', values: [0, 3, 6, 9] },
  other: { by: 'person', values: [0, 3, 6] },
  residual: 'needed',
  background: 'difference',
  areas: areas(['day', 'night'], {
    adverse: ['Above this difference: likely an adverse impact', 5, 5],
    significant: ['Above this difference: likely a significant adverse impact', 10, 10],
  }),
};
