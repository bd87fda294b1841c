/** The people of a running gateway, in memory: those who may sign in with a name and a password. */
import { randomBytes } from 'node:crypto';
import type { Role } from '../../domain/ids.ts';
import { ANYBODY } from '../../http/access.ts';

/** Somebody who may sign in. It has no password, only what one is checked with. */
export interface Person {
  /** Eight hexadecimal digits, never used again. */
  readonly id: string;
  /** As the person wrote it; sign-in does not mind capitals. */
  readonly name: string;
  readonly role: Role;
  /** Null: all units. */
  readonly units: readonly string[] | null;
  /** See `passwords.ts`. Null: the person has none, and is signed in by a proxy in front of the gateway. */
  readonly password: string | null;
  /** Another one after each change of role, units or password: sessions from before end. */
  readonly stamp: string;
  /** UTC, ISO 8601. */
  readonly created_at: string;
}

/** Names that are the same for a person are the same here: `ANNA` is `Anna`. */
export const sameName = (name: string): string => name.normalize('NFKC').toLowerCase();

/** What the gateway calls a caller who needs no sign-in: nobody else is called so. */
export const isReserved = (name: string): boolean => sameName(name) === ANYBODY;

/** Random, 64 bit. */
export const newStamp = (): string => randomBytes(8).toString('hex');
/** Random, 32 bit. */
export const newId = (): string => randomBytes(4).toString('hex');

/** The people as the store had them last. */
export class LivePeople {
  #people: readonly Person[] = [];
  #byId: ReadonlyMap<string, Person> = new Map();
  #byName: ReadonlyMap<string, Person> = new Map();

  /** They count from now on. */
  take(people: readonly Person[]): void {
    this.#people = people;
    this.#byId = new Map(people.map((person) => [person.id, person]));
    this.#byName = new Map(people.map((person) => [sameName(person.name), person]));
  }

  /** In the order in which they were made. */
  get all(): readonly Person[] {
    return this.#people;
  }

  find(id: string): Person | undefined {
    return this.#byId.get(id);
  }

  /** Capitals do not count. */
  named(name: string): Person | undefined {
    return this.#byName.get(sameName(name));
  }
}
