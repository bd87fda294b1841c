/**
 * A scripted FTP server with an active mode and nothing that is not needed: real sockets on loopback, replies byte by byte as a
 * test wants them. Not a simulation of the meter (`simulator/ftp` is): it misbehaves on command.
 */
import { connect, createServer, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Test } from 'tap';

export interface Line {
  readonly verb: string;
  readonly argument: string;
}

export interface DoubleSession {
  /** Sends a reply with its line end. */
  reply(text: string): void;
  raw(text: string): Promise<void>;
  readonly control: Socket;
  /** Connects to where the last PORT or EPRT said, `from` another address if wanted. */
  data(from?: string): Promise<Socket>;
  /** 150, the content over a data connection, 226. */
  send(content: Uint8Array | string | Readable): Promise<void>;
}

type Answer = (session: DoubleSession, argument: string) => void | Promise<void>;

export interface DoubleOptions {
  readonly host?: string;
  /** Default: any free one. */
  readonly port?: number;
  readonly banner?: string | null;
  /** In place of a banner. */
  readonly greet?: (control: Socket) => void;
  /** Listing text by folder; these folders can be entered. */
  readonly folders?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, Uint8Array | string | (() => Readable)>>;
  /** Answers in place of the usual ones, by verb. */
  readonly answers?: Readonly<Record<string, Answer>>;
}

export interface FtpDouble {
  readonly host: string;
  readonly port: number;
  /** Every command line, `VERB argument`. */
  readonly commands: string[];
  /** Control connections open now, and the most there were at once. */
  readonly sessions: { now: number; most: number; all: number };
}

export async function startFtpDouble(t: Pick<Test, 'teardown'>, options: DoubleOptions = {}): Promise<FtpDouble> {
  const { host = '127.0.0.1', port = 0, banner = '220 Connection Ready' } = options;
  const commands: string[] = [];
  const sessions = { now: 0, most: 0, all: 0 };
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (control) => {
    sessions.now += 1;
    sessions.all += 1;
    sessions.most = Math.max(sessions.most, sessions.now);
    sockets.add(control);
    control.on('error', () => {});
    let open = true;
    const over = () => {
      sessions.now -= open ? 1 : 0;
      open = false;
    };
    // Our own FIN, or the end of the connection, whichever comes first.
    control.once('finish', over);
    control.once('close', () => {
      over();
      sockets.delete(control);
    });
    serve(control, options, commands);
    if (options.greet) options.greet(control);
    else if (banner !== null) control.write(`${banner}\r\n`);
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('not listening');
  return { host, port: address.port, commands, sessions };
}

function serve(control: Socket, options: DoubleOptions, commands: string[]): void {
  const state = { folder: '/', target: { host: '', port: 0 } };
  const session = sessionOn(control, state);
  const answers: Record<string, Answer> = { ...usual(state, options), ...options.answers };
  let text = '';
  control.setEncoding('utf8');
  control.on('data', async (chunk: string) => {
    text += chunk;
    for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
      const line = text.slice(0, end);
      text = text.slice(end + 2);
      commands.push(line);
      const { verb, argument } = parse(line);
      const answer = answers[verb] ?? (() => session.reply('502 Not Implemented'));
      await Promise.resolve(answer(session, argument)).catch(() => control.destroy());
    }
  });
}

function parse(line: string): Line {
  const space = line.indexOf(' ');
  return space < 0 ? { verb: line, argument: '' } : { verb: line.slice(0, space), argument: line.slice(space + 1) };
}

interface State {
  folder: string;
  target: { host: string; port: number };
}

function usual(state: State, { folders = { '/': '' }, files = {} }: DoubleOptions): Record<string, Answer> {
  return {
    USER: (session) => session.reply('331 User OK'),
    PASS: (session) => session.reply('230 Login OK'),
    TYPE: (session) => session.reply('200 Type OK'),
    QUIT(session) {
      session.reply('221 Bye');
      session.control.end();
    },
    CWD(session, folder) {
      if (folders[folder] === undefined) return session.reply('550 No such folder');
      state.folder = folder;
      session.reply('250 OK');
    },
    PORT(session, argument) {
      const parts = argument.split(',').map(Number);
      state.target = { host: parts.slice(0, 4).join('.'), port: (parts[4] ?? 0) * 256 + (parts[5] ?? 0) };
      session.reply('200 PORT OK');
    },
    EPRT(session, argument) {
      const [, , host = '', port = ''] = argument.split('|');
      state.target = { host, port: Number(port) };
      session.reply('200 EPRT OK');
    },
    LIST: (session) => session.send(folders[state.folder] ?? ''),
    RETR(session, path) {
      const file = files[path];
      if (file === undefined) return session.reply('550 No such file');
      return session.send(typeof file === 'function' ? file() : file);
    },
  };
}

function sessionOn(control: Socket, state: State): DoubleSession {
  const session: DoubleSession = {
    control,
    reply: (text) => void control.write(`${text}\r\n`),
    raw: (text) => new Promise((resolve) => control.write(text, () => resolve())),
    data: (from) =>
      new Promise((resolve, reject) => {
        const { host, port } = state.target;
        const socket = connect({ host, port, ...(from === undefined ? {} : { localAddress: from }) }, () => {
          socket.off('error', reject);
          socket.on('error', () => {});
          resolve(socket);
        });
        socket.once('error', reject);
      }),
    async send(content) {
      session.reply('150 Opening data connection');
      const socket = await session.data();
      if (typeof content === 'string' || content instanceof Uint8Array) socket.end(content);
      else content.pipe(socket);
      await new Promise((resolve) => socket.once('close', resolve));
      session.reply('226 Transfer complete');
    },
  };
  return session;
}

/** A line as the meter lists it. */
export const listed = (name: string, size: number, { folder = false, date = 'Dec 24 02:13' } = {}): string =>
  `${folder ? 'd' : '-'}rw-rw-rw-   1 root  root  ${String(size).padStart(8)} ${date} ${name}\r\n`;
