/** What happens behind the doors: one request on one route, from access to answer. Nothing reaches a handler unchecked. */
import { GatewayError } from '../errors.ts';
import { type Authenticator, checkAccess } from './access.ts';
import type { Audited } from './audit.ts';
import { bodyOrNothing, type ReadBody } from './body.ts';
import { hangUpSignal, waitOf } from './caller.ts';
import { invalid } from './checks.ts';
import type { Context } from './context.ts';
import type { Request, Route } from './contract.ts';
import { isFileAnswer, isTextAnswer, sendFile, sendText } from './file.ts';
import { type CompiledRoute, type CompiledSocket, hasUnit, takesBody } from './routes.ts';

const UNIT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export interface Means {
  readonly authenticator: Authenticator;
  readonly readBody: ReadBody;
  /** Longest wait of a request for its turn at a meter, ms. */
  readonly deadlineMs: number;
  readonly audited: Audited;
}

export type Params = Readonly<Record<string, string>>;

export async function answerRoute(
  compiled: CompiledRoute,
  context: Context,
  params: Params,
  means: Means,
): Promise<void> {
  const { route } = compiled;
  const written = params.unit_id ?? '';
  const identity = await checkAccess(means.authenticator, context, route, written);
  const unitId = unitOf(route, written);
  const answer = await means.audited({ route, context, identity, unitId }, async (known) => {
    const { query, timeout } = inputOf(context, route);
    compiled.checkQuery(query);
    const body = takesBody(route) ? bodyOrNothing(await means.readBody(context), route.body !== undefined) : {};
    compiled.checkBody(body);
    known.body = body;
    const caller = { signal: hangUpSignal(context), deadlineMs: waitOf(context, means.deadlineMs, timeout) };
    const before = (value: unknown) => {
      known.before = value;
    };
    return route.handle({ unitId, query, body, identity, caller, before, log: unitLog(context, unitId) });
  });
  if (isFileAnswer(answer)) sendFile(context, answer);
  else if (isTextAnswer(answer)) sendText(context, answer);
  else context.body = { status: 'ok', ...answer };
}

/** Decides about an upgrade. Leaves an admission in the state; the socket is opened after the handshake. */
export async function admitSocket(
  socket: CompiledSocket,
  context: Context,
  params: Params,
  means: Means,
): Promise<void> {
  const { route } = socket;
  const written = params.unit_id ?? '';
  const { query: asked, timeout } = inputOf(context, route);
  const { ticket, ...query } = asked;
  const identity = await checkAccess(means.authenticator, context, route, written, textOf(ticket));
  const unitId = unitOf(route, written);
  socket.checkQuery(query);
  const gone = new AbortController();
  context.req.socket.once('close', () => gone.abort(new Error('the client has gone')));
  const caller = { signal: gone.signal, deadlineMs: waitOf(context, means.deadlineMs, timeout) };
  const request: Request = {
    unitId,
    query,
    body: {},
    identity,
    caller,
    before: () => {},
    log: unitLog(context, unitId),
  };
  await route.admit(request);
  context.state.admission = { socket, request };
}

/** What is about the wait is no parameter of the operation. */
function inputOf(context: Context, route: Pick<Route, 'path'>) {
  const { timeout_s: timeout, ...others } = context.query as Record<string, unknown>;
  if (hasUnit(route.path)) return { query: others, timeout };
  return { query: { ...context.query } as Record<string, unknown>, timeout: undefined };
}

/** A ticket is looked at once; one that is given twice is none. */
const textOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : typeof value === 'string' ? value : '';

function unitOf(route: Pick<Route, 'path' | 'createsUnit'>, written: string): string {
  if (!hasUnit(route.path) || UNIT_ID.test(written)) return written;
  if (route.createsUnit) {
    throw invalid([
      {
        path: '/unit_id',
        message: 'must be 1 to 64 letters, digits, dots, dashes or underscores, beginning with a letter or digit',
      },
    ]);
  }
  throw new GatewayError('UNIT_NOT_FOUND', 'there is no device config for this unit_id');
}

const unitLog = (context: Context, unitId: string) =>
  unitId === '' ? context.state.log : context.state.log.child({ unit_id: unitId });
