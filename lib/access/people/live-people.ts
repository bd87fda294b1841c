/** The people of a running gateway, in memory: they may sign in with a name and a password. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Role } from '../../domain/ids.ts';
import { ANYBODY } from '../../http/arrival.ts';
import type { UnitChoice } from '../unit-choice.ts';

/** A person who may sign in. Instead of the password it has a text to check the password with. */
export interface Person extends UnitChoice {
  /** Eight hexadecimal digits, never used again. */
  readonly id: string;
  /** As the person wrote it; sign-in ignores capitals. */
  readonly name: string;
  readonly role: Role;
  /** UTC, ISO 8601; null: without an end. */
  readonly until: string | null;
  /** As `hashPassword` makes it. Null: the person has no password, and a proxy in front of the gateway signs the person in. */
  readonly password: string | null;
  /** Changes with role, units, end or password: earlier sessions then end. */
  readonly stamp: string;
  /** UTC, ISO 8601. */
  readonly created_at: string;
}

/** The same text for names that count as equal: `ANNA` is `Anna`. */
export const sameName = (name: string): string => name.normalize('NFKC').toLowerCase();

/** Whether this is the name of a caller without sign-in: no person and no key may have it. */
export const isReserved = (name: string): boolean => sameName(name) === ANYBODY;

export const newStamp = (): string => randomBytes(8).toString('hex');
export const newId = (): string => randomBytes(4).toString('hex');

export class LivePeople {
  readonly #clock: Clock;
  #people: readonly Person[] = [];
  #byId: ReadonlyMap<string, Person> = new Map();
  #byName: ReadonlyMap<string, Person> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(people: readonly Person[]): void {
    this.#people = people;
    this.#byId = new Map(people.map((person) => [person.id, person]));
    this.#byName = new Map(people.map((person) => [sameName(person.name), person]));
  }

  /** In the order of their making, also those whose end has come. */
  get all(): readonly Person[] {
    return this.#people;
  }

  /** Undefined also after the end of the person, as in `named`. */
  find(id: string): Person | undefined {
    return this.#lasting(this.#byId.get(id));
  }

  named(name: string): Person | undefined {
    return this.#lasting(this.#byName.get(sameName(name)));
  }

  /** Whether a person has this name, also one whose end has come. */
  isName(name: string): boolean {
    return this.#byName.has(sameName(name));
  }

  #lasting(person: Person | undefined): Person | undefined {
    const isOver = person?.until != null && Date.parse(person.until) <= this.#clock.now();
    return isOver ? undefined : person;
  }
}
