/** The server of an instance that is not active: it names the active instance. It has no routes, keys or meters. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { html, wholePage } from '../domain/page.ts';
import { ERRORS, type ErrorCode, isGatewayError } from '../errors.ts';
import type { Log } from '../log.ts';
import { networksFrom } from './arrival.ts';
import { answerProbes, type HealthParts } from './health.ts';
import {
  announcedOrigins,
  dropConnections,
  endWith,
  keepFresh,
  listening,
  makeServer,
  originOf,
  SECURITY_HEADERS,
} from './listen.ts';
import type { HttpServer, HttpSettings } from './server.ts';

interface StandbyParts extends HealthParts {
  readonly settings: HttpSettings;
  /** `http://HOST:PORT` of the active instance. Undefined: no instance is active now. */
  readonly active: () => string | undefined;
  readonly log: Log;
}

export type Standby = Omit<HttpServer, 'allow'>;

/** When to ask again, s: about the time between two beats. */
const RETRY_S = '5';
/** Only such an address becomes a link: another instance has written it. */
const ADDRESS = /^https?:\/\/[A-Za-z0-9.:[\]-]{1,253}$/;
const SHEET = 'body{font:1rem/1.5 system-ui,sans-serif;margin:3rem auto;max-width:34rem;padding:0 1rem}';
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Rejects with the reason if it cannot listen. */
export async function startStandby(parts: StandbyParts): Promise<Standby> {
  const { settings, clock, log } = parts;
  const probes = new Map(answerProbes(parts).map(({ path, answer }) => [path, answer]));
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const probe = probes.get(request.url?.split('?', 1)[0] ?? '');
    if (probe) answerProbe(probe, response);
    else refuse(request, response, parts.active());
  };
  const server = makeServer(answer, settings, networksFrom(settings.trustedProxies), clock);
  server.on('upgrade', (_request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    endWith(parts.active() === undefined ? 'OWNER_CHANGING' : 'STANDBY', socket);
  });
  await listening(server.listen(settings.port, settings.host), settings);
  keepFresh(server, settings.tls, clock, log);
  const { port } = server.address() as AddressInfo;
  let closed: Promise<void> | undefined;
  const refuseAll = () => {
    closed ??= new Promise((resolve) => server.close(() => resolve()));
  };
  const drained = async () => {
    refuseAll();
    dropConnections(server);
    await closed;
  };
  const announced = announcedOrigins(settings, port);
  return { port, origin: originOf(settings, port), announced, refuse: refuseAll, drained };
}

function answerProbe(answer: () => object, response: ServerResponse): void {
  try {
    send(response, 200, answer());
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    send(response, ERRORS[error.code].status, { detail: error.message, code: error.code });
  }
}

/** The request is not read, so the connection ends with the answer. */
function refuse(request: IncomingMessage, response: ServerResponse, given: string | undefined): void {
  const active = given !== undefined && ADDRESS.test(given) ? given : undefined;
  const code: ErrorCode = given === undefined ? 'OWNER_CHANGING' : 'STANDBY';
  const detail =
    given === undefined
      ? 'No instance of the gateway is active at this moment. Ask again in a few seconds.'
      : `This instance is a standby. The active instance is ${active ?? 'another one'}.`;
  response.setHeader('Connection', 'close');
  if (request.method === 'GET' && request.headers.accept?.includes('text/html'))
    sendPage(response, ERRORS[code].status, detail, active, request.url ?? '/');
  else send(response, ERRORS[code].status, { detail, code, ...(active !== undefined && { active }) });
}

function send(response: ServerResponse, status: number, body: object): void {
  if (status === 503) response.setHeader('Retry-After', RETRY_S);
  const headers = { ...SECURITY_HEADERS, 'Content-Type': 'application/json; charset=utf-8' };
  response.writeHead(status, headers).end(JSON.stringify(body));
}

/** A page that goes to the same page of the active instance, or is loaded again. */
function sendPage(
  response: ServerResponse,
  status: number,
  detail: string,
  active: string | undefined,
  path: string,
): void {
  const there = active === undefined ? undefined : `${active}${path.startsWith('/') ? path : '/'}`;
  const content = html`<h1>Standby</h1>
<p>${detail}</p>
${there === undefined ? null : html`<p><a href="${there}">Go to the active instance</a></p>`}`;
  const page = wholePage({ language: 'en', title: 'Standby', sheet: SHEET, content });
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    'Content-Security-Policy': PAGE_POLICY,
    'Content-Type': 'text/html; charset=utf-8',
    'Retry-After': RETRY_S,
    Refresh: there === undefined ? RETRY_S : `2; url=${there}`,
  });
  response.end(page);
}
