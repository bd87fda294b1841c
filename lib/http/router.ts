/** The table of routes as routers: one for requests, one for upgrades. Also answers requests that match no route. */
import { createHash } from 'node:crypto';
import { type Layer, Router } from '@koa/router';
import { GatewayError } from '../errors.ts';
import { checkAccess, type Declared } from './access.ts';
import type { Asset } from './assets.ts';
import type { Context, Endpoint, State } from './context.ts';
import { admitSocket, answerRoute, type Means, type Params } from './endpoints.ts';
import { isFresh } from './fresh.ts';
import type { CompiledRoute, RouteTable } from './routes.ts';

type Paths = Router<State>;

/** A path that is not in the table and answers with JSON as it is: an object, or its bytes. */
export interface OwnPath {
  readonly path: string;
  answer(): object;
}

export interface Endpoints {
  readonly request: Endpoint;
  readonly upgrade: Endpoint;
}

export function createEndpoints(table: RouteTable, own: readonly OwnPath[], means: Means): Endpoints {
  const requests = newRouter();
  const upgrades = newRouter();
  const byShape = new Map<string, Placement[]>();
  for (const { path, answer } of own) {
    requests.get(path, async (context) => {
      await checkAccess(means.authenticator, context, { path, access: 'public' }, '');
      context.type = 'json';
      const body = answer();
      context.status = 200;
      if (Buffer.isBuffer(body) && isFresh(context, etagOf(body))) return;
      // As text: see problem.ts.
      context.body = Buffer.isBuffer(body) ? body : JSON.stringify(body);
    });
  }
  for (const compiled of table.routes.toSorted(fixedFirst)) {
    const { method, path, besideBase } = compiled.route;
    const methods = method === 'GET' ? ['HEAD', 'GET'] : [method];
    const place = pattern(besideBase ? '' : means.basePath, path);
    const layer = requests.register(place, methods, (context) =>
      answerRoute(compiled, context, context.params as Params, means),
    );
    const shape = shapeOf(place);
    byShape.set(shape, [...(byShape.get(shape) ?? []), { compiled, layer: layer as Layer }]);
  }
  for (const socket of table.sockets.toSorted(fixedFirst)) {
    upgrades.get(pattern(socket.route.besideBase ? '' : means.basePath, socket.route.path), (context) =>
      admitSocket(socket, context, context.params as Params, means),
    );
  }
  const routed = route(requests, means, (context) => missing(requests, upgrades, context));
  const request = quickly(byShape, means, routed);
  return {
    request: withAssets(table, means, request),
    upgrade: route(upgrades, means, () => new GatewayError('NOT_FOUND', 'There is no stream at this path.')),
  };
}

const etags = new WeakMap<Buffer, string>();

/** The ETag of bytes that are the same for all answers: computed once. */
function etagOf(bytes: Buffer): string {
  const etag = etags.get(bytes) ?? `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  etags.set(bytes, etag);
  return etag;
}

const newRouter = (): Paths => new Router<State>({ exclusive: 'specificity', sensitive: true });

/** `4 status` for four segments of which the last is `status`. */
function shapeOf(path: string): string {
  let segments = 0;
  for (const letter of path) if (letter === '/') segments += 1;
  return `${segments} ${path.slice(path.lastIndexOf('/') + 1)}`;
}

interface Placement {
  readonly compiled: CompiledRoute;
  readonly layer: Layer;
}

/**
 * A router asks all its routes one after the other, and prepares much that nobody here looks at. Most paths end in a word:
 * where just one of the few routes that end in the same word fits, it answers at once; else the router decides. Below a word
 * such as `_jobs` the last segment may be a parameter that looks like the word of another route: `/_jobs/config`.
 */
function quickly(byShape: ReadonlyMap<string, readonly Placement[]>, means: Means, otherwise: Endpoint): Endpoint {
  return (context) => {
    const { path, method } = context;
    const some = path.includes('/_') ? undefined : byShape.get(shapeOf(path));
    const fitting = some?.filter(({ layer }) => layer.methods.includes(method) && layer.match(path)) ?? [];
    const [only] = fitting;
    if (!only || fitting.length > 1) return otherwise(context);
    const { compiled, layer } = only;
    return answerRoute(compiled, context, layer.params(path, layer.captures(path)), means);
  };
}

interface Placed {
  readonly route: { readonly path: string };
}

/** Of two routes with as many parameters the first one counts: `/_jobs/{id}` goes before `/{unit_id}/config`. */
const fixedFirst = (one: Placed, other: Placed): number =>
  Number(one.route.path.startsWith('/{')) - Number(other.route.path.startsWith('/{'));

/** Everybody may ask for an unknown path, but not too often: it passes the authenticator, too. */
const NOWHERE: Declared = { path: '/', access: 'public' };

function route(paths: Paths, { authenticator }: Means, otherwise: (context: Context) => GatewayError): Endpoint {
  const dispatch = paths.routes();
  return (context) =>
    dispatch(context as Parameters<typeof dispatch>[0], async () => {
      await checkAccess(authenticator, context, NOWHERE, '');
      throw otherwise(context);
    });
}

/** Below the base path are no assets: what is there belongs to the API. */
function withAssets(table: RouteTable, means: Means, otherwise: Endpoint): Endpoint {
  const { basePath } = means;
  return (context) => {
    const isOfApi = basePath !== '' && context.path.startsWith(`${basePath}/`);
    const isRead = context.method === 'GET' || context.method === 'HEAD';
    const asset = isRead && !isOfApi ? table.asset(context.path) : undefined;
    return asset ? sendAsset(asset, context, means) : otherwise(context);
  };
}

async function sendAsset(asset: Asset, context: Context, { authenticator, basePath }: Means): Promise<void> {
  await checkAccess(authenticator, context, NOWHERE, '');
  await asset.send(context, basePath);
}

function missing(requests: Paths, upgrades: Paths, context: Context): GatewayError {
  const methods = requests.match(context.path, context.method).path.flatMap((layer) => layer.methods);
  if (methods.length > 0) {
    const allow = [...new Set(methods)].sort().join(', ');
    return new GatewayError('METHOD_NOT_ALLOWED', `This path takes ${allow}.`, { headers: { Allow: allow } });
  }
  if (upgrades.match(context.path, 'GET').route) {
    return new GatewayError('UPGRADE_REQUIRED', 'This path is a WebSocket.', { headers: { Upgrade: 'websocket' } });
  }
  return new GatewayError('NOT_FOUND', 'There is no such path.');
}

/** `/{unit_id}/clock` below the base path, as the router writes it. */
const pattern = (basePath: string, path: string): string =>
  `${basePath}${path === '/' && basePath !== '' ? '' : path}`.replaceAll(/\{([a-z_]+)\}/g, ':$1');
