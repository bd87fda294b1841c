/**
 * For browsers: pages of our own origin and of the listed ones may call. Pages of any other origin are refused, with
 * every method. A caller that sends no Origin and no Sec-Fetch-Site is not a browser and passes. CORS answers with the listed
 * origin only: nothing is reflected, and `null` (a sandboxed frame, a file) is never listed.
 */
import { GatewayError } from '../errors.ts';
import type { Context, Middleware } from './context.ts';

const METHODS = 'GET, HEAD, POST, PUT, DELETE';
const HEADERS = 'Authorization, Content-Type, Request-Timeout, X-Request-Id';
const READABLE = 'Content-Disposition, Retry-After, X-Request-Id';
/** A browser may keep the answer to a preflight this long, s. */
const PREFLIGHT_S = '600';

/** `allowed`: `https://dash.example.org`, as browsers write origins. */
export function ownPages(allowed: readonly string[]): Middleware {
  const listed = new Set(allowed);
  return (context, next) => {
    const origin = context.get('Origin');
    if (listed.size > 0) context.vary('Origin');
    if (listed.has(origin)) permit(context, origin);
    else if (isForeign(context, origin)) throw foreign(origin);
    if (!listed.has(origin) || !isPreflight(context)) return next();
    preflight(context);
    return Promise.resolve();
  };
}

function permit(context: Context, origin: string): void {
  context.set('Access-Control-Allow-Origin', origin);
  context.set('Access-Control-Expose-Headers', READABLE);
}

const isPreflight = (context: Context): boolean =>
  context.method === 'OPTIONS' && context.get('Access-Control-Request-Method') !== '';

function preflight(context: Context): void {
  context.set('Access-Control-Allow-Methods', METHODS);
  context.set('Access-Control-Allow-Headers', HEADERS);
  context.set('Access-Control-Max-Age', PREFLIGHT_S);
  context.status = 204;
}

function isForeign(context: Context, origin: string): boolean {
  if (origin !== '') return origin.toLowerCase() !== ownOrigin(context);
  // An image or a script of another page asks without an Origin; a link that a person follows is let through.
  const site = context.get('Sec-Fetch-Site');
  return (site === 'cross-site' || site === 'same-site') && !isFollowedLink(context);
}

const ownOrigin = ({ state: { peer } }: Context): string => `${peer.protocol}://${peer.host}`.toLowerCase();

const isFollowedLink = (context: Context): boolean =>
  (context.method === 'GET' || context.method === 'HEAD') &&
  context.get('Sec-Fetch-Mode') === 'navigate' &&
  context.get('Sec-Fetch-Dest') === 'document';

function foreign(origin: string): GatewayError {
  const pages = origin === '' || origin === 'null' ? 'Pages of other origins' : `Pages of ${origin.slice(0, 200)}`;
  return new GatewayError('FOREIGN_ORIGIN', `${pages} may not call the gateway; see the setting allowed_origins.`);
}
