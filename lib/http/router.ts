/** The table of routes as routers: one for requests, one for upgrades. Also answers requests that match no route. */
import { createHash } from 'node:crypto';
import { type Layer, type MatchResult, Router, type RouterInstance, type RouterOptions } from '@koa/router';
import { GatewayError } from '../errors.ts';
import { checkAccess, type Declared } from './access.ts';
import { isKnown } from './answer.ts';
import type { Asset } from './assets.ts';
import type { Context, Endpoint, State } from './context.ts';
import { admitSocket, answerRoute, type Means } from './endpoints.ts';
import type { RouteTable } from './routes.ts';

/** A path that is not in the table and answers with JSON as it is: an object, or its bytes. */
export interface OwnPath {
  readonly path: string;
  answer(): object;
}

/** Answers every request and admits every upgrade. Errors: NOT_FOUND, METHOD_NOT_ALLOWED, UPGRADE_REQUIRED, and those of the routes. */
export function createEndpoints(table: RouteTable, own: readonly OwnPath[], means: Means): Endpoint {
  const requests = new IndexedRouter();
  const upgrades = new IndexedRouter();
  for (const path of own) requests.get(path.path, (context) => answerOwn(path, context, means));
  for (const compiled of table.routes.toSorted(fixedFirst)) {
    const { method, path, besideBase } = compiled.route;
    const place = pattern(besideBase ? '' : means.basePath, path);
    requests.register(place, [method], (context) => answerRoute(compiled, context, context.params, means));
  }
  for (const socket of table.sockets.toSorted(fixedFirst)) {
    const place = pattern(socket.route.besideBase ? '' : means.basePath, socket.route.path);
    upgrades.get(place, (context) => admitSocket(socket, context, context.params, means));
  }
  const answer = ending(requests, means, (context) => missing(requests, upgrades, context));
  const admit = ending(upgrades, means, () => new GatewayError('NOT_FOUND', 'There is no stream at this path.'));
  return (context) => {
    if (context.state.upgrade) return admit(context);
    const asset = assetFor(table, context, means.basePath);
    return asset ? sendAsset(asset, context, means) : answer(context);
  };
}

/** Its type has several constructors, of which a class cannot be derived. */
const KoaRouter: new (options: RouterOptions) => RouterInstance<State> = Router;

/**
 * The router of Koa asks all its routes one after the other whether a path is theirs. This one asks only those with as many segments
 * whose last segment is the same, or a parameter.
 */
class IndexedRouter extends KoaRouter {
  readonly #byShape = new Map<string, readonly Layer<State>[]>();

  constructor() {
    super({ exclusive: 'specificity', sensitive: true });
  }

  override match(path: string, method: string): MatchResult<State> {
    const found = this.#candidates(path).filter((layer) => layer.match(path));
    const fitting = found.filter((layer) => layer.methods.includes(method));
    return { path: found, pathAndMethod: fitting, route: fitting.length > 0 };
  }

  #candidates(path: string): readonly Layer<State>[] {
    // One slash at the end does not count.
    const plain = path.endsWith('/') ? path.slice(0, -1) : path;
    const last = plain.slice(plain.lastIndexOf('/') + 1);
    const shape = `${segmentsIn(plain)} ${last}`;
    return this.#index().get(shape) ?? this.#index().get(`${segmentsIn(plain)} `) ?? [];
  }

  /** By number of segments and last word, in the order of the routes; under an empty word those that end in a parameter. */
  #index(): ReadonlyMap<string, readonly Layer<State>[]> {
    if (this.#byShape.size > 0) return this.#byShape;
    const placed = this.stack.map((layer) => {
      const path = String(layer.path);
      const last = path.slice(path.lastIndexOf('/') + 1);
      return { layer, segments: segmentsIn(path), last: last.startsWith(':') ? '' : last };
    });
    for (const { segments, last } of placed) {
      const such = placed.filter((one) => one.segments === segments && (one.last === last || one.last === ''));
      this.#byShape.set(
        `${segments} ${last}`,
        such.map(({ layer }) => layer),
      );
    }
    return this.#byShape;
  }
}

function segmentsIn(path: string): number {
  let segments = 0;
  for (const letter of path) if (letter === '/') segments += 1;
  return segments;
}

async function answerOwn({ answer }: OwnPath, context: Context, { authenticator }: Means): Promise<void> {
  await checkAccess(authenticator, context, NOWHERE, '');
  context.type = 'json';
  const body = answer();
  context.status = 200;
  if (Buffer.isBuffer(body) && isKnown(context, etagOf(body))) return;
  // As text: see problem.ts.
  context.body = Buffer.isBuffer(body) ? body : JSON.stringify(body);
}

const etags = new WeakMap<Buffer, string>();

/** The ETag of bytes that are the same for all answers: computed once. */
function etagOf(bytes: Buffer): string {
  const etag = etags.get(bytes) ?? `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  etags.set(bytes, etag);
  return etag;
}

interface Placed {
  readonly route: { readonly path: string };
}

/** Of two routes with as many parameters the first one counts: `/_jobs/{id}` goes before `/{unit_id}/config`. */
const fixedFirst = (one: Placed, other: Placed): number =>
  Number(one.route.path.startsWith('/{')) - Number(other.route.path.startsWith('/{'));

/** Everybody may ask for a path that is no route, but not too often: it passes the authenticator, too. */
const NOWHERE: Declared = { path: '/', access: 'public' };

function ending(
  router: IndexedRouter,
  { authenticator }: Means,
  otherwise: (context: Context) => GatewayError,
): Endpoint {
  const dispatch = router.routes();
  return (context) =>
    dispatch(context as Parameters<typeof dispatch>[0], async () => {
      await checkAccess(authenticator, context, NOWHERE, '');
      throw otherwise(context);
    });
}

/** Below the base path are no assets: what is there belongs to the API. */
function assetFor(table: RouteTable, { path, method }: Context, basePath: string): Asset | undefined {
  const isOfApi = basePath !== '' && path.startsWith(`${basePath}/`);
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && !isOfApi ? table.asset(path) : undefined;
}

async function sendAsset(asset: Asset, context: Context, { authenticator, basePath }: Means): Promise<void> {
  await checkAccess(authenticator, context, NOWHERE, '');
  await asset.send(context, basePath);
}

function missing(requests: IndexedRouter, upgrades: IndexedRouter, { path, method }: Context): GatewayError {
  const methods = requests.match(path, method).path.flatMap((layer) => layer.methods);
  if (methods.length > 0) {
    const allow = [...new Set(methods)].sort().join(', ');
    return new GatewayError('METHOD_NOT_ALLOWED', `This path takes ${allow}.`, { headers: { Allow: allow } });
  }
  if (upgrades.match(path, 'GET').route) {
    return new GatewayError('UPGRADE_REQUIRED', 'This path is a WebSocket.', { headers: { Upgrade: 'websocket' } });
  }
  return new GatewayError('NOT_FOUND', 'There is no such path.');
}

/** `/{unit_id}/clock` below the base path, as the router writes it. */
const pattern = (basePath: string, path: string): string =>
  `${basePath}${path === '/' && basePath !== '' ? '' : path}`.replaceAll(/\{([a-z_]+)\}/g, ':$1');
