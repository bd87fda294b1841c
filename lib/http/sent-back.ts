/** A PUT accepts the data of its GET: fields that cannot be changed may be in its body. */
import { invalid } from './checks.ts';
import type { Schema } from './contract.ts';

const HERE: Schema = { description: 'May be here and has no effect: the data of a GET can be sent back.' };

/** Properties that GET shows and PUT cannot change, for the schema of the body. */
export const readOnly = (names: readonly string[]): Readonly<Record<string, Schema>> =>
  Object.fromEntries(names.map((name) => [name, HERE]));

/**
 * A body without them. The first of them is the id of the thing: it must fit, so that data of another thing is not written here by mistake.
 * Errors: INVALID.
 */
export function settable<Body extends object>(body: Body, names: readonly string[], own: string): Body {
  const given: [string, unknown][] = Object.entries(body);
  const [identity = ''] = names;
  const other = given.some(([name, value]) => name === identity && value !== null && String(value) !== own);
  if (other) throw invalid([{ path: `/${identity}`, message: `must be ${own}, as in the path, or be left out` }]);
  return Object.fromEntries(given.filter(([name]) => !names.includes(name))) as Body;
}
