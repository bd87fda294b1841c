/** A server with only the routes of a test, on a free port, and a client that checks every answer. */
import type { Test } from 'tap';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { type Authenticator, everybody } from '../../lib/http/arrival.ts';
import type { Assets, Route, SocketRoute } from '../../lib/http/contract.ts';
import { openApi } from '../../lib/http/documents/openapi.ts';
import type { Trouble } from '../../lib/http/health.ts';
import { RouteTable } from '../../lib/http/routes.ts';
import { type HttpServer, type HttpSettings, startHttp } from '../../lib/http/server.ts';
import { createLog } from '../../lib/log.ts';
import { answerCheck } from '../support/openapi.ts';

export const BASE = '/api/nl43';

export const SETTINGS: HttpSettings = {
  host: '127.0.0.1',
  port: 0,
  basePath: BASE,
  bodyLimit: 1_024,
  receiveTimeoutMs: 5_000,
  requestDeadlineMs: 30_000,
  pingMs: 25_000,
  deadMs: 55_000,
  messageLimit: 256,
  connectionLimit: 1_000,
  connectionsPerAddress: 1_000,
  tls: undefined,
  allowedHosts: [],
  allowedOrigins: [],
  trustedProxies: [],
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the body of an answer is what the test says it is
  readonly body: any;
}

export interface Served {
  readonly http: HttpServer;
  readonly log: string[];
  ask(method: string, path: string, init?: RequestInit): Promise<Answer>;
  put(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export interface Serving {
  readonly routes?: readonly Route<never, never>[];
  readonly sockets?: readonly SocketRoute[];
  readonly assets?: readonly Assets[];
  readonly troubles?: () => readonly Trouble[];
  readonly settings?: Partial<HttpSettings>;
  readonly authenticator?: Authenticator;
  readonly clock?: Clock;
}

export async function serve(t: Test, serving: Serving): Promise<Served> {
  const log: string[] = [];
  const table = new RouteTable();
  for (const route of serving.routes ?? []) table.add(route);
  for (const route of serving.sockets ?? []) table.addSocket(route);
  for (const assets of serving.assets ?? []) table.addAssets(assets);
  const settings = { ...SETTINGS, ...serving.settings };
  const http = await startHttp({
    settings,
    version: '1.2.3',
    table,
    authenticator: serving.authenticator ?? everybody,
    ...(serving.troubles && { troubles: serving.troubles }),
    clock: serving.clock ?? systemClock,
    log: createLog('debug', { write: (line: string) => void log.push(line) }),
  });
  t.teardown(() => http.drained(0));
  const check = answerCheck(openApi({ table, basePath: settings.basePath, version: '1.2.3' }), settings.basePath);

  async function ask(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(`${http.origin}${path}`, { method, ...init });
    const contentType = response.headers.get('content-type');
    const text = await response.text();
    const body = contentType?.startsWith('application/json') && text !== '' ? JSON.parse(text) : text;
    const isAsset = table.asset(path) !== undefined;
    if (!isAsset) check({ method, path, status: response.status, contentType, body });
    return { status: response.status, headers: response.headers, body };
  }
  const put = (path: string, body: unknown, headers = {}) =>
    ask('PUT', path, {
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...headers },
    });
  return { http, log, ask, put };
}

/** A route with what a test does not care about filled in. */
export const route = (part: Partial<Route>): Route => ({
  method: 'GET',
  path: '/{unit_id}/thing',
  access: 'viewer',
  summary: 'A thing',
  answer: {},
  errors: [],
  handle: () => ({}),
  ...part,
});
