/** The properties of a setting, and functions for the usual kinds. */
export interface Property {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly title: string;
  readonly description?: string;
  readonly default: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** Unit of a number: ms, s, bytes. */
  readonly 'x-unit'?: string;
  /** Masked wherever settings are shown, and not taken from the command line, which others can read. */
  readonly 'x-secret'?: true;
  /** A new value takes effect when the settings are read again; all others wait for a restart. */
  readonly 'x-live'?: true;
  readonly [keyword: string]: unknown;
}

/** The possible values, in words; empty without a short description. */
export function valuesOf({ enum: words, minimum, maximum }: Property): string {
  if (words) return words.join(', ');
  return minimum === undefined || maximum === undefined ? '' : `${minimum} to ${maximum}`;
}

/** Settings that belong together, by their names. */
export type Group = Readonly<Record<string, Property>>;

/** A time in milliseconds; `usual` is its default. */
export const ms = (title: string, usual: number, minimum: number, maximum: number) =>
  ({ type: 'integer', title, default: usual, minimum, maximum, 'x-unit': 'ms' }) as const;
/** A whole number; `usual` is its default. */
export const count = (title: string, usual: number, minimum: number, maximum: number) =>
  ({ type: 'integer', title, default: usual, minimum, maximum }) as const;
