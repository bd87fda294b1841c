/**
 * The FTP server of a simulated meter: one real control port on which the card can be listed and read, in active mode.
 * While FTP is off the port refuses. Knows nothing of the line protocol or of the flag that `FTP?` answers.
 */
import { generate } from '../card/index.ts';
import type { CardTree, Clock } from '../contract.ts';
import { between, type Random, seeded } from '../random.ts';
import { type FtpBehaviour, ftpBehaviour } from './behaviour.ts';
import { rest } from './data.ts';
import { type ControlConnection, type FtpControlServer, openControl } from './library.ts';
import { releasePort, reservePort } from './port.ts';
import { FtpSession, type Growth, type SessionRig, workingFolder } from './session.ts';
import { SessionLimit } from './session-limit.ts';

export { type FtpBehaviour, ftpBehaviour } from './behaviour.ts';

interface FtpOptions {
  readonly host: string;
  /** 0 takes any free port; it is the same for the life of the server. */
  readonly port: number;
  readonly card: CardTree;
  readonly user?: string;
  readonly password?: string;
  /** For the start delay and the deadline of data connections. */
  readonly clock: Clock;
  /** Device time, for the dates of listings. Default: the clock's. */
  readonly deviceNow?: () => number;
  readonly behaviour?: FtpBehaviour;
  /** For the times of the link. Default 1. */
  readonly seed?: number;
  /** Told of every connection, command and reply, without passwords. */
  readonly log?: (text: string) => void;
}

/** The server, switched off. */
export async function startFtp(options: FtpOptions): Promise<FtpServer> {
  const port = options.port || (await reservePort(options.host));
  return new FtpServer(options, port);
}

/** Its port is kept while it is closed. */
export class FtpServer {
  readonly port: number;
  /** Read again at every step; change it at any time. */
  readonly behaviour: FtpBehaviour;
  readonly #options: FtpOptions;
  readonly #random: Random;
  readonly #limit: SessionLimit;
  #server: FtpControlServer | null = null;
  #wish: AbortController | null = null;
  #starting: Promise<void> = Promise.resolve();
  #stopping: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: FtpOptions, port: number) {
    this.port = port;
    this.#options = options;
    this.#random = seeded(options.seed ?? 1);
    this.behaviour = options.behaviour ?? ftpBehaviour();
    const rig = sessionRig(options, this.behaviour);
    this.#limit = new SessionLimit(this.behaviour, (connection) => new FtpSession(connection, rig));
  }

  /** Whether the port accepts. */
  get listening(): boolean {
    return this.#server !== null;
  }

  get sessions(): number {
    return this.#limit.taken;
  }

  /** Switches on. Resolves when the port accepts, after the start delay, or when `off` came first. Rejects where the port is taken. */
  on(): Promise<void> {
    if (this.#stopped) return Promise.reject(new Error('the FTP server was stopped'));
    if (this.#wish) return this.#starting;
    const wish = new AbortController();
    this.#wish = wish;
    this.#starting = this.#start(wish.signal).catch((error) => {
      if (this.#wish === wish) this.#wish = null;
      throw error;
    });
    return this.#starting;
  }

  async #start(wish: AbortSignal): Promise<void> {
    await this.#stopping;
    if (this.behaviour.startDelayMs > 0) await rest(this.#options.clock, this.behaviour.startDelayMs, wish);
    if (wish.aborted) return;
    this.#server = await this.#open();
    this.#note('listening');
  }

  #open(): Promise<FtpControlServer> {
    const { host, card, user = 'USER', password = '0000' } = this.#options;
    return openControl({
      host,
      port: this.port,
      banner: 'Connection Ready',
      login: (name, word) => {
        const welcome = !this.behaviour.loginRefused && name === user && word === password;
        this.#note(welcome ? '< 230' : '< 530 Login Fail');
        return welcome ? workingFolder(card) : null;
      },
      connected: (connection) => {
        this.#delayReplies(connection);
        this.#limit.admit(connection, (admission) => this.#note(`connection ${admission}`));
      },
    });
  }

  /** Each reply takes one round trip of the link. */
  #delayReplies(connection: ControlConnection): void {
    const say = connection.reply.bind(connection);
    const gone = new AbortController();
    connection.commandSocket.once('close', () => gone.abort());
    connection.reply = (code, text) => {
      const { linkMs } = this.behaviour;
      const ms = linkMs[1] === 0 ? 0 : between(this.#random, linkMs);
      return ms === 0 ? say(code, text) : rest(this.#options.clock, ms, gone.signal).then(() => say(code, text));
    };
  }

  /** Sessions end, the port refuses. */
  off(): Promise<void> {
    const wish = this.#wish;
    if (!wish) return this.#stopping;
    this.#wish = null;
    wish.abort();
    this.#stopping = this.#close(this.#starting);
    return this.#stopping;
  }

  async #close(starting: Promise<void>): Promise<void> {
    await starting.catch(() => {}); // the caller that switched it on got the error
    const server = this.#server;
    this.#server = null;
    if (!server) return;
    await server.close();
    this.#note('off');
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.off();
    releasePort(this.port);
  }

  #note(text: string): void {
    this.#options.log?.(text);
  }
}

const sessionRig = (options: FtpOptions, behaviour: FtpBehaviour): SessionRig => ({
  card: options.card,
  behaviour,
  clock: options.clock,
  deviceNow: options.deviceNow ?? (() => options.clock.now()),
  note: options.log ?? (() => {}),
  growth: growthOf(options.card, behaviour),
});

// Files that grow while they are read, for a fault: `growing` bytes each time, on top of what the card has.

function growthOf(card: CardTree, behaviour: Readonly<FtpBehaviour>): Growth {
  const grown = new Map<string, number>();
  const of = (path: string) => grown.get(path) ?? 0;
  return {
    of,
    read(path) {
      const content = card.read(path);
      if (!content) return null;
      const more = of(path) + behaviour.growing;
      if (more > 0) grown.set(path, more);
      return followedBy(content, more);
    },
  };
}

function* followedBy(content: Iterable<Uint8Array>, more: number): Generator<Uint8Array> {
  yield* content;
  yield* generate(more, 1);
}
