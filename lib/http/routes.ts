/** The table of routes: what plugins defined, compiled once, each with a way to take it out again. */
import { assertSchema, type Check, compileBody, compileQuery } from './checks.ts';
import type { Route, SocketRoute } from './contract.ts';

export interface CompiledRoute {
  readonly route: Route;
  readonly checkQuery: Check<Record<string, unknown>>;
  readonly checkBody: Check<unknown>;
}

export interface CompiledSocket {
  readonly route: SocketRoute;
  readonly checkQuery: Check<Record<string, unknown>>;
}

const PATH = /^\/$|^(\/(\{unit_id\}|[A-Za-z0-9_.-]+))+$/;
const NO_BODY = { type: 'object', properties: {} };

export const hasUnit = (path: string): boolean => path.includes('{unit_id}');
export const takesBody = (route: Route): boolean => route.method === 'PUT' || route.method === 'POST';

export class RouteTable {
  readonly #routes = new Map<string, CompiledRoute>();
  readonly #sockets = new Map<string, CompiledSocket>();

  get routes(): readonly CompiledRoute[] {
    return [...this.#routes.values()];
  }

  get sockets(): readonly CompiledSocket[] {
    return [...this.#sockets.values()];
  }

  /** Throws when the path is taken or malformed, or a schema is wrong. The disposer takes the route out. */
  add(route: Route): () => void {
    if (route.body && !takesBody(route)) throw new Error(`${route.method} ${route.path} takes no body`);
    if (typeof route.answer !== 'string') for (const schema of Object.values(route.answer)) assertSchema(schema);
    const compiled = {
      route,
      checkQuery: compileQuery(route.query ?? {}),
      checkBody: compileBody(route.body ?? NO_BODY),
    };
    return put(this.#routes, `${route.method} ${route.path}`, route.path, compiled);
  }

  addSocket(route: SocketRoute): () => void {
    for (const schema of route.messages) assertSchema(schema);
    return put(this.#sockets, `WS ${route.path}`, route.path, { route, checkQuery: compileQuery({}) });
  }
}

function put<T>(map: Map<string, T>, key: string, path: string, value: T): () => void {
  if (!PATH.test(path)) throw new Error(`${key}: not a path of plain segments and {unit_id}`);
  if (map.has(key)) throw new Error(`${key} is defined already`);
  map.set(key, value);
  return () => {
    if (map.get(key) === value) map.delete(key);
  };
}
