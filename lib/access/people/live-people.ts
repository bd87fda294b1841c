/** The people of a running gateway: `people.json` in memory. */
import { existsSync } from 'node:fs';
import type { Log } from '../../log.ts';
import { WatchedFile } from '../watched-file.ts';
import { type Person, readPeople, sameName } from './person-file.ts';

/** The people as they are now: changes by the command line are seen within a second. */
export class LivePeople {
  readonly #file: WatchedFile<readonly Person[]>;
  #people: readonly Person[] = [];
  #byId: ReadonlyMap<string, Person> = new Map();
  #byName: ReadonlyMap<string, Person> = new Map();
  #ever: boolean;
  #told = () => {};

  /** Throws if the file exists and cannot be used. */
  constructor(path: string, log: Log) {
    this.#ever = existsSync(path);
    const changed = (people: readonly Person[]) => {
      this.#people = people;
      this.#byId = new Map(people.map((person) => [person.id, person]));
      this.#byName = new Map(people.map((person) => [sameName(person.name), person]));
      this.#ever ||= people.length > 0;
      this.#told();
    };
    this.#file = new WatchedFile({ path, what: 'people', read: readPeople, changed, log });
  }

  /** `told` is called after each change. */
  whenChanged(told: () => void): void {
    this.#told = told;
  }

  /** Whether there was ever somebody: removing the last person opens nothing. */
  get ever(): boolean {
    return this.#ever;
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

  /** Reads the file again if it has changed. */
  look(): void {
    this.#file.look();
  }
}
