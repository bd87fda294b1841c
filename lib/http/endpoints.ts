/**
 * Handles one request on one route, after the middleware: access, checks, handler, answer. A handler only sees checked
 * input.
 */
import { Readable } from 'node:stream';
import type { Arrival } from '../access/contract.ts';
import { type Clock, unlessAborted } from '../clock.ts';
import { isUnitId, type Role } from '../domain/ids.ts';
import { GatewayError } from '../errors.ts';
import { guardedSignal } from '../guarded.ts';
import type { Log } from '../log.ts';
import { ownTurn } from '../turns.ts';
import { answer } from './answer.ts';
import { type Authenticator, arrivalOf, checkAccess } from './arrival.ts';
import type { AuditOf, Known } from './audit.ts';
import { bodyOrNothing, openUpload, type ReadBody, type UploadLimits } from './body.ts';
import { callerOf } from './callers.ts';
import { invalid } from './checks.ts';
import type { Context } from './context.ts';
import type { Identity, Reply, Request, Route } from './contract.ts';
import type { LongAnswers } from './long-answers.ts';
import { replyOf } from './reply.ts';
import { type CompiledRoute, type CompiledSocket, LONGEST_AGE_S } from './routes.ts';

type Handling = Pick<CompiledRoute | CompiledSocket, 'route' | 'group'>;

interface Times {
  readonly clock: Clock;
  /** Longest wait of a request for its turn at a meter, ms. */
  readonly deadlineMs: number;
}

/** A handler has this much more than a request may wait for a meter, ms: less than a connection may be silent (listen.ts). */
const HANDLER_MS = 110_000;

/**
 * Limits the time of a handler: the handler of a plugin may never end. The limit is shorter than the time after which
 * the silent connection would be dropped. Its caller then counts as gone, and the log names the handler. An upload has
 * limits of its own.
 */
async function inTime<T>(
  work: Promise<T> | T,
  { route, group }: Handling,
  { req, res, state }: Context,
  { clock, deadlineMs }: Times,
): Promise<T> {
  if (!(work instanceof Promise)) return work;
  const limitMs = deadlineMs + HANDLER_MS;
  const late = new AbortController();
  const giveUp = () => {
    const what = `${'method' in route ? route.method : 'WS'} ${route.path}`;
    const about = { plugin: group, request: state.id, route: what, limit_ms: limitMs };
    state.log.error(about, 'a handler of a plugin did not end in time and was given up');
    state.gaveUp = true;
    const detail = `The plugin ${group} did not answer ${what} within ${limitMs / 1_000} s.`;
    late.abort(new GatewayError('PLUGIN_TIMEOUT', detail));
  };
  let cancel = () => {};
  const begin = () => {
    cancel = clock.after(limitMs, giveUp);
  };
  const end = () => {
    req.off('end', begin);
    cancel();
  };
  if (req.complete || state.upgrade) begin();
  else req.once('end', begin);
  // The caller has gone.
  res.once('close', end);
  try {
    return await unlessAborted(work, late.signal);
  } finally {
    res.off('close', end);
    end();
  }
}

export interface EndpointParts {
  readonly authenticator: Authenticator;
  readonly readBody: ReadBody;
  readonly upload: UploadLimits;
  readonly longAnswers: LongAnswers;
  readonly clock: Clock;
  readonly basePath: string;
  /** Longest wait of a request for its turn at a meter, ms. */
  readonly deadlineMs: number;
  readonly auditOf: AuditOf;
}

/** Of the path, decoded. */
export type Params = Readonly<Record<string, string>>;

/** Access, parameters, body, handler, answer. Throws the GatewayError that the caller gets. */
export function routeEndpoint(
  compiled: CompiledRoute,
  common: EndpointParts,
): (context: Context, params: Params) => Promise<void> {
  const { route } = compiled;
  const audited = common.auditOf(route);
  return async (context, params) => {
    if (route.wordError) context.state.wordError = route.wordError;
    if (route.errorPage) context.state.errorPage = route.errorPage;
    const written = params.unit_id ?? '';
    const identity = await checkAccess(common.authenticator, context, compiled, written);
    const unitId = unitOf(compiled, written);
    const perform = async (known: Known) => {
      const asked = input(compiled, context, params, readQueryString(context), common.deadlineMs);
      known.asked = asked;
      const upload = route.upload ? openUpload(context, route.upload, common.upload) : NO_UPLOAD;
      const body =
        compiled.takesBody && !route.upload
          ? bodyOrNothing(await common.readBody(context, route.bodyBytes), compiled.needsBody)
          : {};
      if (compiled.takesBody) compiled.checkBody(body);
      known.body = body;
      const told: HeardOfMeter = {};
      const caller = () => ({
        signal: hangUpSignal(context),
        ...asked.limits,
        who: callerOf(identity),
        onAge(ms: number) {
          told.ageMs = Math.max(told.ageMs ?? 0, ms);
          // In whole seconds.
          context.set('Age', String(Math.ceil(told.ageMs / 1_000)));
        },
        onWait(ms: number) {
          told.waitedMs = Math.max(told.waitedMs ?? 0, ms);
        },
      });
      const before = (value: unknown) => {
        known.before = value;
      };
      const { params: read, query } = asked;
      const recordAs = (who: string, role: Role) => {
        known.actor = { who, role };
      };
      const parts: Parts = { params: read, query, unitId, body, upload, identity, caller, before, recordAs };
      const request = new EndpointRequest(context, parts);
      const cost = route.cost?.(request) ?? 0;
      if (cost > 0) await turnOf(request, cost, asked.limits.deadlineMs, context, common);
      const work = route.handle(request);
      const reply = replyOf(await (work instanceof Promise ? inTime(work, compiled, context, common) : work));
      return compiled.asksMeter ? withAge(reply, told, common.clock) : reply;
    };
    const subject = { route, request: context.state.id, identity, unitId, inPath: params };
    const reply = await (audited ? audited(subject, perform) : perform({}));
    await answer(context, route, reply, common.basePath);
  };
}

interface HeardOfMeter {
  ageMs?: number;
  waitedMs?: number;
}

/** Adds the age of an answer that was already known, and the wait for a turn beside a watched stream. */
function withAge(reply: Reply, { ageMs, waitedMs }: HeardOfMeter, clock: Clock): Reply {
  if (reply.content.kind !== 'json' || (ageMs === undefined && waitedMs === undefined)) return reply;
  const data = {
    ...(ageMs !== undefined && {
      age_s: Math.round(ageMs / 100) / 10,
      read_at: new Date(Math.round(clock.now() - ageMs)).toISOString(),
    }),
    ...(waitedMs !== undefined && { waited_ms: Math.round(waitedMs) }),
    ...reply.content.data,
  };
  return { ...reply, content: { kind: 'json', data } };
}

/** Waits for the turn of a long answer. The turn lasts until the answer is sent or the caller disconnects. */
async function turnOf(
  { identity, caller }: Request,
  cost: number,
  limitMs: number,
  { res }: Context,
  { longAnswers }: EndpointParts,
): Promise<void> {
  // When hundreds of answers are requested at once, short answers are sent in between.
  await ownTurn();
  const end = await longAnswers.turn(callerOf(identity), cost, limitMs, caller.signal);
  if (res.closed) end();
  else res.once('close', end);
}

/** Decides about an upgrade. The state then has an admission; the socket is opened after the handshake. */
export async function admitSocket(
  socket: CompiledSocket,
  context: Context,
  params: Params,
  common: EndpointParts,
): Promise<void> {
  const { route } = socket;
  const written = params.unit_id ?? '';
  const { ticket, ...query } = readQueryString(context);
  const identity = await checkAccess(common.authenticator, context, socket, written, textOf(ticket));
  const unitId = unitOf(socket, written);
  const asked = input(socket, context, params, query, common.deadlineMs);
  const gone = endOf(context);
  context.req.socket.once('close', () => gone.abort(new Error('the client has gone')));
  const caller = { signal: gone.signal, deadlineMs: asked.limits.deadlineMs };
  const given = {
    unitId,
    body: {},
    upload: NO_UPLOAD,
    identity,
    caller: () => caller,
    before: () => {},
    recordAs: () => {},
  };
  const request = new EndpointRequest(context, { ...asked, ...given });
  await inTime(route.admit(request), socket, context, common);
  context.state.admission = { route, checkMessage: socket.checkMessage, request };
}

interface Parts extends Pick<Request, 'params' | 'query' | 'unitId' | 'body' | 'upload' | 'identity' | 'before'> {
  readonly caller: () => Request['caller'];
  readonly recordAs: NonNullable<Request['recordAs']>;
}

const NO_UPLOAD: AsyncIterable<Buffer> = Readable.from([]);

/**
 * A request as a handler sees it. Its log and its caller are made at their first use: most requests log nothing of
 * their own. An answer from memory is sent before the caller can close the connection. A class, because an object literal
 * with getters costs a short request half its time.
 */
class EndpointRequest implements Request {
  readonly method: Request['method'];
  readonly path: string;
  readonly params: Request['params'];
  readonly query: unknown;
  readonly unitId: string;
  readonly body: unknown;
  readonly upload: Request['upload'];
  readonly identity: Identity;
  readonly before: Request['before'];
  readonly recordAs: NonNullable<Request['recordAs']>;
  readonly #context: Context;
  readonly #makeCaller: Parts['caller'];
  #caller: Request['caller'] | undefined;
  #log: Log | undefined;

  constructor(context: Context, parts: Parts) {
    this.method = context.method as Request['method'];
    this.path = context.path;
    this.params = parts.params;
    this.query = parts.query;
    this.unitId = parts.unitId;
    this.body = parts.body;
    this.upload = parts.upload;
    this.identity = parts.identity;
    this.before = parts.before;
    this.recordAs = parts.recordAs;
    this.#context = context;
    this.#makeCaller = parts.caller;
  }

  get caller(): Request['caller'] {
    this.#caller ??= this.#makeCaller();
    return this.#caller;
  }

  get arrival(): Arrival {
    return arrivalOf(this.#context.req.headers, this.#context.state.peer);
  }

  get onlyNew(): boolean {
    return this.#context.get('If-None-Match').trim() === '*';
  }

  get language(): string | undefined {
    return this.#context.req.headers['accept-language'];
  }

  get log(): Log {
    const { log, id } = this.#context.state;
    this.#log ??= log.child({ request: id, ...(this.unitId !== '' && { unit_id: this.unitId }) });
    return this.#log;
  }
}

type Readers = Pick<CompiledSocket, 'scope' | 'asksMeter' | 'readParams' | 'readQuery'> & {
  readonly route: Pick<Route, 'path' | 'errors'> & { readonly method?: Route['method'] };
};

/** Path parameters, query and wait, checked. */
function input(
  { route, scope, asksMeter, readParams, readQuery }: Readers,
  context: Context,
  written: Params,
  query: Readonly<Record<string, unknown>>,
  usualMs: number,
) {
  const params = paramsOf({ route, readParams }, written, context.method) as Request['params'];
  const timeout = scope === 'unit' ? query.timeout_s : undefined;
  const maxAgeMs = asksMeter ? ageOf(context, query.max_age) : undefined;
  const limits = { ...waitOf(context, usualMs, timeout), ...(maxAgeMs !== undefined && { maxAgeMs }) };
  return { params, query: readQuery(query), limits };
}

/** Negative: the text is no number of seconds. */
const secondsIn = (text: unknown): number =>
  typeof text === 'string' && /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : -1;

/** How old an answer may be, ms: `max_age` in seconds, or 0 for `Cache-Control: no-cache`. Errors: INVALID. */
function ageOf({ req }: Context, written: unknown): number | undefined {
  if (written === undefined) return /\bno-cache\b/i.test(req.headers['cache-control'] ?? '') ? 0 : undefined;
  const seconds = secondsIn(written);
  if (seconds < 0 || seconds > LONGEST_AGE_S)
    throw invalid([{ path: '/max_age', message: `must be one number of seconds from 0 to ${LONGEST_AGE_S}` }]);
  return seconds * 1_000;
}

/**
 * A malformed id matches nothing: the answer is the "not found" of the route. If the path would create something, the
 * error names the fault of the id.
 */
function paramsOf({ route, readParams }: Pick<Readers, 'route' | 'readParams'>, written: Params, method: string) {
  try {
    return readParams(written);
  } catch (error) {
    const missing = route.errors.find((code) => code.endsWith('_NOT_FOUND'));
    if (method === 'PUT' && !missing) throw error;
    throw new GatewayError(missing ?? 'NOT_FOUND', 'There is nothing at this path.', { cause: error });
  }
}

/** A ticket that occurs twice in the query is not valid. */
const textOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : typeof value === 'string' ? value : '';

function unitOf(
  { route, scope }: Pick<CompiledSocket, 'scope'> & { readonly route: Pick<Route, 'path' | 'createsUnit'> },
  written: string,
): string {
  if (scope !== 'unit' || isUnitId(written)) return written;
  if (route.createsUnit) {
    throw invalid([
      {
        path: '/unit_id',
        message: 'must be 1 to 64 letters, digits, dots, dashes or underscores, beginning with a letter or digit',
      },
    ]);
  }
  throw new GatewayError('UNIT_NOT_FOUND', 'There is no device config for this unit_id.');
}

/** A repeated parameter is an array. Errors: MALFORMED_REQUEST if the escapes are not UTF-8. */
function readQueryString(context: Context): Readonly<Record<string, unknown>> {
  const written = context.querystring;
  if (written === '') return NOTHING;
  try {
    // The query parser would replace bytes that it cannot decode with U+FFFD, and so change a path or a name.
    if (written.includes('%')) decodeURIComponent(written);
  } catch (error) {
    throw new GatewayError('MALFORMED_REQUEST', 'The query has an escape that is not UTF-8.', { cause: error });
  }
  return context.query;
}

const NOTHING = Object.freeze({});

function endOf({ state: { id, log } }: Context): AbortController {
  const controller = new AbortController();
  guardedSignal(controller.signal, (error) =>
    log.error({ request: id, err: error }, 'a listener to the end of a request failed'),
  );
  return controller;
}

/** Aborts when the connection closes before the whole answer was passed on, and when the handler exceeds its time. */
function hangUpSignal(context: Context): AbortSignal {
  const { res, state } = context;
  const controller = endOf(context);
  const gone = () => {
    if (!res.writableFinished || state.gaveUp) controller.abort(new Error('the caller has gone'));
  };
  if (res.destroyed || res.closed) gone();
  res.once('close', gone);
  return controller.signal;
}

/**
 * The wait in ms. The header `Request-Timeout` or the parameter `timeout_s`, in seconds, can only shorten the usual
 * wait. If both are given, the shorter wait counts. Errors: INVALID.
 */
function waitOf(context: Context, usualMs: number, parameter: unknown) {
  const header = context.req.headers['request-timeout'] || undefined;
  const ms = Math.min(msOf('/Request-Timeout', header), msOf('/timeout_s', parameter));
  return { deadlineMs: Math.min(usualMs, ms), ...(Number.isFinite(ms) && { clientLimitMs: ms }) };
}

function msOf(path: string, text: unknown): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const seconds = secondsIn(text);
  if (seconds <= 0) throw invalid([{ path, message: 'must be one number of seconds above 0' }]);
  return seconds * 1_000;
}
