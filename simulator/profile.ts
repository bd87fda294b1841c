/**
 * A profile: one value for every switch of `behaviour.ts`. Named profiles are data in config/profiles and list only what differs from the defaults.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { BEHAVIOUR, type BehaviourSwitch } from './behaviour.ts';
import { PACKAGE } from './package-folder.ts';

type ValueOf<H> = H extends { readonly kind: 'choice'; readonly choices: readonly (infer C)[] }
  ? C
  : H extends { readonly kind: 'amount' }
    ? number
    : readonly [number, number];

export type Profile = { readonly [K in keyof typeof BEHAVIOUR]: ValueOf<(typeof BEHAVIOUR)[K]> };

const FOLDER = new URL('config/profiles/', PACKAGE);

export const DEFAULT_PROFILE = Object.freeze(
  Object.fromEntries(Object.entries(BEHAVIOUR).map(([name, entry]) => [name, entry.default])),
) as Profile;

export const profileNames = (): string[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();

/** A named set, or switches over the defaults. Throws a TypeError that names the switch and its values. */
export function loadProfile(wanted: string | Partial<Profile> = 'default'): Profile {
  const { set, switches } =
    typeof wanted === 'string' ? { set: wanted, switches: readSet(wanted) } : { set: 'the profile', switches: wanted };
  for (const [name, value] of Object.entries(switches)) check(set, name, value);
  return Object.freeze({ ...DEFAULT_PROFILE, ...switches });
}

function readSet(name: string): Record<string, unknown> {
  if (!profileNames().includes(name)) {
    throw new TypeError(`no profile ${JSON.stringify(name)}; there are ${profileNames().join(', ')}`);
  }
  const set: unknown = JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'));
  if (!isRecord(set) || typeof set.description !== 'string' || !isRecord(set.switches)) {
    throw new TypeError(`profile ${name}: expected { "description": text, "switches": { ... } }`);
  }
  return set.switches;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function check(set: string, name: string, value: unknown): void {
  const switches: Readonly<Record<string, BehaviourSwitch>> = BEHAVIOUR;
  const entry = Object.hasOwn(switches, name) ? switches[name] : undefined;
  if (!entry) throw new TypeError(`${set}: there is no switch ${JSON.stringify(name)}`);
  if (!fits(entry, value)) {
    throw new TypeError(`${set}: ${name} takes ${range(entry)}, not ${JSON.stringify(value)}`);
  }
}

function fits(entry: BehaviourSwitch, value: unknown): boolean {
  if (entry.kind === 'choice') return entry.choices.some((one) => one === value);
  const within = (n: unknown): n is number => typeof n === 'number' && n >= entry.min && n <= entry.max;
  if (entry.kind === 'amount') return within(value);
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [from, to]: unknown[] = value;
  return within(from) && within(to) && from <= to;
}

function range(entry: BehaviourSwitch): string {
  if (entry.kind === 'choice') return entry.choices.map((one) => JSON.stringify(one)).join(' or ');
  const limits = `${entry.min} to ${entry.max}`;
  return entry.kind === 'amount' ? `a number from ${limits}` : `[from, to] within ${limits}`;
}
