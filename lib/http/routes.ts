/** The table of routes of all plugins, compiled once. Each route can be taken out again. */
import { ACCESS, isAccess } from '../domain/ids.ts';
import type { Scope } from './arrival.ts';
import { type Asset, assetsOf, pagePattern } from './assets.ts';
import {
  assertSchema,
  compileBody,
  compileParameters,
  parameterSchema,
  type ReadParameters,
  type ValueCheck,
} from './checks.ts';
import type { Access, Assets, Route, Schema, SocketRoute } from './contract.ts';

export interface CompiledRoute {
  readonly route: Route;
  /** The plugin that added the route. */
  readonly group: string;
  readonly access: Access;
  readonly scope: Scope;
  readonly takesBody: boolean;
  readonly needsBody: boolean;
  readonly asksMeter: boolean;
  readonly readParams: ReadParameters;
  readonly readQuery: ReadParameters;
  readonly checkBody: ValueCheck;
}

export interface CompiledSocket {
  readonly route: SocketRoute;
  readonly group: string;
  readonly access: Access;
  readonly scope: Scope;
  readonly asksMeter: boolean;
  readonly readParams: ReadParameters;
  readonly readQuery: ReadParameters;
  /** Undefined: messages of a client are dropped. */
  readonly checkMessage: ValueCheck | undefined;
}

/** Group of routes that no plugin adds. */
const OWN_GROUP = 'gateway';
const PATH = /^\/$|^(\/(\{[a-z_]+\}|[A-Za-z0-9_.-]+))+$/;
const NO_BODY = { type: 'object', properties: {} };

/** Whether a path is about one unit. */
export const hasUnit = (path: string): boolean => path.includes('{unit_id}');
const parametersIn = (path: string): string[] =>
  [...path.matchAll(/\{([a-z_]+)\}/g)].flatMap(([, name = '']) => (name === 'unit_id' ? [] : [name]));
/** Whether a request without a body is refused. */
export const needsBody = ({ body, bodyMayBeAbsent }: Route): boolean => body !== undefined && !bodyMayBeAbsent;
/** Whether a route reads from a meter. Its value may then be known already (`max_age`). */
export const asksMeter = ({ method, path, errors }: Pick<Route, 'path' | 'errors'> & { method?: Route['method'] }) =>
  method === 'GET' && hasUnit(path) && errors.includes('DEVICE_TIMEOUT');
/** Largest `max_age`, seconds. */
export const LONGEST_AGE_S = 3_600;
const AGES: Readonly<Record<string, Schema>> = {
  age_s: { type: 'number', minimum: 0, description: 'How old the answer is; absent: it was read for this request.' },
  read_at: { type: 'string', format: 'date-time', description: 'When it was read; beside age_s.' },
  waited_ms: {
    type: 'integer',
    minimum: 0,
    description: 'How long the question waited for its turn beside a watched stream.',
  },
};
const withAges = (route: Route): Route =>
  asksMeter(route) && typeof route.answer === 'object'
    ? { ...route, answer: { ...AGES, ...route.answer }, optional: [...(route.optional ?? []), ...Object.keys(AGES)] }
    : route;
/** Whether requests of this method may have a body. */
export const takesBody = (route: Route): boolean => route.method === 'PUT' || route.method === 'POST';

/** All routes that exist now. Two routes of one method and path are refused with an Error. */
export class RouteTable {
  readonly #routes = new Map<string, CompiledRoute>();
  readonly #sockets = new Map<string, CompiledSocket>();
  readonly #assets = new Map<string, Asset>();
  /** Assets whose paths have parameters. */
  readonly #pages = new Map<RegExp, Asset>();
  readonly #about = new Map<string, string>();

  get routes(): readonly CompiledRoute[] {
    return [...this.#routes.values()];
  }

  get sockets(): readonly CompiledSocket[] {
    return [...this.#sockets.values()];
  }

  /** Purpose of a group of routes, in a sentence. */
  about(group: string): string | undefined {
    return this.#about.get(group);
  }

  describe(group: string, about: string): void {
    this.#about.set(group, about);
  }

  asset(path: string): Asset | undefined {
    const asset = this.#assets.get(path);
    return asset ?? [...this.#pages].find(([pattern]) => pattern.test(path))?.[1];
  }

  /** Throws when the path is taken or malformed, or the access is missing. The disposer takes the route out. */
  add(given: Route, group = OWN_GROUP): () => void {
    const route = withAges(given);
    requireAccess(`${route.method} ${route.path}`, route.access);
    if (route.body && !takesBody(route)) throw new Error(`${route.method} ${route.path} takes no body`);
    const compiled = {
      route,
      group,
      ...partsOf(route),
      takesBody: takesBody(route),
      needsBody: needsBody(route),
      asksMeter: asksMeter(route),
      checkBody: compileBody(route.body ?? NO_BODY),
    };
    return put(this.#routes, `${route.method} ${route.path}`, route.path, compiled);
  }

  /** As `add`. */
  addSocket(route: SocketRoute, group = OWN_GROUP): () => void {
    requireAccess(`WS ${route.path}`, route.access);
    const checkMessage = route.accepts && compileBody(route.accepts);
    const compiled = { route, group, ...partsOf(route), asksMeter: false, checkMessage };
    return put(this.#sockets, `WS ${route.path}`, route.path, compiled);
  }

  /**
   * Throws when the folder cannot be read, one of its paths is taken, or it has an access. The disposer takes all of
   * them out.
   */
  addAssets(assets: Assets): () => void {
    if ('access' in assets && assets.access !== 'public')
      throw new Error(`assets ${assets.path}: such a folder is open to everybody and cannot have an access`);
    if (!/^\/$|^(\/[A-Za-z0-9_.-]+)+$/.test(assets.path)) throw new Error(`assets ${assets.path}: not a plain path`);
    const added = assetsOf(assets);
    const taken = added.find(({ path }) => this.#assets.has(path));
    if (taken) throw new Error(`assets ${taken.path} is defined already`);
    const patterns: RegExp[] = [];
    for (const asset of added) {
      const pattern = pagePattern(asset.path);
      if (pattern) this.#pages.set(pattern, asset);
      if (pattern) patterns.push(pattern);
      this.#assets.set(asset.path, asset);
    }
    return () => {
      for (const { path } of added) this.#assets.delete(path);
      for (const pattern of patterns) this.#pages.delete(pattern);
    };
  }
}

/**
 * Throws when a schema of the route is wrong. The gateway's own schemas are not checked: a test does that, and the
 * check would cost a tenth of each start.
 */
export function assertSchemas(route: Route | SocketRoute): void {
  const parameters = Object.entries({ ...route.params, ...route.query });
  const properties = Object.fromEntries(parameters.map(([name, schema]) => [name, parameterSchema(schema)]));
  const bodies = 'handle' in route ? [route.body, ...answersOf(route)] : [route.accepts, ...route.messages];
  for (const schema of [{ type: 'object', properties }, ...bodies]) if (schema) assertSchema(schema);
}

const answersOf = ({ answer }: Route): Schema[] => (typeof answer === 'string' ? [] : Object.values(answer));

function partsOf({ path, access, filtersUnits, params = {}, query = {} }: Route | SocketRoute) {
  const inPath = parametersIn(path);
  const stray = [...inPath, ...Object.keys(params)].filter((name) => !(inPath.includes(name) && name in params));
  if (stray.length > 0) throw new Error(`${path}: params and path do not name the same: ${stray.join(', ')}`);
  const required = Object.entries(params).map(([name, schema]) => [name, { ...schema, required: true }] as const);
  const scope: Scope = hasUnit(path) ? 'unit' : filtersUnits ? 'filtered' : 'all';
  return {
    access,
    scope,
    readParams: compileParameters(Object.fromEntries(required)),
    readQuery: compileParameters(query),
  };
}

/** A plugin in JavaScript has no compiler that would report a missing access. */
function requireAccess(name: string, access: unknown): void {
  if (!isAccess(access)) throw new Error(`${name}: access must be one of ${ACCESS.join(', ')}`);
}

function put<T>(map: Map<string, T>, key: string, path: string, value: T): () => void {
  if (!PATH.test(path)) throw new Error(`${key}: not a path of plain segments and {parameters}`);
  if (map.has(key)) throw new Error(`${key} is defined already`);
  map.set(key, value);
  return () => {
    if (map.get(key) === value) map.delete(key);
  };
}
