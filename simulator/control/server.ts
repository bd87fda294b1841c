/**
 * The control API of a simulator: HTTP with JSON, for programs in any language. It listens on loopback only. A web page
 * cannot use it: Host and Origin must be loopback, and a body must be application/json.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { FleetMember } from '../fleet.ts';
import { listening } from '../sockets.ts';
import { MeterControl, type SoundChoice } from './meter-control.ts';
import { type Call, type Movable, NotHere, NotPossible, type Route, WrongInput } from './route.ts';
import { routesOf } from './routes.ts';

interface ControlOptions {
  readonly meters: readonly FleetMember[];
  /** The clock of the meters. With a `PacedClock` the API can change the speed. */
  readonly clock: Movable;
  /** 0 takes any free port. */
  readonly port: number;
  /** The sound that the meters hear at the start. */
  readonly sound?: SoundChoice;
}

export interface ControlServer {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);
const MOST_BODY = 65_536;

export async function startControlServer(options: ControlOptions): Promise<ControlServer> {
  const sound = options.sound ?? { scenario: 'office' };
  const meters = options.meters.map(({ unitId, meter }) => new MeterControl(unitId, meter, sound));
  const byUnit = new Map(meters.map((meter) => [meter.unitId, meter]));
  const routes = routesOf(options.clock, meters);
  const server = createServer((request, response) => {
    answer(request, routes, byUnit).then(
      (body) => send(response, 200, body),
      (error: unknown) => refuse(response, error),
    );
  });
  const port = await listening(server, options.port, HOST);
  return {
    url: `http://${HOST}:${port}`,
    close: () =>
      new Promise((resolve) => {
        for (const meter of meters) meter.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An answer other than 200; the message is for the caller. */
class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

async function answer(
  request: IncomingMessage,
  routes: readonly Route[],
  meters: ReadonlyMap<string, MeterControl>,
): Promise<unknown> {
  refuseStrangers(request);
  const url = URL.parse(request.url ?? '/', `http://${HOST}`);
  if (!url) throw new Refusal(400, 'the path is not well encoded');
  if (url.pathname === '/' && request.method === 'GET') return describe(routes);
  const { route, params } = find(routes, request.method ?? '', url.pathname);
  const body = await readBody(request);
  const meter = () => {
    const found = meters.get(params.unit ?? '');
    if (!found)
      throw new NotHere(`no meter ${JSON.stringify(params.unit)}; there are ${[...meters.keys()].join(', ')}`);
    return found;
  };
  const call: Call = { params, query: url.searchParams, body, meter };
  return route.handle(call);
}

/** Refuses other names for this computer (DNS rebinding) and pages of other sites. */
function refuseStrangers({ headers }: IncomingMessage): void {
  if (!isLoopback(`http://${headers.host ?? ''}`)) throw new Refusal(403, 'the Host must be 127.0.0.1 or localhost');
  if (headers.origin !== undefined && !isLoopback(headers.origin)) {
    throw new Refusal(403, 'pages of other sites cannot use the control API');
  }
}

const isLoopback = (url: string) => URL.canParse(url) && LOOPBACK.has(new URL(url).hostname);

const describe = (routes: readonly Route[]) => ({
  about: 'Control API of simulated sound level meters. Bodies and answers are JSON; errors are {"error": text}.',
  endpoints: routes.map(({ method, path, about }) => ({ endpoint: `${method} ${path}`, about })),
});

function find(routes: readonly Route[], method: string, pathname: string) {
  const here = routes.flatMap((route) => {
    const params = match(route.path, pathname);
    return params ? [{ route, params }] : [];
  });
  const found = here.find(({ route }) => route.method === method);
  if (found) return found;
  if (here.length === 0) throw new Refusal(404, 'no such endpoint; GET / lists them');
  const allow = here.map(({ route }) => route.method).join(', ');
  throw new Refusal(405, `this endpoint takes ${allow}`, { allow });
}

function match(path: string, pathname: string): Record<string, string> | null {
  const [wanted, given] = [path.split('/'), pathname.split('/')];
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const word = given[index] ?? '';
    if (!part.startsWith('{')) {
      if (part !== word) return null;
    } else params[part.slice(1, -1)] = decode(word);
  }
  return params;
}

function decode(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    throw new Refusal(400, 'the path is not well encoded');
  }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request) {
    size += (piece as Buffer).length;
    if (size > MOST_BODY) throw new Refusal(413, `a body has at most ${MOST_BODY} bytes`);
    pieces.push(piece as Buffer);
  }
  if (size === 0) return undefined;
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new Refusal(415, 'a body is application/json');
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch {
    throw new Refusal(400, 'the body is not JSON');
  }
}

function refuse(response: ServerResponse, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Refusal) send(response, error.status, { error: message }, error.headers);
  else if (error instanceof WrongInput) send(response, 400, { error: message });
  else if (error instanceof NotHere) send(response, 404, { error: message });
  else if (error instanceof NotPossible) send(response, 409, { error: message });
  else send(response, 500, { error: message });
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.destroyed) return;
  // A body that was not read to its end would be taken for the next request.
  const connection = status === 413 ? { connection: 'close' } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...connection, ...headers });
  response.end(`${JSON.stringify(body)}\n`);
}
