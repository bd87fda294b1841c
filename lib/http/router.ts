/** The table of routes as routers: one for requests, one for upgrades. Also answers requests that match no route. */
import { createHash } from 'node:crypto';
import { type Layer, Router } from '@koa/router';
import { GatewayError } from '../errors.ts';
import { JSON_TYPE, sendWhole } from './answer.ts';
import { checkAccess, type Declared } from './arrival.ts';
import type { Asset } from './assets.ts';
import type { Context, Endpoint, State } from './context.ts';
import { admitSocket, type EndpointParts, type Params, routeEndpoint } from './endpoints.ts';
import type { RouteTable } from './routes.ts';

/** A path outside the table that answers with JSON: an object, or its bytes. */
export interface OwnPath {
  readonly path: string;
  answer(): object;
}

/**
 * Answers every request and admits every upgrade. Errors: NOT_FOUND, METHOD_NOT_ALLOWED, UPGRADE_REQUIRED, and the
 * errors of the routes.
 */
export function createEndpoints(table: RouteTable, own: readonly OwnPath[], common: EndpointParts): Endpoint {
  const requests = new Routes();
  const upgrades = new Routes();
  for (const path of own) requests.add('GET', path.path, (context) => answerOwn(path, context, common));
  for (const compiled of table.routes.toSorted(fixedFirst)) {
    const { method, path, besideBase } = compiled.route;
    const place = pattern(besideBase ? '' : common.basePath, path);
    requests.add(method, place, routeEndpoint(compiled, common));
  }
  for (const socket of table.sockets.toSorted(fixedFirst)) {
    const place = pattern(socket.route.besideBase ? '' : common.basePath, socket.route.path);
    upgrades.add('GET', place, (context, params) => admitSocket(socket, context, params, common));
  }
  const answer = ending(requests, common, async (context) => {
    const found = missing(requests, upgrades, context);
    const page =
      found.code === 'NOT_FOUND' && isForPerson(context) ? assetFor(table, context, common.basePath, '/') : null;
    if (!page) throw found;
    await page.send(context, common.basePath, 404);
  });
  const admit = ending(upgrades, common, () => {
    throw new GatewayError('NOT_FOUND', 'There is no stream at this path.');
  });
  return (context) => {
    if (context.state.upgrade) return admit(context);
    const asset = assetFor(table, context, common.basePath);
    return asset ? sendAsset(asset, context, common) : answer(context);
  };
}

type Answer = (context: Context, params: Params) => Promise<void>;

interface Place {
  readonly layer: Layer<State>;
  readonly methods: readonly string[];
  readonly answer: Answer;
}

/**
 * Reads paths with the router of Koa. That router tries all its routes one after the other and makes a chain of
 * middleware for each request. Here only routes with as many segments are tried, and the first match answers.
 */
class Routes {
  readonly #router = new Router<State>({ sensitive: true });
  /** By number of segments, those with the fewest parameters first. */
  readonly #places = new Map<number, readonly Place[]>();

  add(method: string, path: string, answer: Answer): void {
    // Koa's router needs a function, but here it only reads paths.
    this.#router.register(path, [method], () => {});
    const layer = this.#router.stack.at(-1);
    if (!layer) return;
    const place = { layer, methods: layer.methods, answer };
    const such = [...this.#candidates(path), place];
    const sorted = such.toSorted((one, other) => one.layer.paramNames.length - other.layer.paramNames.length);
    this.#places.set(segmentsIn(path), sorted);
  }

  /** The methods of all routes at this path. */
  methods(path: string): string[] {
    return this.#candidates(path).flatMap(({ layer, methods }) => (layer.match(path) ? methods : []));
  }

  /** Undefined: no route matches. */
  dispatch(context: Context): Promise<void> | undefined {
    const { path, method } = context;
    for (const { layer, methods, answer } of this.#candidates(path))
      if (methods.includes(method) && layer.match(path))
        return answer(context, layer.params(path, layer.captures(path)));
    return undefined;
  }

  #candidates(path: string): readonly Place[] {
    return this.#places.get(segmentsIn(path)) ?? [];
  }
}

/** A slash at the end does not count. */
const segmentsIn = (path: string): number => path.replace(/\/$/, '').split('/').length;

async function answerOwn({ answer }: OwnPath, context: Context, { authenticator }: EndpointParts): Promise<void> {
  await checkAccess(authenticator, context, NOWHERE, '');
  const body = answer();
  context.status = 200;
  // As text: see server.ts.
  if (Buffer.isBuffer(body)) await sendWhole(context, body, JSON_TYPE, etagOf(body));
  else await sendWhole(context, JSON.stringify(body), JSON_TYPE);
}

const etags = new WeakMap<Buffer, string>();

function etagOf(bytes: Buffer): string {
  const etag = etags.get(bytes) ?? createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  etags.set(bytes, etag);
  return etag;
}

interface Placed {
  readonly route: { readonly path: string };
}

/** With the same number of parameters the first route counts: `/_jobs/{id}` goes before `/{unit_id}/config`. */
const fixedFirst = (one: Placed, other: Placed): number =>
  Number(one.route.path.startsWith('/{')) - Number(other.route.path.startsWith('/{'));

/** Everybody may ask for a path without a route, but not too often: the request passes the authenticator, too. */
const NOWHERE: Declared = { access: 'public', scope: 'all' };

function ending(routes: Routes, { authenticator }: EndpointParts, otherwise: Endpoint): Endpoint {
  return (context) => routes.dispatch(context) ?? refuse(context);
  async function refuse(context: Context): Promise<void> {
    await checkAccess(authenticator, context, NOWHERE, '');
    await otherwise(context);
  }
}

/** A browser that opens an address accepts HTML; programs and scripts of pages do not ask for it. */
const isForPerson = ({ headers }: Context): boolean => headers.accept?.includes('text/html') ?? false;

/** Paths below the base path belong to the API and have no assets. `name`: in place of the name in the path. */
function assetFor(
  table: RouteTable,
  { path, method }: Context,
  basePath: string,
  name: string = path,
): Asset | undefined {
  const isOfApi = basePath !== '' && path.startsWith(`${basePath}/`);
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && !isOfApi ? table.asset(name) : undefined;
}

async function sendAsset(asset: Asset, context: Context, { authenticator, basePath }: EndpointParts): Promise<void> {
  await checkAccess(authenticator, context, NOWHERE, '');
  await asset.send(context, basePath);
}

function missing(requests: Routes, upgrades: Routes, { path }: Context): GatewayError {
  const methods = requests.methods(path);
  if (methods.length > 0) {
    const allow = [...new Set(methods)].sort().join(', ');
    return new GatewayError('METHOD_NOT_ALLOWED', `This path takes ${allow}.`, { headers: { Allow: allow } });
  }
  if (upgrades.methods(path).length > 0) {
    return new GatewayError('UPGRADE_REQUIRED', 'This path is a WebSocket.', { headers: { Upgrade: 'websocket' } });
  }
  return new GatewayError('NOT_FOUND', 'There is no such path.');
}

/** `/{unit_id}/clock` below the base path, in the notation of the router. */
const pattern = (basePath: string, path: string): string =>
  `${basePath}${path === '/' && basePath !== '' ? '' : path}`.replaceAll(/\{([a-z_]+)\}/g, ':$1');
