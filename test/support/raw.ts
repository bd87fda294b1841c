/** Bytes to a port, and all that comes back until the other end closes: for requests that no client would send. */
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  /** 0 when the connection was closed without an answer. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: the body of an answer is what the test says it is
  readonly body: any;
  readonly text: string;
}

/** Lines of a request, without the last empty one; `Connection: close` is added. */
export const request = (port: number, line: string, headers: Readonly<Record<string, string>> = {}, body = '') =>
  send(port, [`${line} HTTP/1.1`, ...headerLines({ Connection: 'close', ...headers }), '', body].join('\r\n'));

const headerLines = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

export async function send(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  const socket = open(port);
  socket.write(bytes);
  return parsed(await ending(socket));
}

export function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  return socket;
}

/** All text until the end. */
export function ending(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve) => socket.once('close', () => resolve(Buffer.concat(chunks).toString())));
}

function parsed(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = rest.join('\r\n\r\n');
  const isJson = headers['content-type']?.startsWith('application/json') && body !== '';
  return { status: Number(first.split(' ')[1] ?? 0), headers, body: isJson ? JSON.parse(body) : undefined, text };
}
