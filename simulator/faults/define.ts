/**
 * The definition of one kind of fault: its entry in the catalogue, the parts of the meter that it may use, and its settings with
 * their ranges, their defaults, and the check of given values.
 */
import { type Evidence, evidence, type Grade } from '../../lib/drivers/nl43/spec/commands.ts';
import type { Clock } from '../contract.ts';
import type { Random } from '../random.ts';
import type { Fault, FaultParts } from './contract.ts';

export interface FaultHost extends Pick<FaultParts, 'cut' | 'say' | 'powerCycle' | 'portChanged'> {
  readonly clock: Clock;
  /** Chance of its own, from the seed of the meter and the number of the fault. */
  readonly random: Random;
  /** The fault is over and leaves the board. */
  over(): void;
}

/**
 * - `by reply`: decided for every single reply (and frame)
 * - `by connection`: decided for every single connection; conditions about commands do not apply
 * - `lasting`: comes into force once and stays
 */
type Works = 'by reply' | 'by connection' | 'lasting';

export interface CatalogueEntry {
  readonly name: string;
  /** One sentence: what a client meets. */
  readonly summary: string;
  readonly works: Works;
  readonly settings: Schema;
  readonly evidence: Evidence;
  /** Throws a TypeError on a wrong setting. */
  read(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** `settings` as `read` gave them. */
  create(settings: Readonly<Record<string, unknown>>, host: FaultHost): Fault;
}

interface Definition<S extends Schema> {
  readonly name: string;
  readonly summary: string;
  readonly works: Works;
  readonly settings: S;
  readonly evidence: readonly [Grade, string];
  create(settings: SettingsOf<S>, host: FaultHost): Fault;
}

/** `works` gets checked settings and answers with the fault itself. */
export function defineFault<const S extends Schema>(definition: Definition<S>): CatalogueEntry {
  const { name, summary, settings, works } = definition;
  const read = (given: Readonly<Record<string, unknown>>) => readSettings(name, settings, given);
  return Object.freeze({
    name,
    summary,
    works,
    settings,
    evidence: evidence(...definition.evidence),
    read,
    create: (given: Readonly<Record<string, unknown>>, host: FaultHost) => definition.create(read(given), host),
  });
}

type Setting =
  | {
      readonly kind: 'number';
      readonly default: number;
      readonly min: number;
      readonly max: number;
      readonly about: string;
    }
  /** A whole number, or null for none. */
  | { readonly kind: 'place'; readonly default: number | null; readonly about: string }
  | { readonly kind: 'choice'; readonly default: string; readonly choices: readonly string[]; readonly about: string }
  | { readonly kind: 'flag'; readonly default: boolean; readonly about: string }
  | { readonly kind: 'text'; readonly default: string; readonly about: string }
  | { readonly kind: 'texts'; readonly default: readonly string[]; readonly about: string };

export type Schema = Readonly<Record<string, Setting>>;

type ValueOf<S> = S extends { readonly kind: 'choice'; readonly choices: readonly (infer C)[] }
  ? C
  : S extends { readonly kind: 'number' }
    ? number
    : S extends { readonly kind: 'place' }
      ? number | null
      : S extends { readonly kind: 'flag' }
        ? boolean
        : S extends { readonly kind: 'text' }
          ? string
          : readonly string[];

type SettingsOf<S extends Schema> = { readonly [K in keyof S]: ValueOf<S[K]> };

const DAY_MS = 86_400_000;

/** A length of time, ms, up to a day. */
export const ms = (fallback: number, about: string) =>
  ({ kind: 'number', default: fallback, min: 0, max: DAY_MS, about }) as const;

export const amount = (fallback: number, min: number, max: number, about: string) =>
  ({ kind: 'number', default: fallback, min, max, about }) as const;

/** A byte of a reply, counted from 0; null: anywhere. */
export const place = (fallback: number | null, about: string) => ({ kind: 'place', default: fallback, about }) as const;

/** The first choice is the default. */
export const choice = <const C extends readonly [string, ...string[]]>(choices: C, about: string) =>
  ({ kind: 'choice', default: choices[0], choices, about }) as const;

export const flag = (fallback: boolean, about: string) => ({ kind: 'flag', default: fallback, about }) as const;

export const text = (fallback: string, about: string) => ({ kind: 'text', default: fallback, about }) as const;

export const texts = (fallback: readonly string[], about: string) =>
  ({ kind: 'texts', default: fallback, about }) as const;

/** The defaults with the given values. Throws a TypeError that names the setting and its range. */
function readSettings<S extends Schema>(
  fault: string,
  schema: S,
  given: Readonly<Record<string, unknown>>,
): SettingsOf<S> {
  for (const [name, value] of Object.entries(given)) {
    const setting = Object.hasOwn(schema, name) ? schema[name] : undefined;
    if (!setting) throw new TypeError(`${fault} has no setting ${JSON.stringify(name)}${known(schema)}`);
    if (!fits(setting, value)) throw new TypeError(`${fault}: ${name} takes ${range(setting)}, not ${shown(value)}`);
  }
  const defaults = Object.entries(schema).map(([name, setting]) => [name, setting.default]);
  return Object.freeze({ ...Object.fromEntries(defaults), ...given }) as SettingsOf<S>;
}

function fits(setting: Setting, value: unknown): boolean {
  switch (setting.kind) {
    case 'number':
      return typeof value === 'number' && value >= setting.min && value <= setting.max;
    case 'place':
      return value === null || (Number.isSafeInteger(value) && Number(value) >= 0);
    case 'choice':
      return setting.choices.some((one) => one === value);
    case 'flag':
      return typeof value === 'boolean';
    case 'text':
      return typeof value === 'string';
    default:
      return Array.isArray(value) && value.every((one) => typeof one === 'string');
  }
}

export function range(setting: Setting): string {
  switch (setting.kind) {
    case 'number':
      return `a number from ${setting.min} to ${setting.max}`;
    case 'place':
      return 'a whole number from 0, or null';
    case 'choice':
      return setting.choices.map((one) => JSON.stringify(one)).join(' or ');
    case 'flag':
      return 'true or false';
    case 'text':
      return 'a text';
    default:
      return 'a list of texts';
  }
}

const known = (schema: Schema) =>
  Object.keys(schema).length === 0 ? '; it has none' : `; it has ${Object.keys(schema).join(', ')}`;

const shown = (value: unknown) => JSON.stringify(value) ?? String(value);
