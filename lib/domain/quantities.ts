/**
 * Every quantity of the gateway, once: its name, its symbol, its rule for sums, and where it appears. Codecs, the
 * status, the history, CSV, OpenAPI, metrics, MQTT, alerts and the pages read this table; none of them has names of its
 * own. The client exports it for the dashboard and the command line,
 * so this file imports no other.
 *
 * To add a quantity: a row here, and its place in the line of its family (`lib/drivers`).
 */

/**
 * How values of parts become the value of a whole. `energy`: mean of the energies over the time with a value (ISO
 * 1996-1). `counts`: samples are counted in classes, and give the percentiles. `last`: no sum; the newest value counts.
 */
export type Sum = 'energy' | 'maximum' | 'minimum' | 'counts' | 'last';

/**
 * Where a quantity appears. `frame`: each frame of the stream, and values made from frames (WebSocket, MQTT).
 * `display`: the display of a meter, when it is read. `status`: the last values (live, status, MQTT, results).
 * `history`: recorded, if a meter sends it. `metrics`: for Prometheus. `dashboard`: tiles of the live page. `cli`:
 * lines of `slm status` and `slm live`.
 */
export type Place = 'frame' | 'display' | 'status' | 'history' | 'metrics' | 'dashboard' | 'cli';

export interface Quantity {
  /** For a person: `{f}` is the frequency weighting (A, C, Z), `{t}` the time weighting (F, S, I). `L{f}eq`: LAeq. */
  readonly symbol: string;
  /** The symbol while the weightings are unknown, if it is not the symbol above without letters. */
  readonly bare?: string;
  readonly meaning: string;
  readonly unit: 'dB';
  /** Decimals that a meter gives, and with which a single value is shown. */
  readonly decimals: number;
  readonly sum: Sum;
  readonly in: readonly Place[];
  /** The field of a snapshot with the time of the measurement. */
  readonly age: 'levelsAt' | 'lpAt';
  /** Only meters with an option send it: answers without a value leave it out. */
  readonly optional?: true;
  /** The device class of Home Assistant, for quantities with a sensor of their own there. */
  readonly sensor?: 'sound_pressure';
}

const LEVEL = { unit: 'dB', decimals: 1, age: 'levelsAt' } as const;
const EVERYWHERE = ['frame', 'display', 'status', 'history', 'metrics', 'dashboard', 'cli'] as const;
const PERCENTILE = { ...LEVEL, sum: 'counts', in: ['display', 'status', 'metrics', 'dashboard'] } as const;

/** In the order of answers. A name is also the name of the column, of the field and of the label. */
export const QUANTITIES = {
  lp: {
    ...LEVEL,
    symbol: 'L{f}{t}',
    bare: 'Lp',
    meaning: 'level of this moment',
    sum: 'counts',
    in: ['frame', 'display', 'status', 'history', 'metrics', 'cli'],
    age: 'lpAt',
    sensor: 'sound_pressure',
  },
  leq: {
    ...LEVEL,
    symbol: 'L{f}eq',
    meaning: 'energy mean',
    sum: 'energy',
    in: EVERYWHERE,
    sensor: 'sound_pressure',
  },
  lmax: { ...LEVEL, symbol: 'L{f}{t}max', meaning: 'highest level', sum: 'maximum', in: EVERYWHERE },
  lmin: { ...LEVEL, symbol: 'L{f}{t}min', meaning: 'lowest level', sum: 'minimum', in: EVERYWHERE },
  /** The meter may weight its peak differently from the main channel, and its values do not show it. */
  lpeak: { ...LEVEL, symbol: 'Lpeak', meaning: 'peak of the sound pressure', sum: 'maximum', in: EVERYWHERE },
  lieq: {
    ...LEVEL,
    symbol: 'L{f}Ieq',
    meaning: 'energy mean with the time weighting I (impulse)',
    sum: 'energy',
    in: EVERYWHERE,
    optional: true,
  },
  le: {
    ...LEVEL,
    symbol: 'L{f}E',
    meaning: 'sound exposure level since the start of the measurement',
    sum: 'last',
    in: ['display', 'status', 'cli'],
  },
  /** The five percentiles of the display. Which percentages they are is a setting of the meter. */
  ln1: { ...PERCENTILE, symbol: 'LN1', meaning: 'first percentile of the meter' },
  ln2: { ...PERCENTILE, symbol: 'LN2', meaning: 'second percentile of the meter' },
  ln3: { ...PERCENTILE, symbol: 'LN3', meaning: 'third percentile of the meter' },
  ln4: { ...PERCENTILE, symbol: 'LN4', meaning: 'fourth percentile of the meter' },
  ln5: { ...PERCENTILE, symbol: 'LN5', meaning: 'fifth percentile of the meter' },
  leq_mov: { ...LEVEL, symbol: 'L{f}eq,mov', meaning: 'moving energy mean', sum: 'last', in: ['display'] },
  ltm5: { ...LEVEL, symbol: 'L{f}{t}Tm5', meaning: 'takt maximal level of 5 s', sum: 'last', in: ['display'] },
} as const satisfies Readonly<Record<string, Quantity>>;

type Table = typeof QUANTITIES;

export type QuantityName = keyof Table;

export type QuantityIn<P extends Place> = {
  [N in QuantityName]: P extends Table[N]['in'][number] ? N : never;
}[QuantityName];

export type FrameQuantity = QuantityIn<'frame'>;
export type DisplayQuantity = QuantityIn<'display'>;
export type StatusQuantity = QuantityIn<'status'>;
/** Levels with a value in each row of the history. Lp is not one of these levels: its samples are counted. */
export type KeptQuantity = {
  [N in QuantityIn<'history'>]: Table[N]['sum'] extends 'counts' | 'last' ? never : N;
}[QuantityIn<'history'>];

/** Kept levels that are the largest or the smallest of a row. */
export type ExtremeQuantity = {
  [N in KeptQuantity]: Table[N]['sum'] extends 'maximum' | 'minimum' ? N : never;
}[KeptQuantity];

export type LevelsOf<N extends QuantityName, Value> = { readonly [Name in N]: Value };

/** In the order of the table. */
export const QUANTITY_NAMES: readonly QuantityName[] = Object.freeze(Object.keys(QUANTITIES) as QuantityName[]);

const rows: Readonly<Record<string, Quantity>> = QUANTITIES;

export const quantityOf = (name: string): Quantity | undefined => (Object.hasOwn(rows, name) ? rows[name] : undefined);

/** In the order of the table. */
export const quantitiesIn = <P extends Place>(place: P): readonly QuantityIn<P>[] =>
  QUANTITY_NAMES.filter((name): name is QuantityIn<P> => rows[name]?.in.includes(place) === true);

export const isKept = (name: QuantityName): name is KeptQuantity => {
  const { in: places = [], sum } = rows[name] ?? {};
  return places.includes('history') && sum !== 'counts' && sum !== 'last';
};

export const KEPT: readonly KeptQuantity[] = Object.freeze(QUANTITY_NAMES.filter(isKept));

/** Whether a row has its largest or smallest. */
export const isExtreme = (name: KeptQuantity): name is ExtremeQuantity =>
  ['maximum', 'minimum'].includes(rows[name]?.sum ?? '');

/** In the order of the table. */
export const EXTREMES: readonly ExtremeQuantity[] = Object.freeze(KEPT.filter(isExtreme));

/** `lmax_bound`: the row's maximum is at most this value, its minimum at least, when it cannot be placed in the row. */
export type BoundName = `${ExtremeQuantity}_bound`;
export const boundName = (name: ExtremeQuantity): BoundName => `${name}_bound`;

export const levelsBy = <N extends QuantityName, Value>(
  names: readonly N[],
  value: (name: N) => Value,
): LevelsOf<N, Value> => Object.fromEntries(names.map((name) => [name, value(name)])) as LevelsOf<N, Value>;

/** Quantities that only meters with an option send. */
export const OPTIONAL: readonly QuantityName[] = Object.freeze(QUANTITY_NAMES.filter((name) => rows[name]?.optional));

/** The same record without optional quantities that have no value. */
export function withoutUnsent<Values extends object>(values: Values): Values {
  const unsent = OPTIONAL.filter((name) => (values as Readonly<Record<string, unknown>>)[name] === null);
  if (unsent.length === 0) return values;
  const sent = Object.entries(values).filter(([name]) => !unsent.includes(name as QuantityName));
  return Object.fromEntries(sent) as Values;
}

export interface SymbolWeightings {
  readonly frequency: string | null;
  readonly time: string | null;
}

/** The percentiles of the display, in the order of their places: `ln1` is place 1. */
export const SLOTS = Object.freeze(['ln1', 'ln2', 'ln3', 'ln4', 'ln5'] as const);

const SLOT_NAMES: readonly string[] = SLOTS;

/**
 * By the percentage of the time in which they are exceeded, `{"5": 52.1}`. Null: no slot has a known percentage.
 * `percentiles`: in the order of the slots.
 */
export function levelsByPercent<Value>(
  levels: Partial<LevelsOf<(typeof SLOTS)[number], Value>>,
  percentiles: readonly (number | null)[] = [],
): Readonly<Record<string, Value>> | null {
  const known = SLOTS.flatMap((slot, place): [string, Value][] => {
    const [percent, level] = [percentiles[place] ?? null, levels[slot]];
    return percent === null || level === undefined ? [] : [[String(percent), level]];
  });
  return known.length === 0 ? null : Object.fromEntries(known);
}

/** `l01` to `l99`: percentiles that the gateway computes from its level counts. */
export const PERCENTILE_NAME = /^l(0[1-9]|[1-9][0-9])$/;

/**
 * The symbol of a quantity or of a percentile, with its weightings if they are known: `LAeq`, `LAFmax`, `LAF10`;
 * without them `Leq`, `Lmax`, `L10`. For a bound: `LAFmax at most`. Any other word is returned unchanged.
 * `percentiles`: of `ln1` to `ln5`, whose symbols are `LN1` to `LN5` while the percentiles are unknown.
 */
export function symbolOf(
  name: string,
  weightings: SymbolWeightings,
  percentiles: readonly (number | null)[] = [],
): string {
  const bounded = EXTREMES.find((extreme) => boundName(extreme) === name);
  if (bounded) return `${symbolOf(bounded, weightings)} at ${rows[bounded]?.sum === 'minimum' ? 'least' : 'most'}`;
  const { frequency, time } = weightings;
  const row = quantityOf(name);
  const percent = percentiles[SLOT_NAMES.indexOf(name)] ?? null;
  if (!row && !PERCENTILE_NAME.test(name)) return name;
  if (frequency === null && row?.bare) return row.bare;
  const symbol = percent === null ? (row?.symbol ?? `L{f}{t}${name.slice(1)}`) : `L{f}{t}${percent}`;
  return symbol.replace('{f}', frequency ?? '').replace('{t}', frequency === null ? '' : (time ?? ''));
}
