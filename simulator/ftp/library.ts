/**
 * The one place that knows ftp-srv (4.6): its server, its control connections and what has to be changed in them to answer
 * like the meter. Serves the dialogue (USER, PASS, CWD, TYPE ...); data connections are none of its business here, because
 * its own are tried on a timer, once, at the time of PORT.
 *
 * Changed: the banner; a logger that says nothing; its handlers of process signals, which would end the process; its timer
 * of a second after every client; its reader, which takes a command in two segments for two commands.
 */
import type { AddressInfo, Server, Socket } from 'node:net';
import type { FtpSrv } from 'ftp-srv';

/** The part of a connection of ftp-srv that this project uses. */
export interface ControlConnection {
  readonly commandSocket: Socket;
  readonly authenticated?: boolean;
  username?: string | undefined;
  readonly fs?: WorkingFolder;
  /** Answers one command line, without its CR LF. */
  readonly commands: { handle(line: string): PromiseLike<unknown> };
  reply(code: number, text: string): PromiseLike<unknown>;
}

/** The part of ftp-srv's file system that CWD, CDUP and PWD need. */
export interface WorkingFolder {
  currentDirectory(): string;
  /** Returns the new folder. Throws if it does not exist. */
  chdir(path: string): string;
}

interface FtpControlOptions {
  readonly host: string;
  readonly port: number;
  readonly banner: string;
  /** A working folder for this user, or null for `530 Login Fail`. */
  login(username: string, password: string): WorkingFolder | null;
  /** A new connection, before the banner. Its input is given to `read`; the reader of ftp-srv is off. */
  connected(connection: ControlConnection): void;
}

export interface FtpControlServer {
  readonly port: number;
  close(): Promise<void>;
}

/** With the members that its types leave out. */
interface Library extends FtpSrv {
  readonly server: Server;
  readonly connections: Record<string, { readonly commandSocket: Socket; username?: string | undefined }>;
  _features: string;
  on(event: string, listener: (...found: never[]) => void): this;
}

interface Attempt {
  readonly connection: { username?: string | undefined };
  readonly username: string;
  readonly password: string;
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const;

const silent: Record<string, unknown> = { child: () => silent };
for (const grade of ['trace', 'debug', 'info', 'warn', 'error', 'fatal']) silent[grade] = () => {};

export async function openControl(options: FtpControlOptions): Promise<FtpControlServer> {
  const { default: ftp } = await import('ftp-srv');
  const { host, port, banner } = options;
  const address = host.includes(':') ? `[${host}]` : host;
  const library = withoutSignalHandlers(
    () => new ftp.FtpSrv({ url: `ftp://${address}:${port}`, log: silent }) as Library,
  );
  library._features = banner;
  library.disconnectClient = async (id) => {
    library.connections[id]?.commandSocket.destroy();
    delete library.connections[id];
  };
  library.on('connect', ({ connection }: { connection: ControlConnection }) => {
    connection.commandSocket.removeAllListeners('data');
    options.connected(connection);
  });
  library.on('login', (attempt: Attempt, accept: (answer: object) => void, refuse: (reason: Error) => void) => {
    const folder = options.login(attempt.username, attempt.password);
    if (folder) return accept({ fs: folder });
    attempt.connection.username = undefined; // or a second USER would be refused
    refuse(new Error('Login Fail'));
  });
  await library.listen();
  return {
    port: (library.server.address() as AddressInfo).port,
    close: async () => void (await library.close()),
  };
}

function withoutSignalHandlers<T>(make: () => T): T {
  const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  const made = make();
  for (const [signal, known] of before) {
    for (const listener of process.listeners(signal)) {
      if (!known.includes(listener)) process.removeListener(signal, listener);
    }
  }
  return made;
}
