/** Common parts of all lists: pages of `limit` entries, `cursor` of the next page, and filters that may be empty. */
import type { Schema } from './contract.ts';

/** Limit with the default of most lists. */
const LIMIT: Schema = { type: 'integer', minimum: 1, maximum: 1_000, default: 100 };
/** Cursor of a list in the order of its ids. */
const ID: Schema = { type: 'string', pattern: '^[1-9][0-9]{0,14}$' };

/** `limit` and the `cursor` of the page before. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

/** Query parameters of a list. An empty parameter counts as missing: forms and scripts write `?unit=`. */
export function listQuery(
  filters: Readonly<Record<string, Schema>> = {},
  cursor = ID,
  limit = LIMIT,
): Record<string, Schema> {
  const all = { ...filters, limit, cursor: { ...cursor, description: 'the `next` of the page before' } };
  return Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, { ...schema, allowEmptyValue: true }]));
}

/** In the answer of a list. */
export const NEXT: Schema = {
  type: ['string', 'null'],
  description: 'The cursor of the next page; null: there is none.',
};

/** One page; `next` is null on the last one. */
export interface Page<T> {
  readonly page: readonly T[];
  readonly next: string | null;
}

/** The first `limit` of these. A next page exists if `rest` has more: reading `limit` + 1 entries is enough. */
export function pageOf<T>(rest: readonly T[], limit: number, cursorOf: (item: T) => string | number): Page<T> {
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return { page, next: last !== undefined && rest.length > limit ? String(cursorOf(last)) : null };
}

/** A page of a list in memory, in the order of its keys. */
export function keyedPage<T>(
  all: readonly T[],
  { limit, cursor = '' }: PageQuery,
  keyOf: (item: T) => string,
): Page<T> {
  const rest = all.filter((item) => keyOf(item) > cursor).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return pageOf(rest, limit, keyOf);
}
