/**
 * A whole world in one process: the real gateway and real simulated meters, over real TCP and FTP on loopback, on one
 * clock that moves only when a test waits for something. Every answer and every WebSocket message is checked against the
 * OpenAPI document.
 */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import { type Gateway, startGateway } from '../../lib/app/gateway.ts';
import type { Family } from '../../lib/drivers/contract.ts';
import { createLog } from '../../lib/log.ts';
import type { Settings } from '../../lib/settings/index.ts';
import { loadProfile, type Profile, type SimulatedMeter, startMeter, VirtualClock } from '../../simulator/index.ts';
import { copyEmptyData, noData, placesIn } from './empty-data.ts';
import { type MadeKey, makeKey } from './keys.ts';
import { type AnswerCheck, answerCheck, type MessageCheck, messageCheck } from './openapi.ts';
import './printing.ts';
import { type Sent, send } from './send.ts';

// biome-ignore lint/suspicious/noExplicitAny: the body of an answer is what the test says it is
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

export interface Ask {
  readonly json?: unknown;
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface WorldOptions {
  /** Default 1. Units are `sim-1` ... and configured with TCP and FTP enabled. */
  readonly meters?: number;
  readonly settings?: Partial<Settings>;
  /** Families of meters beside the built-in ones. */
  readonly families?: readonly Family[];
  /** Quirks of the meter that the test is about, over those of the profile. */
  readonly quirks?: Partial<Profile>;
}

/** The profile of every meter: `npm run test:profiles -- lte` runs the end-to-end tests on meters of another one. */
const PROFILE = loadProfile(process.env.METER_PROFILE ?? 'instant');

/** A condition has at least so long in real time, ms: less than the limit of a test, so that the error names what it waited for. */
const REAL_LIMIT_MS = 20_000;

/** The user and password of every meter's FTP server. */
export const CREDENTIALS = { ftp_username: 'USER', ftp_password: '0000' } as const;

export class World {
  readonly clock: VirtualClock;
  readonly meters: readonly SimulatedMeter[];
  /** Lines of the gateway's log. */
  readonly log: readonly string[];
  readonly dataDir: string;
  /** Empty: SQLite in `dataDir`. */
  readonly databaseUrl: string;
  #gateway: Gateway;
  readonly #start: () => Promise<Gateway>;
  #check: AnswerCheck = () => {};
  #checkMessage: MessageCheck = () => {};
  /** Every answer with a JSON body that was seen, as text. */
  readonly answers: string[] = [];

  constructor(parts: {
    clock: VirtualClock;
    meters: readonly SimulatedMeter[];
    log: readonly string[];
    dataDir: string;
    databaseUrl: string;
    gateway: Gateway;
    start: () => Promise<Gateway>;
  }) {
    this.clock = parts.clock;
    this.meters = parts.meters;
    this.log = parts.log;
    this.dataDir = parts.dataDir;
    this.databaseUrl = parts.databaseUrl;
    this.#gateway = parts.gateway;
    this.#start = parts.start;
  }

  get gateway(): Gateway {
    return this.#gateway;
  }

  /** Stops the gateway, lets this much time pass, and starts it again on the same data. */
  async restart(downMs: number): Promise<void> {
    await this.passing(this.#gateway.stop());
    // On a busy computer the limit of the stop can pass while a thread or a server still works: their ends are waited for in real time.
    await this.#gateway.history.close();
    await this.#gateway.store.close();
    await this.pass(downMs > 60_000 ? 0 : downMs);
    if (downMs > 60_000) await this.clock.advance(downMs);
    this.#gateway = await this.passing(this.#start());
  }

  get meter(): SimulatedMeter {
    const [first] = this.meters;
    if (!first) throw new Error('this world has no meter');
    return first;
  }

  get base(): string {
    return this.gateway.baseUrl;
  }

  get = (path: string, ask?: Ask) => this.ask('GET', path, ask);
  post = (path: string, json?: unknown) => this.ask('POST', path, json === undefined ? {} : { json });
  put = (path: string, json: unknown) => this.ask('PUT', path, { json });
  delete = (path: string) => this.ask('DELETE', path);

  /** Asks, and lets time pass until the answer is there. */
  ask(method: string, path: string, ask: Ask = {}): Promise<Answer> {
    return this.passing(this.asked(method, path, ask));
  }

  /** The same without moving time: for several at once, inside `passing`. */
  async asked(method: string, path: string, ask: Ask = {}): Promise<Answer> {
    const url = new URL(`${this.base}${path}`);
    const { status, headers, text, json } = await send(url, { method, ...requestOf(ask) });
    if (json !== undefined) this.answers.push(text);
    const body = json ?? text;
    if (status >= 400 && json !== undefined) requireSentence(`${method} ${path}`, body.detail);
    this.#check({ method, path: url.pathname, status, contentType: headers.get('content-type'), body });
    return { status, headers, body };
  }

  /** Lets time pass until `work` has settled. */
  passing = <T>(work: Promise<T>): Promise<T> => this.clock.until(work, { stepMs: 100 });

  /**
   * Lets time pass until the condition holds; an error that names it after a minute, and not before some seconds of
   * real time: a disk or a thread that is waited for does not follow the clock of the test.
   */
  async until(what: string, holds: () => boolean): Promise<void> {
    const limit = this.clock.elapsed() + 60_000;
    const realLimit = performance.now() + REAL_LIMIT_MS;
    while (!holds()) {
      if (this.clock.elapsed() > limit && performance.now() > realLimit) throw new Error(`not in time: ${what}`);
      await this.pass(50);
    }
  }

  /** Lets this much time pass, in steps that leave the sockets their turn. */
  pass = (ms: number): Promise<void> => this.clock.pass(ms);

  /** Lets time pass until `ms` after the beginning of the next minute, which it answers with: ms since 1970. */
  async nextMinute(ms = 0): Promise<number> {
    const minute = Math.ceil((this.clock.now() + 1) / 60_000) * 60_000;
    await this.pass(minute + ms - this.clock.now());
    return minute;
  }

  /** Lets this much time pass in which nothing but the stream is asked of the meter: each read would cost frames of its own. `begins` is called at the start of each try. */
  async undisturbed(ms: number, begins = () => {}): Promise<void> {
    for (let tries = 0; tries < 30; tries += 1) {
      begins();
      const before = this.meter.log.commands.length;
      await this.pass(ms);
      if (this.meter.log.commands.length === before) return;
    }
    throw new Error('the meter is asked all the time');
  }

  /** Creates or changes a unit for a meter; sleep mode and all. */
  configure(unitId: string, meter: SimulatedMeter, more: object = {}): Promise<Answer> {
    return this.put(`/${unitId}/config`, { ...configOf(meter), ...more });
  }

  /** Imports rows of levels: start, seconds, and the columns. `to`: the unit, with a query where they are of another channel. */
  async bring(rows: readonly string[], columns = 'leq,lmax', to = 'sim-1'): Promise<Answer> {
    const [unit, query = ''] = to.split('?');
    const path = `/${unit}/history/import?${query}`;
    const raw = [`start,duration_s,${columns}`, ...rows].join('\n');
    const answer = await this.ask('POST', path, { raw, headers: { 'Content-Type': 'text/csv' } });
    if (answer.status !== 202) throw new Error(`the import answered ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  }

  /** A key that the gateway knows of when this is done. */
  async key(words: Parameters<typeof makeKey>[1]): Promise<MadeKey> {
    const made = await makeKey(join(this.dataDir, 'data'), words, this.clock);
    await this.pass(1_100);
    return made;
  }

  /** Switches the meter's FTP server on, and waits until it is up. */
  async ftpOn(): Promise<Answer> {
    const answer = await this.post('/sim-1/ftp/enable');
    await this.pass(Math.max(2_000, PROFILE.ftp_start_delay_ms + 500));
    return answer;
  }

  /** Turns a knob at the device itself, and waits until it shows. */
  async set(...[setting, value]: Parameters<SimulatedMeter['set']>): Promise<void> {
    this.meter.set(setting, value);
    await this.pass(PROFILE.start_visible_ms);
  }

  /** Opens a WebSocket; resolves when it is open, or refused. */
  watch(path: string, options: { readonly paused?: boolean } = {}): Promise<Watched> {
    const url = `${this.base.replace('http', 'ws')}${path}`;
    const check = (message: unknown) => this.#checkMessage(new URL(url).pathname, message);
    return this.passing(open(url, options.paused ?? false, check));
  }

  /** The same outside of the documented API: no message is held against the document. */
  watchAt(url: string): Promise<Watched> {
    return this.passing(open(url, false, () => {}));
  }

  /** Holds answers against the document from now on. Worlds of the same plugins have the same one. */
  async learn(plugins: string): Promise<void> {
    const known = checks.get(plugins);
    const document = known ? undefined : (await this.get('/openapi.json')).body;
    const { pathname } = new URL(this.base);
    const [check, checkMessage] = known ?? [answerCheck(document, pathname), messageCheck(document, pathname)];
    checks.set(plugins, [check, checkMessage]);
    this.#check = check;
    this.#checkMessage = checkMessage;
  }
}

const checks = new Map<string, readonly [AnswerCheck, MessageCheck]>();

export const configOf = (meter: SimulatedMeter) => ({
  host: meter.host,
  tcp_port: meter.tcpPort,
  ftp_port: meter.ftpPort,
  ftp_enabled: true,
  // A test that is not about polling decides itself when its meter is talked to.
  poll_enabled: false,
  history: 'off',
  ...CREDENTIALS,
});

/** Starts a world and ends it with the test. Its meters begin with an empty log and a rested line. */
export async function openWorld(t: Test, options: WorldOptions = {}): Promise<World> {
  const clock = new VirtualClock();
  const dataDir = await mkdtemp(join(tmpdir(), 'slm-'));
  const database_url = await (options.settings?.secret_key === undefined ? copyEmptyData(dataDir, t) : noData(t));
  const meters = await startMeters(clock, options);
  const log: string[] = [];
  const settings = {
    port: 0,
    allow_loopback_meters: true,
    database_url,
    ...placesIn(dataDir),
    ...options.settings,
  };
  const start = () =>
    startGateway(settings, {
      clock,
      ...(options.families && { families: options.families }),
      log: createLog('debug', { write: (line: string) => void log.push(line) }),
    });
  const world = new World({ clock, meters, log, dataDir, databaseUrl: database_url, gateway: await start(), start });
  t.teardown(async () => {
    await world.passing(world.gateway.stop());
    await world.passing(Promise.all(meters.map((meter) => meter.stop())));
    rmSync(dataDir, { recursive: true, force: true });
  });
  await world.learn(JSON.stringify([options.settings?.plugins, options.settings?.base_path]));
  // All at once: one after the other they would take as much of the clock as there are meters.
  const configs = meters.map((meter, index) =>
    world.asked('PUT', `/sim-${index + 1}/config`, { json: configOf(meter) }),
  );
  await world.passing(Promise.all(configs));
  await world.pass(1_000);
  for (const meter of meters) meter.log.clear();
  return world;
}

async function startMeters(clock: VirtualClock, options: WorldOptions): Promise<SimulatedMeter[]> {
  const meters: SimulatedMeter[] = [];
  for (let number = 1; number <= (options.meters ?? 1); number++) {
    meters.push(
      await startMeter({
        clock,
        profile: { ...PROFILE, ...options.quirks },
        soundStepMs: 100,
        seed: number,
      }),
    );
  }
  return meters;
}

/** The text of an error is a sentence: it begins with a capital letter and ends with a full stop. */
function requireSentence(what: string, detail: unknown): void {
  if (typeof detail !== 'string' || !/^[A-Z].*\.$/s.test(detail)) throw new Error(`${what} says: ${detail}`);
}

function requestOf({ json, raw, headers }: Ask): Omit<Sent, 'method'> {
  if (json === undefined && raw === undefined) return { headers: { ...headers } };
  return { body: raw ?? JSON.stringify(json), headers: { 'Content-Type': 'application/json', ...headers } };
}

/** A WebSocket client and all it has seen. */
export interface Watched {
  readonly messages: Json[];
  /** Messages that hold a frame. */
  readonly frames: Json[];
  /** Undefined while it is open. */
  readonly closed: { readonly code: number; readonly reason: string } | undefined;
  /** The HTTP answer, where the upgrade was refused. */
  readonly refused: { readonly status: number; readonly body: Json } | undefined;
  readonly socket: WebSocket;
}

function open(url: string, paused: boolean, check: (message: unknown) => void): Promise<Watched> {
  const socket = new WebSocket(url);
  const seen = { messages: [], frames: [], closed: undefined, refused: undefined, socket } as Mutable<Watched>;
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    check(message);
    seen.messages.push(message);
    if ('counter' in message) seen.frames.push(message);
  });
  socket.on('close', (code, reason) => {
    seen.closed = { code, reason: String(reason) };
  });
  socket.on('error', () => {});
  return new Promise((resolve) => {
    socket.once('open', () => {
      if (paused) socket.pause();
      resolve(seen);
    });
    socket.once('unexpected-response', (_request, response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        seen.refused = { status: response.statusCode ?? 0, body: JSON.parse(String(Buffer.concat(chunks))) };
        resolve(seen);
      });
    });
  });
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
