/** An endpoint of the control API, the clock that it may move, and checks of its input: an error names the wrong field. */
import type { Clock } from '../contract.ts';
import type { MeterControl } from './meter-control.ts';

export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  meter(): MeterControl;
}

export interface Route {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** `/meters/{unit}/faults/{id}` */
  readonly path: string;
  readonly about: string;
  handle(call: Call): unknown;
}

/** A clock may have neither: then its time cannot be changed. */
export type Movable = Clock & { speed?: number; advance?(ms: number): Promise<void> };

/** There is no such thing here: 404. */
export class NotHere extends Error {}

/** This simulator cannot do that: 409. */
export class NotPossible extends Error {}

export const DAY_MS = 86_400_000;

/** The message is for the caller. */
export class WrongInput extends Error {}

export type Fields = Readonly<Record<string, unknown>>;

/** An object with no other fields than these. */
export function fieldsOf(value: unknown, known: readonly string[], what = 'the body'): Fields {
  if (!isObject(value)) throw new WrongInput(`${what} is a JSON object with ${known.join(', ')}`);
  const stranger = Object.keys(value).find((name) => !known.includes(name));
  if (stranger !== undefined) {
    throw new WrongInput(`${what} has no field ${JSON.stringify(stranger)}; it has ${known.join(', ')}`);
  }
  return value;
}

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined where the field is missing. */
export const numberOf = (fields: Fields, name: string, min: number, max: number): number | undefined =>
  typed(
    fields,
    name,
    `a number from ${min} to ${max}`,
    (value): value is number => typeof value === 'number' && value >= min && value <= max,
  );

/** Undefined where it is absent, as the text of `textField`. */
export const flagOf = (fields: Fields, name: string): boolean | undefined =>
  typed(fields, name, 'true or false', (value) => typeof value === 'boolean');

export const textField = (fields: Fields, name: string): string | undefined =>
  typed(fields, name, 'a text', (value) => typeof value === 'string');

function typed<T>(fields: Fields, name: string, takes: string, fits: (value: unknown) => value is T): T | undefined {
  const value = fields[name];
  if (value === undefined || fits(value)) return value;
  throw new WrongInput(`${name} takes ${takes}, not ${JSON.stringify(value)}`);
}

/** A whole number of the query. */
export function wholeOf(query: URLSearchParams, name: string, fallback: number, max: number): number {
  const word = query.get(name);
  if (word === null) return fallback;
  const value = /^\d{1,15}$/.test(word) ? Number(word) : Number.NaN;
  if (value <= max) return value;
  throw new WrongInput(`${name} takes a whole number from 0 to ${max}, not ${JSON.stringify(word)}`);
}

/** A TypeError or a RangeError of a check becomes an error of the caller's input. */
export function asInput<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError)
      throw new WrongInput(error.message, { cause: error });
    throw error;
  }
}
