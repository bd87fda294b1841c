/**
 * The way of the command line to a gateway that runs: a local socket in the data folder, which only the owner of the folder can open. Each
 * call is a POST of JSON: the name of the operation is the path, its arguments are the body.
 */
import { createHash } from 'node:crypto';
import { lstat, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { type Clock, within } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { pipeNamed } from '../system.ts';
import { ADMIN_OPERATIONS, type KeyAdmin, Refused } from './key-admin.ts';

/** The system takes paths of 107 bytes; a Mac takes 103. */
const LONGEST_PATH = 100;
/** A change waits for the disk and for earlier changes. */
const ANSWER_MS = 30_000;

/** A long path has its socket in the folder for temporary files. */
function socketPathOf(dataDir: string): string {
  const path = join(resolve(dataDir), 'gateway.sock');
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 24);
  const pipe = pipeNamed(`slm-gateway-${digest}`);
  if (pipe !== undefined) return pipe;
  return Buffer.byteLength(path) <= LONGEST_PATH ? path : join(tmpdir(), `slm-gateway-${digest}.sock`);
}

/** Takes calls until the disposer is called. A gateway without its socket runs: then the command line needs it stopped. */
export async function serveKeyAdmin(dataDir: string, admin: KeyAdmin, log: Log): Promise<() => Promise<void>> {
  const path = socketPathOf(dataDir);
  const server = createServer((incoming, outgoing) => void answer(admin, incoming, outgoing));
  try {
    // Left behind by a process that was killed: this one has the lock of the folder.
    if (pipeNamed('') === undefined) await rm(path, { force: true });
    await listen(server, path);
  } catch (error) {
    log.warn({ path, reason: messageOf(error) }, 'npm run keys cannot reach this gateway: stop it before');
    return async () => {};
  }
  server.unref();
  return async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
}

/** For the owner alone from its first moment: the socket is made before `listen` returns. */
function listen(server: ReturnType<typeof createServer>, path: string): Promise<void> {
  const { promise, resolve: done, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  const mask = process.umask(0o177);
  try {
    server.listen(path, done);
  } finally {
    process.umask(mask);
  }
  return promise;
}

async function answer(admin: KeyAdmin, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const send = (status: number, content: object) =>
    outgoing.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(content));
  try {
    const name = ADMIN_OPERATIONS.find((one) => `/${one}` === incoming.url);
    if (!name || incoming.method !== 'POST') return void send(404, { message: 'the gateway is of another release' });
    const call = admin[name] as (...given: unknown[]) => Promise<unknown>;
    const result = await call.apply(admin, JSON.parse(await textOf(incoming)));
    send(200, { result });
  } catch (error) {
    send(409, { message: messageOf(error), about: error instanceof Refused ? error.about : undefined });
  }
}

/** Undefined: no gateway listens. */
export async function keyAdminOfGateway(dataDir: string, clock: Clock): Promise<KeyAdmin | undefined> {
  const path = socketPathOf(dataDir);
  if (!(await isOfOwner(path, dataDir))) return undefined;
  const call = (name: keyof KeyAdmin, given: readonly unknown[]) =>
    within(clock, ANSWER_MS, late, (signal) => ask(path, name, given, signal));
  try {
    await call('keys', []);
  } catch (error) {
    if (isNobody(error)) return undefined;
    throw error;
  }
  const calls = ADMIN_OPERATIONS.map((name) => [name, (...given: unknown[]) => call(name, given)]);
  return Object.fromEntries(calls) as KeyAdmin;
}

/** A socket in the folder for temporary files could belong to another user. */
async function isOfOwner(path: string, dataDir: string): Promise<boolean> {
  if (pipeNamed('') !== undefined) return true;
  const [socket, folder] = await Promise.all([lstat(path), stat(dataDir)].map((one) => one.catch(() => undefined)));
  return socket?.isSocket() === true && (socket.uid === folder?.uid || socket.uid === process.getuid?.());
}

const isNobody = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNREFUSED' || error.code === 'ENOENT');

const late = () => new Error(`the gateway did not answer within ${ANSWER_MS / 1_000} s`);

async function ask(path: string, name: string, given: readonly unknown[], signal: AbortSignal): Promise<unknown> {
  const { promise, resolve: done, reject } = Promise.withResolvers<IncomingMessage>();
  const options = { socketPath: path, path: `/${name}`, method: 'POST', agent: false, signal };
  request(options, done).on('error', reject).end(JSON.stringify(given));
  const response = await promise;
  const { result, message, about } = JSON.parse(await textOf(response));
  if (response.statusCode === 200) return result;
  throw about === undefined ? new Error(message) : new Refused(about, message);
}
