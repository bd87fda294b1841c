/** The table of routes as routers: one for requests, one for upgrades. Answers what is at no route, too. */
import { Router } from '@koa/router';
import { GatewayError } from '../errors.ts';
import { checkAccess, type Declared } from './access.ts';
import type { Context, Endpoint, State } from './context.ts';
import { admitSocket, answerRoute, type Means, type Params } from './endpoints.ts';
import type { RouteTable } from './routes.ts';

type Paths = Router<State>;

/** A path beside the table that answers with JSON as it is: an object, or its bytes. */
export interface OwnPath {
  readonly path: string;
  answer(): object;
}

export interface Endpoints {
  readonly request: Endpoint;
  readonly upgrade: Endpoint;
}

export function createEndpoints(table: RouteTable, own: readonly OwnPath[], means: Means): Endpoints {
  const requests: Paths = new Router<State>({ exclusive: 'specificity', sensitive: true });
  const upgrades: Paths = new Router<State>({ exclusive: 'specificity', sensitive: true });
  for (const { path, answer } of own) {
    requests.get(path, async (context) => {
      await checkAccess(means.authenticator, context, { path, access: 'public' }, '');
      context.type = 'json';
      context.body = answer();
    });
  }
  for (const compiled of table.routes.toSorted(fixedFirst)) {
    const { method, path, besideBase } = compiled.route;
    const methods = method === 'GET' ? ['HEAD', 'GET'] : [method];
    requests.register(pattern(besideBase ? '' : means.basePath, path), methods, (context) =>
      answerRoute(compiled, context, context.params as Params, means),
    );
  }
  for (const socket of table.sockets.toSorted(fixedFirst)) {
    upgrades.get(pattern(means.basePath, socket.route.path), (context) =>
      admitSocket(socket, context, context.params as Params, means),
    );
  }
  const request = route(requests, means, (context) => missing(requests, upgrades, context));
  return {
    request: withAssets(table, means, request),
    upgrade: route(upgrades, means, () => new GatewayError('NOT_FOUND', 'There is no stream at this path.')),
  };
}

interface Placed {
  readonly route: { readonly path: string };
}

/** Of two routes with as many parameters the first one counts: `/_jobs/{id}` goes before `/{unit_id}/config`. */
const fixedFirst = (one: Placed, other: Placed): number =>
  Number(one.route.path.startsWith('/{')) - Number(other.route.path.startsWith('/{'));

/** What is at no route may be asked for by everybody, but not without end: it passes the authenticator, too. */
const NOWHERE: Declared = { path: '/', access: 'public' };

function route(paths: Paths, { authenticator }: Means, otherwise: (context: Context) => GatewayError): Endpoint {
  const dispatch = paths.routes();
  return (context) =>
    dispatch(context as Parameters<typeof dispatch>[0], async () => {
      await checkAccess(authenticator, context, NOWHERE, '');
      throw otherwise(context);
    });
}

/** No path of an asset is one of a route: a route wins, and the table is small enough to be asked first. */
function withAssets(table: RouteTable, { authenticator }: Means, otherwise: Endpoint): Endpoint {
  return async (context) => {
    const asset = context.method === 'GET' || context.method === 'HEAD' ? table.asset(context.path) : undefined;
    if (!asset) return otherwise(context);
    await checkAccess(authenticator, context, NOWHERE, '');
    await asset.send(context);
  };
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
