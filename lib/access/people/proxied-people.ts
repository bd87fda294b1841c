/**
 * People whom a proxy in front of the gateway signs in: the proxy names them in a header, which counts only on
 * connections from a trusted proxy. They have the role and units of the person of this name.
 */
import type { Identity } from '../../http/contract.ts';
import type { Arrival } from '../contract.ts';
import type { LivePeople } from './live-people.ts';

interface Entry {
  readonly stamp: string;
  readonly end: AbortController;
}

/** Finds these people, and ends their WebSockets when they are changed or removed. */
export class ProxiedPeople {
  readonly #header: string;
  readonly #people: LivePeople;
  /** People seen since the start, by id. */
  readonly #seen = new Map<string, Entry>();

  /** `header`: its name; empty: no proxy signs in. */
  constructor(header: string, people: LivePeople) {
    this.#header = header.toLowerCase();
    this.#people = people;
  }

  /** The name from the proxy; undefined without the header, or if the proxy is not trusted. */
  nameIn({ byProxy, headers }: Pick<Arrival, 'byProxy' | 'headers'>): string | undefined {
    const value = byProxy && this.#header !== '' ? headers[this.#header] : undefined;
    // Node reads headers as Latin-1; names are UTF-8.
    return typeof value === 'string' && value !== '' ? Buffer.from(value, 'latin1').toString('utf8') : undefined;
  }

  /** The caller of this name; undefined: the person does not exist. */
  identityOf(name: string, address: string): Identity | undefined {
    const person = this.#people.named(name);
    if (!person) return undefined;
    const { id, stamp, role, units } = person;
    const known = this.#seen.get(id);
    const entry = known?.stamp === stamp ? known : { stamp, end: new AbortController() };
    this.#seen.set(id, entry);
    const stillValid = () => this.#people.find(id)?.stamp === stamp;
    const ended = entry.end.signal;
    return { name: person.name, keyId: null, role, units, address, owner: `person ${id}`, stillValid, ended };
  }

  /** Ends the WebSockets of changed and removed people. */
  review(): void {
    for (const [id, { stamp, end }] of [...this.#seen]) {
      if (this.#people.find(id)?.stamp === stamp) continue;
      this.#seen.delete(id);
      end.abort();
    }
  }
}
