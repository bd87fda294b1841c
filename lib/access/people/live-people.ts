/** The people of a running gateway, in memory: they may sign in with a name and a password. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { ANYBODY } from '../../http/arrival.ts';
import type { Person } from '../tables.ts';

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

  isName(name: string): boolean {
    return this.#byName.has(sameName(name));
  }

  #lasting(person: Person | undefined): Person | undefined {
    const isOver = person?.until != null && Date.parse(person.until) <= this.#clock.now();
    return isOver ? undefined : person;
  }
}
