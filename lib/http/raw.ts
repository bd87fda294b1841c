/** Refusals of requests that do not reach the middleware: bad HTTP, headers too large, too slow, a broken WebSocket handshake. */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { SECURITY_HEADERS } from './trace.ts';

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
export const oldestUnderWay = (socket: Duplex): ServerResponse | undefined =>
  underWay.get(socket)?.values().next().value;

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

/** The same for a request that is well-formed but cannot be served. */
export function refuseRequest(response: ServerResponse, code: ErrorCode, detail: string = sentence(code)): void {
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
