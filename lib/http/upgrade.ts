/** WebSocket through the same middleware as HTTP. A refusal gets the status, headers and body of a GET. */
import { type IncomingMessage, ServerResponse } from 'node:http';
import type Koa from 'koa';
import type websocket from 'koa-websocket';
import type { WebSocket } from 'ws';
import { messageOf } from '../errors.ts';
import { guarded } from '../guarded.ts';
import type { Log } from '../log.ts';
import { createClient, type Heartbeat } from './client.ts';
import type { Admission, Context, Endpoint, State } from './context.ts';
import type { Client } from './contract.ts';

type Verdict = (admitted: boolean, status?: number, body?: string, headers?: Record<string, string>) => void;

/** A peer that does not answer our close frame is dropped after this time. */
const CLOSE_MS = 2_000;
/** Most pieces of one message, and chunks of one piece, in memory: no honest client cuts a small message into more. */
const MOST_FRAGMENTS = 16;
const MOST_CHUNKS = 1_024;

/**
 * Only large messages: the first message of _live has all meters. Nothing is kept from one message to the next, so it costs
 * no memory per connection.
 */
const COMPRESSION = { threshold: 8_192, serverNoContextTakeover: true, clientNoContextTakeover: true };

/** Before a handshake is answered, and after. */
interface Upgrades {
  /** For koa-websocket. */
  readonly options: NonNullable<Parameters<typeof websocket>[1]>;
  open(socket: WebSocket, request: IncomingMessage): void;
}

/** `endpoint` decides whether a handshake is answered. */
export function createUpgrades(
  app: Koa<State>,
  endpoint: Endpoint,
  heartbeat: Heartbeat,
  messageLimit: number,
  log: Log,
): Upgrades {
  const admitted = new WeakMap<IncomingMessage, Admission>();
  const verify = async (request: IncomingMessage, verdict: Verdict) => {
    const context = await walk(app, endpoint, request);
    const { admission } = context.state;
    if (!admission) return verdict(false, context.status, textOf(context), headersOf(context));
    admitted.set(request, admission);
    verdict(true);
  };
  /** Errors of the endpoint are answered earlier; an error here is a bug in the handling of the handshake. */
  const broken = (error: unknown, { socket }: IncomingMessage) => {
    log.error({ err: error }, 'a handshake failed');
    socket.destroy();
  };
  const options: Upgrades['options'] & { closeTimeout: number; maxFragments: number; maxBufferedChunks: number } = {
    maxPayload: messageLimit,
    closeTimeout: CLOSE_MS,
    maxFragments: MOST_FRAGMENTS,
    maxBufferedChunks: MOST_CHUNKS,
    perMessageDeflate: COMPRESSION,
    verifyClient: ({ req }, verdict) => void verify(req, verdict).catch((error) => broken(error, req)),
  };
  return {
    options,
    open(socket, request) {
      const admission = admitted.get(request);
      if (admission) begin(socket, admission, heartbeat);
      else socket.terminate();
    },
  };
}

/** A refusal is text: see server.ts. */
const textOf = ({ body }: Context): string | undefined => (typeof body === 'string' ? body : undefined);

/** Nothing is written to the response: it only collects the answer of the middleware. */
async function walk(app: Koa<State>, endpoint: Endpoint, request: IncomingMessage): Promise<Context> {
  const context = app.createContext<State>(request, new ServerResponse(request));
  context.state.upgrade = true;
  await endpoint(context);
  return context;
}

function begin(socket: WebSocket, admission: Admission, heartbeat: Heartbeat): void {
  const { route, checkMessage, request } = admission;
  const stillValid = () => request.identity.stillValid();
  const client = createClient(socket, {
    gone: request.caller.signal,
    heartbeat,
    stillValid,
    checkMessage,
    log: () => request.log,
  });
  closeWithSession(client, request.identity.ended);
  const open = () => route.open(client, request);
  guarded(open, (error) => {
    request.log.error({ err: error, reason: messageOf(error) }, 'a stream could not be opened');
    client.close(1011, 'the gateway could not open the stream');
  })();
}

/** A WebSocket that was opened with a session ends with it. */
function closeWithSession(client: Client, ended: AbortSignal | undefined): void {
  const close = () => client.close(1008, 'the session has ended');
  if (ended?.aborted) close();
  else ended?.addEventListener('abort', close, { once: true, signal: client.gone });
}

function headersOf(context: Context): Record<string, string> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json; charset=utf-8' };
  for (const [name, value] of Object.entries(context.response.headers)) {
    if (!/^content-|^connection$/i.test(name) && value !== undefined) headers[name] = String(value);
  }
  return headers;
}
