/** What a setting is made of, and the makers of the usual kinds. */
export interface Property {
  readonly type: 'string' | 'integer' | 'boolean' | 'array' | 'object';
  readonly title: string;
  readonly description?: string;
  readonly default: unknown;
  /** Of a number: ms, s, bytes. */
  readonly 'x-unit'?: string;
  /** Masked wherever settings are shown, and not taken from the command line, which others can read. */
  readonly 'x-secret'?: true;
  readonly [keyword: string]: unknown;
}
export type Group = Readonly<Record<string, Property>>;

export const ms = (title: string, usual: number, minimum: number, maximum: number) =>
  ({ type: 'integer', title, default: usual, minimum, maximum, 'x-unit': 'ms' }) as const;
export const count = (title: string, usual: number, minimum: number, maximum: number) =>
  ({ type: 'integer', title, default: usual, minimum, maximum }) as const;
