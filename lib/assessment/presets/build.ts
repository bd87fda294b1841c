/** What most presets have in common, so that each of them shows only what is its own. */
import type { AreaBody, FigureBody, PeriodBody, PresetBody } from '../contract.ts';
import { DAY_KINDS } from '../contract.ts';

/** All. */
export const ALL_DAYS = DAY_KINDS;
/** Monday to Friday. */
export const WEEKDAYS = DAY_KINDS.slice(0, 5);
/** Monday to Saturday. */
export const WORKDAYS = DAY_KINDS.slice(0, 6);
/** Sundays and holidays. */
export const REST_DAYS = DAY_KINDS.slice(6);

/** A period of all days: `period('day', 6, 22)`. */
export const period = (name: string, from: number, to: number): PeriodBody => ({
  name,
  times: [{ days: DAY_KINDS, from: hour(from), to: hour(to) }],
});

/** `06:00`. */
export const hour = (of: number): string => `${String(of).padStart(2, '0')}:00`;

/** The Leq of a whole period, with its name. */
export const wholePeriod = (name: string): FigureBody => ({ name, period: name, quantity: 'leq', window_s: null });

/** The worst window of a period. */
export const worst = (name: string, of: string, window_s: number): FigureBody => ({
  ...{ name, period: of, quantity: 'leq', window_s },
});

/** An index of all periods: what each counts more, dB. */
export const index = (name: string, weights: Readonly<Record<string, number>>): FigureBody => ({
  ...{ name, period: null, quantity: 'leq', window_s: null, weights },
});

/** Limits of areas for two or three figures: `areas(['day', 'night'], { GI: ['Industrial', 70, 70] })`. */
export const areas = (
  figures: readonly string[],
  rows: Readonly<Record<string, readonly [title: string, ...limits: number[]]>>,
): readonly AreaBody[] =>
  Object.entries(rows).map(([name, [title, ...limits]]) => ({
    ...{ name, title },
    limits: Object.fromEntries(
      figures.flatMap((figure, at) => (limits[at] === undefined ? [] : [[figure, limits[at]]])),
    ),
  }));

/** Nothing is added, nobody has confirmed it, three quarters of each part are enough. */
export const PLAIN = {
  confirmed_by: null,
  night_of: 'evening',
  tonal: null,
  impulse: null,
  low_frequency: null,
  other: null,
  rest: null,
  most_added: null,
  residual: 'subtract',
  background: 'none',
  duration: null,
  areas: [],
  peaks_over: {},
  events: null,
  decimals: 1,
  min_coverage: 0.75,
} as const satisfies Partial<PresetBody>;

/** dB by which three times the energy counts more: 4.77. */
export const THREEFOLD = 10 * Math.log10(3);
