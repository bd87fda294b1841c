/** The HTTP server: Koa with its middleware in one visible order, WebSockets, and a clean stop. */
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import websocket from 'koa-websocket';
import type { AuditWriter } from '../audit/contract.ts';
import { type Clock, unlessAborted, within } from '../clock.ts';
import { GatewayError, messageOf, type WordError } from '../errors.ts';
import { isWritten, type Log } from '../log.ts';
import { type Authenticator, arrival, networksFrom } from './arrival.ts';
import { auditFor } from './audit.ts';
import { bodyReader } from './body.ts';
import { behind, type Context, type Middleware, type State } from './context.ts';
import { documentPaths } from './documents/index.ts';
import type { Examples } from './documents/openapi.ts';
import { answerProbes, type Trouble } from './health.ts';
import {
  announcedOrigins,
  dropConnections,
  endWith,
  keepFresh,
  type ListenSettings,
  listening,
  makeServer,
  originOf,
  refuseRaw,
  SECURITY_HEADERS,
} from './listen.ts';
import { LongAnswers } from './long-answers.ts';
import { knownHost, type OwnNames, ownPages, withoutToken } from './origin.ts';
import { createEndpoints, type OwnPath } from './router.ts';
import type { RouteTable } from './routes.ts';
import { createUpgrades } from './upgrade.ts';

/** For a year; sent only over TLS, because it has no meaning without TLS (RFC 6797, 7.2). */
const STRICT_TRANSPORT: Readonly<Record<string, string>> = Object.freeze({
  'Strict-Transport-Security': 'max-age=31536000',
});

const SECURITY = Object.entries(SECURITY_HEADERS);

const FOREIGN_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Request id, log line, and the headers of every answer. A caller may send its own id, to follow a request through several systems. */
function trace(log: Log, clock: Clock): Middleware {
  return (next) => async (context) => {
    const brought = context.req.headers['x-request-id'];
    const id = typeof brought === 'string' && FOREIGN_ID.test(brought) ? brought : randomUUID();
    context.state.id = id;
    context.state.log = log;
    const { res } = context;
    res.setHeader('X-Request-Id', id);
    for (const [name, value] of SECURITY) res.setHeader(name, value);
    if (context.state.peer.protocol === 'https') context.set(STRICT_TRANSPORT);
    const began = clock.elapsed();
    await next(context);
    // If the caller has gone, nobody gets the answer; that is not a reason for a warning.
    const gone = context.req.socket.destroyed;
    const level = logLevelOf(context.method, gone ? 0 : context.status);
    if (!isWritten(log, level)) return;
    const ms = Math.round(clock.elapsed() - began);
    const answered = { status: context.status, code: context.state.code };
    const about = { request: id, method: context.method, path: withoutToken(context.path).slice(0, 200) };
    log[level]({ ...about, ...(gone ? { gone } : answered), ms }, 'request');
  };
}

function logLevelOf(method: string, status: number): 'debug' | 'info' | 'warn' {
  if (status >= 500) return 'warn';
  return method === 'GET' || method === 'HEAD' ? 'debug' : 'info';
}

/** Writes every error answer (RFC 9457 in the shape of this API). */
const problem: Middleware = (next) => async (context) => {
  try {
    await next(context);
  } catch (error) {
    answerError(context, error);
  }
};

function answerError(context: Context, thrown: unknown): void {
  const error = thrown instanceof GatewayError ? thrown : fault(context, thrown);
  context.state.code = error.code;
  const own = ownWords(context, error);
  context.status = own?.status ?? error.status;
  context.remove('ETag');
  context.set('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(error.headers)) context.set(name, value);
  const page = context.get('Accept').includes('text/html') && context.state.errorPage;
  if (page) {
    const { html, policy } = page(error, context.req.headers['accept-language']);
    context.set('Content-Security-Policy', policy);
    context.set('X-Robots-Tag', 'noindex');
    context.type = 'html';
    context.body = html;
    return;
  }
  context.type = 'json';
  // As text: of an object Koa asks whether it is a `Response`, for which Node loads a whole HTTP client.
  context.body = JSON.stringify(own?.body ?? { detail: error.message, code: error.code, errors: error.errors });
}

/** A route that cannot word its error gets the words of the gateway. */
function ownWords({ state: { id, log, wordError } }: Context, error: GatewayError): ReturnType<WordError> | undefined {
  try {
    return wordError?.(error);
  } catch (thrown) {
    log.error({ request: id, err: thrown }, 'an error could not be put into the words of its route');
    return undefined;
  }
}

/** An error that is not a GatewayError is a bug: the log gets all of it, the caller gets the request id. */
function fault(context: Context, thrown: unknown): GatewayError {
  const { id, log } = context.state;
  if (context.req.socket.destroyed) log.debug({ request: id, reason: messageOf(thrown) }, 'the caller has gone');
  else log.error({ request: id, err: thrown }, 'request failed');
  return new GatewayError('INTERNAL', `The gateway could not answer; its log has the reason under request ${id}.`);
}

/** Longest path and query, characters. Node bounds the headers by itself. */
const LONGEST_URL = 8_192;

/** Errors: STOPPING after the stop has begun. An answer under way at that time is the last one of its connection. */
const whileOpen =
  (gate: { readonly open: boolean }): Middleware =>
  (next) =>
  async (context) => {
    if (!gate.open)
      throw new GatewayError('STOPPING', 'The gateway is stopping.', { headers: { Connection: 'close' } });
    await next(context);
    if (!gate.open) context.set('Connection', 'close');
  };

const shortUrl: Middleware = (next) => (context) => {
  if ((context.req.url ?? '').length > LONGEST_URL) {
    throw new GatewayError('URI_TOO_LONG', `Path and query are longer than ${LONGEST_URL} characters.`);
  }
  return next(context);
};

/**
 * Ends the connection of a caller whose body has not arrived completely within `limitMs`: slow senders could use up the
 * connections. A route that takes a file lifts this limit (body.ts).
 */
const bodyInTime =
  (clock: Clock, limitMs: number): Middleware =>
  (next) =>
  (context) => {
    const { req, state } = context;
    const { headers, socket } = req;
    if (headers['transfer-encoding'] === undefined && headers['content-length'] === undefined) return next(context);
    const cancel = clock.after(limitMs, () => {
      if (!req.complete) endWith('REQUEST_TIMEOUT', socket);
    });
    req.once('close', cancel);
    state.allowSlowBody = cancel;
    return next(context);
  };

/** All settings of the server; spans in ms, sizes in bytes. */
export interface HttpSettings extends ListenSettings, OwnNames {
  readonly basePath: string;
  readonly bodyLimit: number;
  readonly pingMs: number;
  readonly deadMs: number;
  readonly messageLimit: number;
  readonly allowedOrigins: readonly string[];
  readonly trustedProxies: readonly string[];
}

interface HttpParts {
  readonly settings: HttpSettings;
  readonly version: string;
  readonly table: RouteTable;
  readonly authenticator: Authenticator;
  /** Records every request that may change something. Default: nothing is recorded. */
  readonly audit?: AuditWriter;
  /** Examples of the OpenAPI document. Default: no examples. */
  readonly examples?: () => Examples;
  /** The parts of the gateway that do not work now. Default: none. */
  readonly troubles?: () => readonly Trouble[];
  readonly clock: Clock;
  readonly log: Log;
}

/** Settings that can change while the server runs. */
export type AllowedCallers = Pick<HttpSettings, 'allowedHosts' | 'allowedOrigins'>;

export interface HttpServer {
  readonly port: number;
  /** `http://HOST:PORT` or `https://HOST:PORT`, reachable from this machine. */
  readonly origin: string;
  /** Addresses for other computers; none if this computer has no network. */
  readonly announced: readonly string[];
  /** Applies from the next request on. */
  allow(callers: AllowedCallers): void;
  /** Takes no more connections, answers 503 on open connections, ends WebSockets with 1001. */
  refuse(): void;
  /** Resolves when every request is answered; after `limitMs` the rest is broken off. */
  drained(limitMs: number): Promise<void>;
}

/** Opens the routes of the table and listens. Rejects with the reason if it cannot. */
export async function startHttp(parts: HttpParts): Promise<HttpServer> {
  const { settings, clock, log } = parts;
  const gate = { open: true };
  const app = new Koa<State>();
  app.on('error', (error) => log.debug({ reason: messageOf(error) }, 'a response was cut off'));

  const trusts = networksFrom(settings.trustedProxies);
  const checks = checksOf(settings);
  const endpoints = createEndpoints(parts.table, ownPaths(parts), {
    basePath: settings.basePath,
    authenticator: parts.authenticator,
    readBody: bodyReader(settings.bodyLimit),
    upload: { clock, silenceMs: settings.receiveTimeoutMs },
    longAnswers: new LongAnswers(clock),
    clock,
    deadlineMs: settings.requestDeadlineMs,
    auditOf: auditFor(parts.audit, parts.table),
  });
  // Every request and every handshake passes these steps, from the outermost to the router.
  const answer = behind(
    [
      arrival(trusts),
      trace(log, clock),
      problem,
      whileOpen(gate),
      bodyInTime(clock, settings.receiveTimeoutMs),
      shortUrl,
      ownNamesAndPages(checks),
    ],
    endpoints,
  );
  app.use((context) => answer(context));
  const heartbeat = { clock, pingMs: settings.pingMs, deadMs: settings.deadMs };
  const upgrades = createUpgrades(app, answer, heartbeat, settings.messageLimit, log);

  const made = makeServer(app.callback(), settings, trusts, clock);
  const both = websocket(app);
  both.ws.use((context) => upgrades.open(context.websocket, context.req));
  // Its WebSockets belong to a server with our limits; the server of `app.listen` would have none.
  both.ws.listen({ ...upgrades.options, server: made });
  const server = await listen(both, made, settings);
  keepFresh(server, settings.tls, clock, log);
  const allow = (callers: AllowedCallers) => void Object.assign(checks, checksOf({ ...settings, ...callers }));
  return { ...running(server, both, gate, settings, clock), allow };
}

const checksOf = (settings: HttpSettings) => ({
  name: knownHost(settings),
  page: ownPages(settings.allowedOrigins),
});

const ownNamesAndPages =
  (checks: ReturnType<typeof checksOf>): Middleware =>
  (next) =>
  (context) => {
    checks.name(context);
    return checks.page(context) ? Promise.resolve() : next(context);
  };

function ownPaths({
  settings,
  version,
  table,
  clock,
  troubles = () => [],
  examples = () => ({}),
}: HttpParts): OwnPath[] {
  const { basePath } = settings;
  return [...answerProbes({ version, clock, troubles }), ...documentPaths({ table, basePath, version, examples })];
}

function listen({ ws }: websocket.App<State>, server: Server, settings: HttpSettings): Promise<Server> {
  // The WebSocket server repeats the errors of the HTTP server and would throw them without a listener.
  ws.server?.on('error', () => {});
  ws.server?.on('wsClientError', (error: Error, socket) => refuseRaw(error, socket));
  return listening(server.listen(settings.port, settings.host), settings);
}

function running(
  server: Server,
  app: websocket.App<State>,
  gate: { open: boolean },
  settings: HttpSettings,
  clock: Clock,
): Omit<HttpServer, 'allow'> {
  const { port } = server.address() as AddressInfo;
  const sockets = () => app.ws.server?.clients ?? new Set();
  let closed: Promise<void> | undefined;
  const refuse = () => {
    if (closed) return;
    gate.open = false;
    closed = new Promise((resolve) => server.close(() => resolve()));
    for (const socket of sockets()) socket.close(1001, 'the gateway is stopping');
  };
  const drained = async (limitMs: number) => {
    refuse();
    const late = () => new Error('requests were still running');
    try {
      await within(clock, limitMs, late, (signal) => unlessAborted(closed ?? Promise.resolve(), signal));
    } catch {
      for (const socket of sockets()) socket.terminate();
      dropConnections(server);
      await closed;
    }
  };
  const announced = announcedOrigins(settings, port);
  return { port, origin: originOf(settings, port), announced, refuse, drained };
}
