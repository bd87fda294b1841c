/**
 * One FTP session with a meter: connect, login, folders, transfers. From basic-ftp it uses the control connection
 * (`control.ts`), login and passive mode. Transfers are our own (`transfer.ts`): the library ends its destination also
 * after a failure, and has no active mode. The session sends only commands that the meter is known to understand: USER,
 * PASS, TYPE, CWD, PORT, LIST, RETR, QUIT. It sends REST once, to see whether the meter knows it.
 */
import type { Readable } from 'node:stream';
import { unlessAborted, within } from '../clock.ts';
import { inSeconds } from '../domain/figures.ts';
import { GatewayError, isGatewayError } from '../errors.ts';
import type { DeviceConfig } from '../store/contract.ts';
import { listenForMeter } from './active.ts';
import type { Traffic } from './contract.ts';
import { LineClient } from './control.ts';
import { explain, replyCode, type ServerPlace, type Stage } from './faults.ts';
import { bytesOfName, type NameCoding } from './names.ts';
import type { CardParts } from './parts.ts';
import { type Sink, transfer } from './transfer.ts';

type Shared = 'clock' | 'timeoutMs' | 'readerMs' | 'announcedAddress' | 'portRange' | 'addresses' | 'taps';

interface SessionOptions extends Pick<CardParts, Shared> {
  readonly config: DeviceConfig;
  readonly path: string;
  readonly onForeignConnection: (address: string) => void;
  readonly traffic: Traffic;
}

const FACTORY_LOGIN = { user: 'USER', password: '0000' };
const QUIT_MS = 1_000;

/** Errors: FTP_FAILED, FTP_LOGIN_FAILED, FTP_DATA_CONNECTION, FILE_NOT_FOUND, DEVICE_TIMEOUT. */
export class FtpSession {
  readonly #options: SessionOptions;
  #place: ServerPlace;
  readonly #signal: AbortSignal;
  readonly #client: LineClient;
  /** Connections that the library is opening in passive mode: closed meanwhile, it leaves them open. */
  readonly #opening = new Set<{ destroy(): void }>();

  /** Everything in the session ends when the signal aborts. */
  constructor(options: SessionOptions, signal: AbortSignal) {
    const { config, path } = options;
    this.#options = options;
    this.#signal = signal;
    const password = config.ftpPassword === FACTORY_LOGIN.password ? '' : (config.ftpPassword ?? '');
    this.#client = new LineClient(options.traffic, () => options.taps?.of(config.unitId), password);
    this.#place = {
      unitId: config.unitId,
      server: `${config.host}:${config.ftpPort}`,
      path,
      passive: config.ftpMode === 'passive',
      password,
    };
    this.#keepTrack();
  }

  set path(path: string) {
    this.#place = { ...this.#place, path };
  }

  get isClosed(): boolean {
    return this.#client.closed || this.#signal.aborted;
  }

  async open(): Promise<void> {
    const { config } = this.#options;
    const user = config.ftpUsername ?? FACTORY_LOGIN.user;
    const password = config.ftpPassword ?? FACTORY_LOGIN.password;
    if (/[\p{Cc}]/u.test(user + password))
      throw new GatewayError(
        'FTP_LOGIN_FAILED',
        'The FTP user name or password in the config contains control characters.',
      );
    this.#options.traffic.sessions += 1;
    await this.#step('connect', 'connection', () => this.#connect());
    await this.#step('login', 'answer to the login', () => this.#client.login(user, password));
    await this.#step('mode', 'answer to TYPE', () => this.#client.send('TYPE I'));
  }

  /** To the checked addresses, not to the name, which could now lead elsewhere. Each has its share of the time. */
  async #connect(): Promise<void> {
    const { config, addresses, clock, timeoutMs } = this.#options;
    const judged = (await addresses?.(config.host, config.ftpPort)) ?? [];
    const found = judged.length > 0 ? judged : [config.host];
    const share = timeoutMs / found.length;
    let failure: unknown;
    for (const address of found) {
      this.#signal.throwIfAborted();
      const late = () => Object.assign(new Error(`no answer from ${address}`), { code: 'ETIMEDOUT' });
      const attempt = (signal: AbortSignal) => unlessAborted(this.#client.connect(address, config.ftpPort), signal);
      try {
        return void (await within(clock, share, late, attempt, this.#signal));
      } catch (error) {
        // A refusal in words comes from an existing server: another address would answer the same.
        if (replyCode(error) !== undefined) throw error;
        failure = error;
        this.#client.close();
      }
    }
    throw failure;
  }

  /** Coding of the names in the following commands. */
  set coding(coding: NameCoding) {
    this.#client.ftp.coding = coding;
  }

  get coding(): NameCoding {
    return this.#client.ftp.coding;
  }

  /** FILE_NOT_FOUND if the folder does not exist: an empty listing would not show that. */
  async enter(folder: string): Promise<void> {
    try {
      await this.#enter(folder);
    } catch (error) {
      const other: NameCoding = this.coding === 'utf-8' ? 'shift_jis' : 'utf-8';
      const mayDiffer = /[^\x20-\x7e]/.test(folder) && bytesOfName(folder, other) !== undefined;
      if (!isGatewayError(error, 'FILE_NOT_FOUND') || !mayDiffer) throw error;
      this.coding = other;
      await this.#enter(folder);
    }
  }

  #enter(folder: string): Promise<void> {
    return this.#step('folder', 'answer to CWD', () => this.#client.send(`CWD ${folder}`));
  }

  /** The listing of the last entered folder, in the text of the meter. */
  list(sink: Sink): Promise<void> {
    return this.#transfer('LIST', 'listing', sink);
  }

  retrieve(path: string, sink: Sink): Promise<void> {
    return this.#transfer(`RETR ${path}`, 'file', sink);
  }

  /** Whether the next transfer begins at this byte. A server that does not know REST continues as without it. */
  async beginAt(byte: number): Promise<boolean> {
    let taken = false;
    await this.#step('mode', 'answer to REST', async () => {
      const reply = await this.#client.sendIgnoringError(`REST ${byte}`);
      taken = reply.code === 350;
    });
    return taken;
  }

  /** Sends QUIT and lets the meter close: otherwise a meter that serves a single client would refuse the next one. */
  async leave(): Promise<void> {
    if (!this.#client.closed && !this.#signal.aborted) {
      const late = () => new Error('no answer to QUIT');
      const quit = (signal: AbortSignal) => unlessAborted(this.#quit(), signal);
      await within(this.#options.clock, QUIT_MS, late, quit, this.#signal).catch(() => {});
    }
    this.drop();
  }

  async #quit(): Promise<void> {
    await this.#client.send('QUIT');
    // Resolves with any reply, and with the end of the connection, which the library passes on as an error.
    await this.#client.ftp.handle(undefined, (_end, task) => task.resolve(undefined));
  }

  drop(): void {
    this.#client.close();
    for (const socket of this.#opening) socket.destroy();
  }

  async #transfer(command: string, stage: Stage, sink: Sink): Promise<void> {
    const { clock, timeoutMs, readerMs } = this.#options;
    const data = await this.#openData();
    try {
      const parts = { clock, timeoutMs, readerMs, announced: data.announced, arrived: data.arrived };
      await transfer({ ...parts, command: () => this.#command(command) }, this.#counted(sink), this.#signal);
    } catch (error) {
      this.#signal.throwIfAborted();
      if (replyCode(error) === undefined) this.drop();
      throw explain(error, stage, this.#place);
    } finally {
      data.close();
    }
  }

  #counted(sink: Sink): Sink {
    const { traffic } = this.#options;
    return {
      write(chunk) {
        traffic.bytesReceived += chunk.length;
        return sink.write(chunk);
      },
    };
  }

  /** Sends a command whose final reply may take long. Preliminary replies (1xx) only mean that the work goes on. */
  #command(command: string): Promise<unknown> {
    return this.#client.ftp.handle(command, (reply, task) => {
      if (reply instanceof Error) task.reject(reply);
      else if (reply.code >= 300) task.reject(new Error(`unexpected reply ${reply.code}`));
      else if (reply.code >= 200) task.resolve(reply);
    });
  }

  async #openData(): Promise<{ announced?: string; arrived: Promise<Readable>; close(): void }> {
    const { ftp } = this.#client;
    if (this.#place.passive) {
      await this.#step('data', 'data connection', () => this.#client.prepareTransfer(ftp));
      const socket = ftp.dataSocket;
      if (!socket) throw new GatewayError('FTP_DATA_CONNECTION', 'The data connection was closed at once.');
      return { arrived: Promise.resolve(socket), close: () => socket.destroy() };
    }
    const listening = await this.#listen();
    try {
      await this.#step('data', `answer to ${listening.command.slice(0, 4)}`, () =>
        this.#client.send(listening.command),
      );
    } catch (error) {
      listening.close();
      throw error;
    }
    return listening;
  }

  #listen() {
    const { localAddress, remoteAddress } = this.#client.ftp.socket;
    if (!localAddress || !remoteAddress) throw new GatewayError('FTP_FAILED', 'The FTP connection was lost.');
    return listenForMeter({ ...this.#options, localAddress, peerAddress: remoteAddress });
  }

  /** One command and its answer, in time. A failure other than a refusal ends the session. */
  async #step(stage: Stage, what: string, work: () => Promise<unknown>): Promise<void> {
    const { clock, timeoutMs } = this.#options;
    const late = () =>
      new GatewayError(
        'DEVICE_TIMEOUT',
        `There was no ${what} from ${this.#place.server} within ${inSeconds(timeoutMs)}.`,
      );
    const inTime = async (signal: AbortSignal) => {
      try {
        signal.throwIfAborted();
        await unlessAborted(work(), signal);
      } catch (error) {
        if (replyCode(error) === undefined) this.drop();
        signal.throwIfAborted();
        throw explain(error, stage, this.#place);
      }
    };
    await within(clock, timeoutMs, late, inTime, this.#signal);
  }

  #keepTrack(): void {
    const { ftp } = this.#client;
    const fresh = ftp._newSocket.bind(ftp);
    ftp._newSocket = () => {
      const socket = fresh();
      this.#opening.add(socket);
      socket.once('close', () => this.#opening.delete(socket));
      return socket;
    };
  }
}
