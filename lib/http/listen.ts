/**
 * The listening socket, HTTP or HTTPS: its address, and limits for slowness, size and number of connections. Also answers
 * requests that do not reach the middleware: bad HTTP, headers too large, too slow, a broken WebSocket handshake.
 */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import type { Clock } from '../clock.ts';
import { ERRORS, type ErrorCode, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { type Networks, plainAddress } from './arrival.ts';
import { addressPrefix } from './callers.ts';
import { readPair, type TlsFiles, watchPair } from './tls.ts';

/** Time to the first preliminary answer, and from there to the second; later they are rarer. ms. */
const FIRST_MS = 200;
const LATER_MS = 5_000;

/**
 * A caller that ends its side of the connection may wait for its answer (`nc -N`), or be gone: the end looks the same.
 * So the gateway sends preliminary answers (100), which clients skip. If the caller is gone, its system answers the
 * first of them with a reset, and the next one meets the reset. During an answer, its next piece has the same effect; if
 * no next piece comes, the caller counts as gone.
 */
const askWhetherGone =
  (clock: Clock) =>
  (socket: Socket): void => {
    let cancel = () => {};
    let asked = 0;
    let written = -1;
    const ask = () => {
      const response = oldestUnderWay(socket);
      if (response?.headersSent) {
        if (socket.bytesWritten === written) return void socket.destroy();
        written = socket.bytesWritten;
      } else if (response?.req.httpVersion === '1.1') {
        // HTTP/1.0 has no such answers.
        response.writeContinue();
        asked += 1;
      }
      cancel = clock.after(asked === 1 ? FIRST_MS : LATER_MS, ask);
    };
    socket.once('end', () => {
      cancel = clock.after(FIRST_MS, ask);
    });
    socket.once('close', () => cancel());
  };

/** Spans in ms, sizes in bytes. */
export interface ListenSettings {
  readonly host: string;
  readonly port: number;
  /** For the head of a request to arrive, and for its body; with TLS also for the handshake. */
  readonly receiveTimeoutMs: number;
  /** For a request to be answered. */
  readonly requestDeadlineMs: number;
  readonly connectionLimit: number;
  readonly connectionsPerAddress: number;
  /** Undefined: plain HTTP. */
  readonly tls: TlsFiles | undefined;
}

/** Longest header block, request line included, bytes. */
const HEADER_BYTES = 16_384;
/** Most unread answers of one connection. Browsers send nothing before they have the answer; a flood does. */
const MOST_UNANSWERED = 16;
/** A connection without any data for this time after the deadline of a request is dropped: nobody reads it. */
const UNREAD_MS = 120_000;
/** For the next request. Longer than proxies keep connections (usually a minute): the gateway must not close just when a request arrives. */
const KEEP_OPEN_MS = 75_000;
/** Checks for slow requests within their time. */
const LOOKS = 4;

/** Makes the server, not yet listening. Throws when the certificate or key cannot be used. */
export function makeServer(answer: RequestListener, settings: ListenSettings, trusts: Networks, clock: Clock): Server {
  const { receiveTimeoutMs, requestDeadlineMs, tls } = settings;
  const bounded = withBound(withHost(answer));
  const options = {
    maxHeaderSize: HEADER_BYTES,
    headersTimeout: receiveTimeoutMs,
    // Node would measure a file and a line of JSON by the same time; body.ts does it for bodies.
    requestTimeout: 0,
    // Some clients offer HTTP/2 (Java does) and accept a normal answer. Known from Node 24.9 on. Without a Host it is a
    // request like any other, and is refused as such.
    shouldUpgradeCallback: ({ headers }: IncomingMessage) =>
      headers.host !== undefined && headers.upgrade?.toLowerCase() === 'websocket',
    // Node would refuse these without a body; `withHost` does it.
    requireHostHeader: false,
    connectionsCheckingInterval: Math.max(25, Math.floor(receiveTimeoutMs / LOOKS)),
  };
  const server = tls
    ? createTlsServer({ ...options, ...readPair(tls), handshakeTimeout: receiveTimeoutMs }, bounded)
    : createServer(options, bounded);
  // Half-open connections: a switch of Node that its types do not name. Not for TLS: a connection that ends during its
  // handshake would stay.
  if (!tls) Object.assign(server, { httpAllowHalfOpen: true }).on('connection', askWhetherGone(clock));
  // A limit on the number of headers would drop headers silently, perhaps Origin. Their bytes are limited instead.
  server.maxHeadersCount = 0;
  server.maxConnections = settings.connectionLimit;
  server.timeout = requestDeadlineMs + UNREAD_MS;
  server.keepAliveTimeout = KEEP_OPEN_MS;
  server.on('clientError', refuseRaw);
  // Before the end of the handshake no answer can be sent.
  server.on('tlsClientError', (_error, socket: Socket) => socket.destroy());
  // Node would answer this without a body, too.
  server.on('checkExpectation', (_request, response) => refuseRequest(response, 'EXPECTATION_FAILED'));
  server.on('connection', boundPerAddress(settings.connectionsPerAddress, trusts));
  keepTrack(server);
  return server;
}

const connections = new WeakMap<Server, Set<Socket>>();

/** Node's own list does not have connections that are still in their TLS handshake. */
function keepTrack(server: Server): void {
  const open = new Set<Socket>();
  connections.set(server, open);
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
}

export function dropConnections(server: Server): void {
  for (const socket of connections.get(server) ?? []) socket.destroy();
}

/** A caller may send requests and read no answers: the answers would fill the memory. */
const withBound =
  (answer: RequestListener): RequestListener =>
  (request, response) => {
    if (begin(response, request.socket) > MOST_UNANSWERED) request.socket.destroy();
    else answer(request, response);
  };

/** HTTP/1.1 needs a Host (RFC 9112, 3.2); a header of a proxy does not replace it. Other versions are left to the middleware. */
const withHost =
  (answer: RequestListener): RequestListener =>
  (request, response) => {
    if (request.headers.host !== undefined || request.httpVersion !== '1.1') return answer(request, response);
    refuseRequest(response, 'MALFORMED_REQUEST', 'A request of HTTP/1.1 must have a Host header.');
  };

export function keepFresh(server: Server, tls: TlsFiles | undefined, clock: Clock, log: Log): void {
  if (!tls) return;
  const end = watchPair(tls, clock, log, (pair) => (server as TlsServer).setSecureContext(pair));
  server.once('close', end);
}

/** Does not apply to a listed proxy, which has the connections of many callers. */
function boundPerAddress(most: number, trusts: Networks): (socket: Socket) => void {
  const open = new Map<string, number>();
  return (socket) => {
    const from = plainAddress(socket.remoteAddress ?? '') ?? '';
    if (trusts(from)) return;
    const address = addressPrefix(from);
    const count = (open.get(address) ?? 0) + 1;
    if (count > most) {
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  };
}

/** Rejects with the reason if it cannot listen on the address. */
export function listening(server: Server, { host, port }: ListenSettings): Promise<Server> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) =>
      reject(new Error(`cannot listen on ${host} port ${port}: ${words(error)}`, { cause: error }));
    server.once('error', fail);
    server.once('listening', () => {
      server.off('error', fail);
      resolve(server);
    });
  });
}

function words(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return 'another program listens there; choose another one with --port or SLM_PORT';
  if (code === 'EACCES')
    return 'this user may not use this port, or the system reserves it; choose another one above 1023';
  if (code === 'EADDRNOTAVAIL') return 'this computer does not have that address';
  return messageOf(error);
}

/** Scheme, host and port for connections from this machine; a wildcard address cannot be used for that. */
export function originOf({ host, tls }: ListenSettings, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const written = reachable.includes(':') ? `[${reachable}]` : reachable;
  return `${tls ? 'https' : 'http'}://${written}:${port}`;
}

/** Addresses for people on other computers: for a wildcard address, those of this machine on its networks. */
export function announcedOrigins(settings: ListenSettings, port: number, interfaces = networkInterfaces()): string[] {
  const { host } = settings;
  if (host !== '0.0.0.0' && host !== '::') return [originOf(settings, port)];
  const own = Object.values(interfaces).flatMap((addresses) => addresses ?? []);
  return own
    .filter(({ internal, family, scopeid }) => !internal && (family === 'IPv4' || (host === '::' && !scopeid)))
    .map(({ address }) => originOf({ ...settings, host: address }, port));
}

/** An answer is data: a browser must not run it or show it in a frame. Every answer has these headers. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
});

/** Error codes for codes of Node's parser; any other code means a malformed request. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'BODY_TOO_LARGE',
  /** For the head of a request; body.ts controls the rest. */
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/** The answers of each connection that are not sent whole yet, oldest first. */
const underWay = new WeakMap<Duplex, Set<ServerResponse>>();

/** Counts an answer as under way until it has ended. Returns how many of its connection are, this one among them. */
export function begin(response: ServerResponse, socket: Duplex): number {
  const open = underWay.get(socket) ?? new Set();
  underWay.set(socket, open);
  open.add(response);
  response.once('close', () => open.delete(response));
  return open.size;
}

/** The answer of a connection that is sent first; undefined: no answer is under way. */
const oldestUnderWay = (socket: Duplex): ServerResponse | undefined => underWay.get(socket)?.values().next().value;

/** Answers a request that the parser of Node gave up, and ends the connection. */
export function refuseRaw({ code }: Error & { code?: string }, socket: Duplex): void {
  if (code === 'ECONNRESET') socket.destroy();
  else endWith(CODES[code ?? ''] ?? 'MALFORMED_REQUEST', socket);
}

/** Answers and ends the connection. If an answer of it has begun already, it is cut off instead. */
export function endWith(code: ErrorCode, socket: Duplex): void {
  const oldest = oldestUnderWay(socket);
  if (!socket.writable || oldest?.headersSent) {
    socket.destroy();
    return;
  }
  socket.once('error', () => socket.destroy());
  socket.end(answerText(code), () => socket.destroy());
}

function refuseRequest(response: ServerResponse, code: ErrorCode, detail: string = sentence(code)): void {
  const { status, headers, body } = refusal(code, detail);
  response.writeHead(status, headers).end(body);
}

function answerText(code: ErrorCode): string {
  const { status, headers, body } = refusal(code, sentence(code));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}

const sentence = (code: ErrorCode): string =>
  `${ERRORS[code].means.charAt(0).toUpperCase()}${ERRORS[code].means.slice(1)}.`;

function refusal(code: ErrorCode, detail: string) {
  const body = JSON.stringify({ detail, code });
  const headers = {
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    ...SECURITY_HEADERS,
  };
  return { status: ERRORS[code].status, headers, body };
}
