/** Bytes over a socket and the status that comes back: for requests that no well-behaved client would send. */
import { connect } from 'node:net';

export interface Raw {
  /** Every status line of the answer: one for each request that the server saw; empty when it just hung up. */
  readonly statuses: readonly number[];
  readonly text: string;
}

/** Sends, and reads until the server closes; hangs up itself once an answer is whole and nothing more comes. */
export async function sendRaw(port: number, bytes: string | Uint8Array): Promise<Raw> {
  const socket = connect({ host: '127.0.0.1', port });
  let text = '';
  socket.on('error', () => {});
  socket.setEncoding('latin1');
  socket.on('data', (chunk) => {
    text += chunk;
    if (isWhole(text)) socket.end();
  });
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  await new Promise((resolve) => socket.once('close', resolve));
  return { statuses: [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map((found) => Number(found[1])), text };
}

/** Headers and as much body as they announce. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /^content-length: (\d+)/im.exec(text.slice(0, end))?.[1];
  return length !== undefined && text.length >= end + 4 + Number(length);
}

/** A request with the headers that a client has to send; `headers` come as they are, and replace those of the same name. */
export function request(line: string, headers: readonly string[] = [], body = ''): string {
  const given = new Set(headers.map((header) => header.split(':')[0]?.toLowerCase()));
  const usual = ['Host: 127.0.0.1', 'Connection: close'].filter((h) => !given.has(h.split(':')[0]?.toLowerCase()));
  const framed = given.has('content-length') || given.has('transfer-encoding') || body === '';
  const length = framed ? [] : [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`];
  return [`${line} HTTP/1.1`, ...usual, ...length, ...headers, '', body].join('\r\n');
}
