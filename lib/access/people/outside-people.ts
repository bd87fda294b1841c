/** People of a proxy or an issuer. A header of a trusted proxy names a person; role and units are those of the gateway. */

import { createHash } from 'node:crypto';
import { GatewayError } from '../../errors.ts';
import type { Identity } from '../../http/contract.ts';
import type { Settings } from '../../settings/index.ts';
import type { Arrival, IssuerPerson, IssuerSessions } from '../contract.ts';
import type { LiveKeys } from '../live-keys.ts';
import type { Holder } from '../tables.ts';
import type { UnitsNow } from '../unit-choice.ts';
import { isReserved, type LivePeople } from './live-people.ts';

interface Entry {
  readonly stamp: string;
  readonly end: AbortController;
}

/** Finds these people, and ends their WebSockets when they are changed or removed. */
export class ProxiedPeople {
  readonly #header: string;
  readonly #people: LivePeople;
  readonly #unitsNow: UnitsNow;
  readonly #seen = new Map<string, Entry>();

  /** `header`: its name; empty: no proxy signs in. */
  constructor(header: string, people: LivePeople, unitsNow: UnitsNow) {
    this.#header = header.toLowerCase();
    this.#people = people;
    this.#unitsNow = unitsNow;
  }

  /** The name from the proxy; undefined without the header, or if the proxy is not trusted. */
  nameIn({ byProxy, headers }: Pick<Arrival, 'byProxy' | 'headers'>): string | undefined {
    const value = byProxy && this.#header !== '' ? headers[this.#header] : undefined;
    // Node reads headers as Latin-1; names are UTF-8.
    return typeof value === 'string' && value !== '' ? Buffer.from(value, 'latin1').toString('utf8') : undefined;
  }

  identityOf(name: string, address: string): Identity | undefined {
    const person = this.#people.named(name);
    if (!person) return undefined;
    const { id, stamp, role, tags } = person;
    const unitsNow = () => this.#unitsNow(person);
    const known = this.#seen.get(id);
    const entry = known?.stamp === stamp ? known : { stamp, end: new AbortController() };
    this.#seen.set(id, entry);
    const stillValid = () => this.#people.find(id)?.stamp === stamp;
    const ended = entry.end.signal;
    return {
      name: person.name,
      keyId: null,
      role,
      get units() {
        return unitsNow();
      },
      tags,
      address,
      owner: `person ${id}`,
      stillValid,
      ended,
    };
  }

  review(): void {
    for (const [id, { stamp, end }] of [...this.#seen]) {
      if (this.#people.find(id)?.stamp === stamp) continue;
      this.#seen.delete(id);
      end.abort();
    }
  }
}

type Way = Parameters<IssuerSessions['offer']>[0];

const digest = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);

/** Sessions of an issuer (OpenID Connect) last while its settings, and the person whose rights count, stay the same. */
export class IssuerPeople {
  readonly #people: LivePeople;
  readonly #keys: LiveKeys;
  readonly #issuer: string;
  /** Changes with the settings: the rights of people may have changed with them. */
  readonly #stamp: string;
  #way: Way | undefined;

  constructor({ plugin_settings }: Settings, people: LivePeople, keys: LiveKeys) {
    const settings = plugin_settings.people ?? {};
    this.#people = people;
    this.#keys = keys;
    this.#issuer = 'issuer' in settings && typeof settings.issuer === 'string' ? settings.issuer : '';
    this.#stamp = digest([JSON.stringify(settings)]);
  }

  /** Callers must sign in, even if nobody has a key or a password. */
  get isUsed(): boolean {
    return this.#issuer !== '';
  }

  /** Null: no issuer. */
  get title(): string | null {
    return this.#way?.title ?? null;
  }

  signOut(session: string): string | undefined {
    return this.#way?.signOut(session);
  }

  offer(way: Way): () => void {
    this.#way = way;
    return () => {
      this.#way = undefined;
    };
  }

  holderOf({ subject, name, rights }: IssuerPerson): Holder {
    const id = digest([this.#issuer, subject]);
    const person = this.#people.named(name);
    if (rights) {
      // A namesake at the issuer must not look like a person or key of the gateway.
      const isTaken = this.#people.isName(name) || isReserved(name) || this.#keys.isName(name);
      const shown = isTaken ? `${name} (${new URL(this.#issuer).host})` : name;
      return { kind: 'issuer', id, name: shown.slice(0, 200), ...rights, stamp: this.#stamp };
    }
    if (!person) throw new GatewayError('SIGN_IN_REFUSED', `${name} is not among the people of this gateway.`);
    const { role, units, tags } = person;
    const stamp = `${this.#stamp} ${person.id} ${person.stamp}`;
    return { kind: 'issuer', id, name: person.name, role, units, tags, stamp };
  }

  isPresent({ stamp }: Holder): boolean {
    const [settings, id = '', person] = stamp.split(' ');
    if (!this.isUsed || settings !== this.#stamp) return false;
    return id === '' || this.#people.find(id)?.stamp === person;
  }
}

/** For a program that embeds the gateway and knows its callers itself. */
export const NO_ISSUER: IssuerSessions = Object.freeze({
  begin: () => Promise.reject(new GatewayError('SIGN_IN_REFUSED', 'There are no people here.')),
  failed: () => {},
  offer: () => () => {},
});
