/**
 * One FTP session: reads command lines, answers what the meter answers differently from any other server, and leaves the
 * dialogue to the library. One command at a time; only ABOR and the end of the connection cut in.
 *
 * Captured: `220 Connection Ready`, `530 Login Fail` (also to an empty password), `502 Not Implemented` to PASV, a 50x to EPSV,
 * 200 to TYPE I. Inferred: the same 502 for every command that no client was seen to use, and the words of all other replies.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { posix } from 'node:path';
import type { CardTree, Clock } from '../contract.ts';
import type { FtpBehaviour } from './behaviour.ts';
import { openData, parseExtendedPort, parsePort, rest, type Target } from './data.ts';
import type { ControlConnection, WorkingFolder } from './library.ts';
import { listing } from './listing.ts';

export interface SessionRig {
  readonly card: CardTree;
  readonly behaviour: Readonly<FtpBehaviour>;
  readonly clock: Clock;
  readonly deviceNow: () => number;
  readonly note: (text: string) => void;
  /** Bytes by which a file has grown under this server. */
  readonly growth: Growth;
}

/** How much files have grown, bytes. */
export interface Growth {
  of(path: string): number;
  /** Content of the file with its growth; this read itself makes the file grow. */
  read(path: string): Iterable<Uint8Array> | null;
}

const LONGEST_LINE = 4_096;

const DIALOGUE = new Set('USER PASS QUIT NOOP SYST TYPE MODE STRU CWD XCWD CDUP XCUP PWD XPWD'.split(' '));
const BEFORE_LOGIN = new Set(['USER', 'PASS', 'QUIT', 'NOOP', 'SYST']);
/** Whether the meter lets a client write is unknown; it is treated as not allowed. */
const WRITING = new Set('STOR STOU APPE DELE MKD XMKD RMD XRMD RNFR RNTO SITE'.split(' '));

export class FtpSession {
  readonly #connection: ControlConnection;
  readonly #rig: SessionRig;
  readonly #gone = new AbortController();
  #unread = '';
  #queue: Promise<void> = Promise.resolve();
  #target: Target | null = null;
  /** Where the next RETR begins, bytes. */
  #offset = 0;
  #abort: AbortController | null = null;

  constructor(connection: ControlConnection, rig: SessionRig) {
    this.#connection = connection;
    this.#rig = rig;
    const socket = connection.commandSocket;
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.once('close', () => this.#gone.abort());
  }

  #take(bytes: Buffer): void {
    const lines = (this.#unread + bytes.toString('latin1')).split('\n');
    this.#unread = lines.pop() ?? '';
    if (this.#unread.length > LONGEST_LINE) this.#connection.commandSocket.destroy();
    for (const line of lines) this.#enqueue(line.replace(/\r$/, ''));
  }

  #enqueue(line: string): void {
    const verb = verbOf(line);
    this.#rig.note(`> ${verb === 'PASS' ? 'PASS ****' : line}`);
    if (verb === 'ABOR') this.#abort?.abort();
    this.#queue = this.#queue.then(() => this.#answer(verb, line)).catch((cause) => this.#fail(cause));
  }

  async #answer(verb: string, line: string): Promise<void> {
    if (this.#gone.signal.aborted) return;
    const path = line.slice(verb.length + 1);
    if (!this.#connection.authenticated && !BEFORE_LOGIN.has(verb)) return this.#reply(530, 'Not logged in');
    if (verb === 'PASS' && path === '' && this.#connection.username) return this.#refuseEmptyPassword();
    if (DIALOGUE.has(verb)) return void (await this.#connection.commands.handle(line));
    if (verb === 'PORT') return this.#aim(parsePort(path));
    if (verb === 'EPRT') return this.#aim(parseExtendedPort(path));
    if (verb === 'LIST') return this.#list(path.replace(/^(-\w+ *)+/, ''));
    if (verb === 'RETR') return this.#retrieve(path);
    if (verb === 'REST' && this.#rig.behaviour.restart) return this.#restartAt(path);
    if (verb === 'ABOR') return this.#reply(226, 'Abort successful');
    if (WRITING.has(verb)) return this.#reply(550, 'Permission Denied');
    return this.#reply(502, 'Not Implemented');
  }

  /** The library would say 501. A new USER may follow. */
  #refuseEmptyPassword(): Promise<void> {
    this.#connection.username = undefined;
    return this.#reply(530, 'Login Fail');
  }

  async #aim(target: Target | null): Promise<void> {
    this.#target = target;
    await (target ? this.#reply(200, 'Command OK') : this.#reply(501, 'Syntax Error'));
  }

  async #list(wanted: string): Promise<void> {
    const { card, behaviour, deviceNow, growth } = this.#rig;
    const path = this.#folder.resolve(wanted);
    const entry = card.entry(path);
    if (!entry) return this.#reply(550, 'File not found');
    const entries = (card.list(path) ?? [entry]).map((one) => {
      if (one.folder) return one;
      const grown = growth.of(entry.folder ? posix.join(path, one.name) : path);
      return { ...one, size: Math.max(0, one.size + grown + behaviour.listedSizeOff) };
    });
    await this.#send(listing(entries, deviceNow(), behaviour), 'listings');
  }

  #restartAt(text: string): Promise<void> {
    const offset = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isNaN(offset)) return this.#reply(501, 'Syntax Error');
    this.#offset = offset;
    return this.#reply(350, 'Restarting');
  }

  async #retrieve(wanted: string): Promise<void> {
    const offset = this.#offset;
    this.#offset = 0;
    const content = wanted && this.#rig.growth.read(this.#folder.resolve(wanted));
    if (!content) return this.#reply(550, 'File not found');
    await this.#send(offset > 0 ? skipped(content, offset) : content, 'files');
  }

  /** A transfer: 150, the data connection, the bytes, and what became of it. Uses up the address of PORT. */
  async #send(content: Iterable<Uint8Array>, kind: 'files' | 'listings'): Promise<void> {
    const target = this.#target;
    this.#target = null;
    if (!target) return this.#reply(425, 'No data connection');
    const abort = new AbortController();
    this.#abort = abort;
    const signal = AbortSignal.any([abort.signal, this.#gone.signal]);
    await this.#reply(150, 'Opening data connection');
    const socket = await this.#connect(target, signal);
    if (socket) await this.#conclude(socket, await this.#run(socket, content, kind, signal));
    else await this.#reply(abort.signal.aborted ? 426 : 425, 'Data connection failed');
    this.#abort = null;
  }

  async #connect(target: Target, signal: AbortSignal): Promise<Socket | null> {
    const { clock, behaviour } = this.#rig;
    if (!behaviour.dataConnectionNever) return openData(target, clock, behaviour.connectMs, signal);
    await rest(clock, behaviour.connectMs, signal);
    return null;
  }

  #run(socket: Socket, content: Iterable<Uint8Array>, kind: 'files' | 'listings', signal: AbortSignal) {
    const { behaviour, clock } = this.#rig;
    const { breaks, bytesPerSecond, cutAfterBytes, stallAfterBytes } = behaviour;
    const whole = breaks !== 'both' && breaks !== kind;
    const wait = (bytes: number) =>
      bytesPerSecond === null ? undefined : rest(clock, (bytes / bytesPerSecond) * 1_000, signal);
    return transfer(socket, content, { ...(whole ? WHOLE : { cutAfterBytes, stallAfterBytes }), wait }, signal);
  }

  async #conclude(socket: Socket, outcome: Outcome): Promise<void> {
    if (outcome === 'complete') return this.#reply(226, 'Transfer complete');
    const { cutEnding } = this.#rig.behaviour;
    if (outcome === 'cut' && cutEnding === 'claims-complete') {
      socket.end();
      return this.#reply(226, 'Transfer complete');
    }
    if (outcome === 'cut') socket.resetAndDestroy();
    if (outcome === 'cut' && cutEnding === 'vanishes') this.#connection.commandSocket.resetAndDestroy();
    else await this.#reply(426, 'Transfer aborted');
  }

  get #folder(): SessionFolder {
    return this.#connection.fs as SessionFolder; // `login` gave it
  }

  async #reply(code: number, text: string): Promise<void> {
    if (this.#gone.signal.aborted) return;
    this.#rig.note(`< ${code} ${text}`);
    await this.#connection.reply(code, text);
  }

  /** A fault of this simulator. The client gets an error, and the session goes on. */
  #fail(cause: unknown): Promise<void> {
    return this.#reply(451, `Local error: ${cause instanceof Error ? cause.message : cause}`);
  }
}

function* skipped(content: Iterable<Uint8Array>, offset: number): Generator<Uint8Array> {
  let left = offset;
  for (const piece of content) {
    if (piece.length > left) yield piece.subarray(left);
    left = Math.max(0, left - piece.length);
  }
}

const WHOLE = { cutAfterBytes: null, stallAfterBytes: null };

const verbOf = (line: string): string => /^\S*/.exec(line)?.[0].toUpperCase() ?? '';

// Bytes into a data connection, no faster than they are taken, and the breaks that a test asked for.

interface Breaks {
  readonly cutAfterBytes: number | null;
  readonly stallAfterBytes: number | null;
  /** How long a slow card needs for this many bytes. */
  wait?(bytes: number): Promise<void> | undefined;
}

/**
 * - `complete`: everything was taken and the connection ended properly
 * - `cut`: the break was reached; the connection is still open, its end is the caller's
 * - `lost`: the client left, the content broke, or the signal aborted; the connection is destroyed
 */
type Outcome = 'complete' | 'cut' | 'lost';

/** Resolves with how it ended: complete, cut, or lost with its connection. */
async function transfer(
  socket: Socket,
  content: Iterable<Uint8Array>,
  breaks: Breaks,
  signal: AbortSignal,
): Promise<Outcome> {
  const left = new AbortController();
  const leave = () => left.abort();
  socket.once('close', leave);
  if (socket.destroyed) leave();
  socket.resume(); // or the client's end would never be seen
  try {
    return await pump(socket, content, breaks, AbortSignal.any([signal, left.signal]));
  } catch {
    socket.destroy();
    return 'lost';
  } finally {
    socket.removeListener('close', leave);
  }
}

/** Rejects when the signal aborts. */
async function pump(
  socket: Socket,
  content: Iterable<Uint8Array>,
  { cutAfterBytes, stallAfterBytes, wait }: Breaks,
  signal: AbortSignal,
): Promise<'complete' | 'cut'> {
  const cut = cutAfterBytes ?? Infinity;
  const stall = stallAfterBytes ?? Infinity;
  let left = Math.min(cut, stall);
  for (const piece of content) {
    signal.throwIfAborted();
    const part = piece.length > left ? piece.subarray(0, left) : piece;
    left -= part.length;
    await wait?.(part.length);
    if (part.length > 0) await taken(socket, part, signal);
    if (left > 0) continue;
    if (cut < stall) return 'cut';
    await once(signal, 'abort');
    signal.throwIfAborted();
  }
  await ended(socket, signal);
  return 'complete';
}

/** Resolves when the system has the bytes, and not before the event loop has been round. */
async function taken(socket: Socket, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  await settled(signal, (done) => socket.write(bytes, done));
  await new Promise((resolve) => setImmediate(resolve));
}

const ended = (socket: Socket, signal: AbortSignal): Promise<void> =>
  settled(signal, (done) => socket.end(() => done()));

function settled(signal: AbortSignal, begin: (done: (error?: Error | null) => void) => void): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abandon = () => reject(signal.reason);
    signal.addEventListener('abort', abandon, { once: true });
    begin((error) => {
      signal.removeEventListener('abort', abandon);
      if (error) reject(error);
      else resolve();
    });
  });
}

// The working folder of one FTP session: where CWD, CDUP and PWD are, and what a relative path means.

interface SessionFolder extends WorkingFolder {
  /** An absolute path on the card; cannot leave it. */
  resolve(path: string): string;
}

export function workingFolder(card: CardTree): SessionFolder {
  let here = '/';
  const resolve = (path: string) => posix.resolve(here, path || '.');
  return {
    currentDirectory: () => here,
    resolve,
    chdir(path) {
      const wanted = resolve(path);
      if (!card.list(wanted)) throw new Error('Directory not found');
      here = wanted;
      return here;
    },
  };
}
