/**
 * A scenario is a sound field described by numbers, kept as data in `config/scenarios/<name>.json`. This file reads
 * them, once, checks them, and says what is wrong. It makes no sound (`sound.ts`).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGE } from '../package-folder.ts';
import { BAND_NAMES, OCTAVE_BANDS, type Spectrum } from './weighting.ts';

type Fields = Readonly<Record<string, unknown>>;
/** Throws a TypeError for a wrong value. The other values have the type `T`. */
interface Check<T> {
  (value: unknown, where: string): void;
  readonly type?: T;
}
type Checked<C> = { readonly [K in keyof C]: C[K] extends Check<infer T> ? T : never };

/** Levels a scenario may name, dB: from below any self-noise to above what a meter takes. */
const LEVEL = number(-20, 160);
const LEVELS = range(-20, 160);

/** A 1 kHz tone of one exact level, the same in every weighting, for a time. */
const STEP = { levelDb: LEVEL, seconds: number(0.1, 31_536_000) };
/** A pure tone: exact unweighted level, crest factor 3.01 dB. */
const TONE = { levelDb: LEVEL, frequencyHz: number(10, 20_000) };
/** Broadband noise that wanders. */
const BACKGROUND = {
  levelDbA: LEVEL,
  /** Only the shape counts. */
  spectrum: checkSpectrum as Check<Spectrum>,
  /** Standard deviations of the slow walk (60 s) and of the fast variation (0.5 s), dB. */
  slowDb: number(0, 10),
  fastDb: number(0, 10),
  /** Effective bandwidth, Hz: how many independent values a second its peaks are drawn from. */
  bandwidthHz: number(50, 20_000),
};
/** Standard deviation of the level from one 100 ms to the next, dB. Default: none. */
const GRAIN_DB = number(0, 10);
/**
 * Vehicles and the like: the level rises and falls as from a point passing on a line. Events are drawn slot by slot
 * (`events.ts`); the limits of rate and length keep each within reach of its slot.
 */
const PASS_BYS = {
  perHour: number(0, 3000),
  /** At the closest point. */
  levelDbA: LEVELS,
  seconds: range(1, 60),
  spectrum: checkSpectrum as Check<Spectrum>,
};
/** Bangs: a sudden rise and an exponential fall. */
const IMPULSES = {
  perHour: number(0, 36_000),
  /** At the beginning. */
  levelDbA: LEVELS,
  /** Time constant of the fall. */
  decayMs: range(1, 400),
  /** Peak over that level, dB. */
  crestDb: number(3.1, 40),
  spectrum: checkSpectrum as Check<Spectrum>,
};

export type Step = Checked<typeof STEP>;
export type Tone = Checked<typeof TONE>;
export interface BackgroundNoise extends Checked<typeof BACKGROUND> {
  readonly grainDb?: number;
}
export type PassBys = Checked<typeof PASS_BYS>;
export type Impulses = Checked<typeof IMPULSES>;

/** Either a tone, steps or a background; events only over a background. */
export interface Scenario {
  readonly description: string;
  readonly tone?: Tone;
  /** One after the other from the beginning of the scenario; the last one lasts. For tests that need the exact second. */
  readonly steps?: readonly Step[];
  readonly background?: BackgroundNoise;
  readonly passBys?: readonly PassBys[];
  readonly impulses?: readonly Impulses[];
}

export function checkScenario(name: string, data: unknown): Scenario {
  const where = `scenario ${name}`;
  const fields = object(data, where);
  for (const key of Object.keys(fields)) {
    if (!['description', 'tone', 'steps', 'background', 'passBys', 'impulses'].includes(key))
      fail(`${where}.${key}`, 'not known');
  }
  if (typeof fields.description !== 'string') fail(`${where}.description`, 'missing or not a text');
  checkParts(fields, where);
  return data as Scenario;
}

function checkParts(fields: Fields, where: string): void {
  const { tone, steps, background } = fields;
  if ([tone, steps, background].filter((one) => one !== undefined).length !== 1)
    fail(where, 'must have one of a tone, steps or a background');
  if (background === undefined && (fields.passBys !== undefined || fields.impulses !== undefined))
    fail(where, 'events go with a background only');
  if (tone !== undefined) every(TONE)(tone, `${where}.tone`);
  if (steps !== undefined) {
    list(STEP)(steps, `${where}.steps`);
    if (Array.isArray(steps) && steps.length === 0) fail(`${where}.steps`, 'must have at least one step');
  }
  if (background !== undefined) {
    const { grainDb, ...others } = object(background, `${where}.background`);
    every(BACKGROUND)(others, `${where}.background`);
    if (grainDb !== undefined) GRAIN_DB(grainDb, `${where}.background.grainDb`);
  }
  list(PASS_BYS)(fields.passBys ?? [], `${where}.passBys`);
  list(IMPULSES)(fields.impulses ?? [], `${where}.impulses`);
}

function fail(where: string, problem: string): never {
  throw new TypeError(`${where}: ${problem}`);
}

function object(value: unknown, where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(where, 'must be an object');
  return value as Fields;
}

function number(least: number, most: number): Check<number> {
  return (value, where) => {
    const fits = typeof value === 'number' && value >= least && value <= most;
    if (!fits) fail(where, `must be a number from ${least} to ${most}, is ${JSON.stringify(value)}`);
  };
}

function range(least: number, most: number): Check<readonly [number, number]> {
  const bound = number(least, most);
  return (value, where) => {
    if (!Array.isArray(value) || value.length !== 2) fail(where, 'must be a pair [least, most]');
    bound(value[0], `${where}[0]`);
    bound(value[1], `${where}[1]`);
    if (value[0] > value[1]) fail(where, `must rise, is [${value[0]}, ${value[1]}]`);
  };
}

function every(checks: Readonly<Record<string, Check<unknown>>>): Check<Fields> {
  return (value, where) => {
    const fields = object(value, where);
    for (const key of Object.keys(fields)) if (!Object.hasOwn(checks, key)) fail(`${where}.${key}`, 'not known');
    for (const [key, check] of Object.entries(checks)) check(fields[key], `${where}.${key}`);
  };
}

function list(checks: Readonly<Record<string, Check<unknown>>>): Check<readonly Fields[]> {
  const element = every(checks);
  return (value, where) => {
    if (!Array.isArray(value)) fail(where, 'must be a list');
    value.forEach((one, place) => {
      element(one, `${where}[${place}]`);
    });
  };
}

function checkSpectrum(value: unknown, where: string): void {
  const bands = Object.entries(object(value, where));
  if (bands.length === 0) fail(where, 'must name at least one octave band');
  for (const [band, level] of bands) {
    if (!Object.hasOwn(OCTAVE_BANDS, band))
      fail(`${where}.${band}`, `no octave band; known are ${BAND_NAMES.join(' ')}`);
    LEVEL(level, `${where}.${band}`);
  }
}

const SCENARIO_FOLDER = fileURLToPath(new URL('config/scenarios', PACKAGE));

const loaded = new Map<string, Scenario>();

export function scenarioNames(folder = SCENARIO_FOLDER): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

/** RangeError for an unknown name, TypeError when the file is wrong; both say where and what. */
export function loadScenario(name: string, folder = SCENARIO_FOLDER): Scenario {
  const path = join(folder, `${name}.json`);
  const known = loaded.get(path);
  if (known) return known;
  // Compared with the listing, never opened by name: a name with a path in it must not leave the folder.
  const names = scenarioNames(folder);
  if (!names.includes(name)) throw new RangeError(`no scenario is called ${name}; known are ${names.join(', ')}`);
  const scenario = checkScenario(name, parse(name, path));
  loaded.set(path, scenario);
  return scenario;
}

function parse(name: string, path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new TypeError(`scenario ${name}: ${path} is not JSON: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}
