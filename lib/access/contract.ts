/** How a request came, beside who called. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Role } from '../domain/ids.ts';

/** What the access control and signing in look at. */
export interface Arrival {
  /** Address of the peer, or what a trusted proxy said of it. */
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
  /** The connection comes from a trusted proxy: its headers count. */
  readonly byProxy: boolean;
  /** By TLS, to the gateway or to a trusted proxy in front of it. */
  readonly secure: boolean;
  /** The gateway as the caller named it: `https://meters.example`. */
  readonly origin: string;
  /** From a page of the gateway itself, by the `Origin` that browsers send with every change and every handshake. */
  readonly ownPage: boolean;
}

/** Somebody whom an issuer (OpenID Connect) has signed in. */
export interface IssuerPerson {
  /** What the issuer knows the person by; stays the same. */
  readonly subject: string;
  /** For people, at most 200 characters. */
  readonly name: string;
  /** What the issuer says of the rights; undefined: those of the person of this name count. */
  readonly rights: { readonly role: Role; readonly units: readonly string[] | null } | undefined;
}

/** Sessions of people whom an issuer signs in, for the plugin that talks to the issuer. */
export interface IssuerSessions {
  /**
   * Opens one. `cookie` is the value of `Set-Cookie`, `session` its id. Errors: SIGN_IN_REFUSED where the rights should be those of a person, and
   * there is nobody of this name; STORAGE_FULL, STORAGE_FAILED.
   */
  begin(who: IssuerPerson, arrival: Arrival): Promise<{ readonly cookie: string; readonly session: string }>;
  /** The plugin says by what name people know the issuer, and where a browser ends the session there, too. */
  offer(way: { readonly title: string; signOut(session: string): string | undefined }): () => void;
}
