/** How a request came, beside who called. */
import type { IncomingHttpHeaders } from 'node:http';

/** What the access control and signing in look at. */
export interface Arrival {
  /** Address of the peer, or what a trusted proxy said of it. */
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
  /** The connection comes from a trusted proxy: its headers count. */
  readonly byProxy: boolean;
  /** By TLS, to the gateway or to a trusted proxy in front of it. */
  readonly secure: boolean;
  /** From a page of the gateway itself, by the `Origin` that browsers send with every change and every handshake. */
  readonly ownPage: boolean;
}
