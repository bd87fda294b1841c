/**
 * People whom an issuer (OpenID Connect) signs in. Their sessions last only while the settings of the sign-in stay the
 * same. If role and units are those of a person of the gateway, that person must stay the same, too.
 */
import { createHash } from 'node:crypto';
import { GatewayError } from '../../errors.ts';
import type { Settings } from '../../settings/index.ts';
import type { IssuerPerson, IssuerSessions } from '../contract.ts';
import type { LiveKeys } from '../live-keys.ts';
import type { Holder } from '../tables.ts';
import { isReserved, type LivePeople } from './live-people.ts';

/** Name of a way to sign in, and its sign-out address. */
type Way = Parameters<IssuerSessions['offer']>[0];

const digest = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);

/** Finds the holders of their sessions. */
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

  /** The settings name an issuer: callers must sign in, even if nobody has a key or a password. */
  get isUsed(): boolean {
    return this.#issuer !== '';
  }

  /** Name of the issuer for people; null: no issuer. */
  get title(): string | null {
    return this.#way?.title ?? null;
  }

  /** Address at which a browser also ends the session at the issuer. */
  signOut(session: string): string | undefined {
    return this.#way?.signOut(session);
  }

  /** See `IssuerSessions.offer`. */
  offer(way: Way): () => void {
    this.#way = way;
    return () => {
      this.#way = undefined;
    };
  }

  /** Errors: SIGN_IN_REFUSED. */
  holderOf({ subject, name, rights }: IssuerPerson): Holder {
    const id = digest([this.#issuer, subject]);
    const person = this.#people.named(name);
    if (rights) {
      // A namesake at the issuer must not look like a person or key of the gateway.
      const isTaken = person !== undefined || isReserved(name) || this.#keys.isName(name);
      const shown = isTaken ? `${name} (${new URL(this.#issuer).host})` : name;
      return { kind: 'issuer', id, name: shown.slice(0, 200), ...rights, stamp: this.#stamp };
    }
    if (!person) throw new GatewayError('SIGN_IN_REFUSED', `${name} is not among the people of this gateway.`);
    const { role, units } = person;
    return { kind: 'issuer', id, name: person.name, role, units, stamp: `${this.#stamp} ${person.id} ${person.stamp}` };
  }

  /** Whether the holder is unchanged since the sign-in. */
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
