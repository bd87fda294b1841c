/**
 * Checks names with passwords. An unknown name takes the same work and gets the same answer as a wrong password. Attempts are worked on one
 * after the other, and wrong ones slow their address down, so that many at once are no more guesses than one after the other.
 */

import { isPassword } from './passwords.ts';
import type { Person } from './person-file.ts';

/** Attempts that wait: of all addresses, and of one. Somebody who types waits for nobody. */
const MOST_WAITING = 64;
const MOST_OF_ADDRESS = 4;

/** What an attempt is checked with. */
export interface SignInParts {
  readonly named: (name: string) => Person | undefined;
  /** Throws TOO_MANY_REQUESTS where this address has to wait. */
  readonly slowDown: (prefix: string) => void;
  /** A wrong name or password came from this address. */
  readonly wrong: (prefix: string) => void;
  /** Throws TOO_MANY_REQUESTS. */
  readonly full: () => never;
}

/** The person whose name and password these are; undefined: no. */
export type CheckPassword = (name: string, password: string, prefix: string) => Promise<Person | undefined>;

/** Throws what `slowDown` and `full` throw. */
export function createPasswordCheck({ named, slowDown, wrong, full }: SignInParts): CheckPassword {
  const waiting = new Map<string, number>();
  let count = 0;
  let last: Promise<unknown> = Promise.resolve();
  const attempt = async (name: string, password: string, prefix: string) => {
    // Those before may have been wrong.
    slowDown(prefix);
    const person = named(name);
    const isRight = await isPassword(password, person?.password);
    // It may have been changed or removed while the password was worked on.
    if (isRight && person && named(name)?.stamp === person.stamp) return person;
    wrong(prefix);
    return undefined;
  };
  return async (name, password, prefix) => {
    slowDown(prefix);
    const own = waiting.get(prefix) ?? 0;
    if (count >= MOST_WAITING || own >= MOST_OF_ADDRESS) full();
    count += 1;
    waiting.set(prefix, own + 1);
    const mine = last.then(() => attempt(name, password, prefix));
    last = mine.catch(() => {});
    try {
      return await mine;
    } finally {
      count -= 1;
      const left = (waiting.get(prefix) ?? 1) - 1;
      if (left > 0) waiting.set(prefix, left);
      else waiting.delete(prefix);
    }
  };
}
