/** The quantities that stations observe. Schemas, tables, CSV, sums and rules read this table; a migration adds columns. */

/**
 * `mean`: over the observed time. `direction`: of the mean vector, with the wind speed as its length if it is known.
 * `maximum`: the largest value. `sum`: added up; an interval that reaches over an edge counts with the share inside.
 */
type Joining = 'mean' | 'direction' | 'maximum' | 'sum';

/** One row of the table. `least` and `most` are allowed values. */
interface ObservedQuantity {
  readonly meaning: string;
  readonly unit: string;
  readonly least: number;
  readonly most: number;
  readonly joining: Joining;
  readonly decimals: number;
}

/** In the order of answers. The limits are wider than all records of the World Meteorological Organization. */
export const OBSERVED = {
  wind_speed: { meaning: 'wind speed', unit: 'm/s', least: 0, most: 150, joining: 'mean', decimals: 1 },
  wind_direction: {
    meaning: 'where the wind comes from, clockwise from north',
    unit: 'degrees',
    least: 0,
    most: 360,
    joining: 'direction',
    decimals: 0,
  },
  gust: { meaning: 'strongest gust', unit: 'm/s', least: 0, most: 200, joining: 'maximum', decimals: 1 },
  rain: { meaning: 'rain in the interval', unit: 'mm', least: 0, most: 2_000, joining: 'sum', decimals: 2 },
  temperature: {
    meaning: 'air temperature',
    unit: 'degrees Celsius',
    least: -95,
    most: 70,
    joining: 'mean',
    decimals: 1,
  },
  humidity: { meaning: 'relative humidity', unit: '%', least: 0, most: 100, joining: 'mean', decimals: 0 },
  pressure: {
    meaning: 'air pressure at the station',
    unit: 'hPa',
    least: 300,
    most: 1_100,
    joining: 'mean',
    decimals: 1,
  },
  traffic: { meaning: 'vehicles in the interval', unit: 'vehicles', least: 0, most: 1e6, joining: 'sum', decimals: 1 },
  train: {
    meaning: 'trains that passed in the interval',
    unit: 'passages',
    least: 0,
    most: 1e4,
    joining: 'sum',
    decimals: 1,
  },
} as const satisfies Readonly<Record<string, ObservedQuantity>>;

export type ObservedName = keyof typeof OBSERVED;

export const OBSERVED_NAMES: readonly ObservedName[] = Object.freeze(Object.keys(OBSERVED) as ObservedName[]);

/** A value for each quantity; null: not observed, which differs from 0. */
export type ObservedValues = { readonly [Name in ObservedName]: number | null };

export const observedBy = (read: (name: ObservedName) => number | null): ObservedValues =>
  Object.fromEntries(OBSERVED_NAMES.map((name) => [name, read(name)])) as ObservedValues;

export const isObserved = (name: string): name is ObservedName => Object.hasOwn(OBSERVED, name);
