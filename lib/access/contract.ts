/** Origin of a request, apart from its caller. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Role } from '../domain/ids.ts';

/** Input of the access control and of signing in. */
export interface Arrival {
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
  /** The connection comes from a trusted proxy: its headers count. */
  readonly byProxy: boolean;
  /** By TLS, to the gateway or to a trusted proxy in front of it. */
  readonly secure: boolean;
  /** The gateway under the name that the caller used: `https://meters.example`. */
  readonly origin: string;
  /** Comes from a page of the gateway, by the `Origin` that browsers send with changes and handshakes. */
  readonly ownPage: boolean;
}

/** A person whom an issuer (OpenID Connect) has signed in. */
export interface IssuerPerson {
  /** Identifier of the person at the issuer; it does not change. */
  readonly subject: string;
  /** For people, at most 200 characters. */
  readonly name: string;
  /** Rights from the issuer; undefined: the rights of the person with this name count. */
  readonly rights:
    | { readonly role: Role; readonly units: readonly string[] | null; readonly tags: readonly string[] | null }
    | undefined;
}

/** Sessions of people whom an issuer signs in, for the plugin that talks to the issuer. */
export interface IssuerSessions {
  /**
   * Opens a session. `cookie` is the value of `Set-Cookie`, `session` its id. Errors: SIGN_IN_REFUSED if the rights of
   * a person should count and nobody has this name; STORAGE_FULL, STORAGE_FAILED.
   */
  begin(who: IssuerPerson, arrival: Arrival): Promise<{ readonly cookie: string; readonly session: string }>;
  /** The audit log gets the first failed sign-in of an address and minute. Faults of the issuer are none. */
  failed(error: unknown, arrival: Arrival): void;
  /** Registers the plugin: the name of the issuer for people, and the sign-out address at the issuer. */
  offer(way: { readonly title: string; signOut(session: string): string | undefined }): () => void;
}
