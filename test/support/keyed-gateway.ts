/** A gateway with keys and two units that reach no meter, and callers of every kind: for tests of who gets in. */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import { type Gateway, startGateway } from '../../lib/app/gateway.ts';
import { createLog } from '../../lib/log.ts';
import type { Settings } from '../../lib/settings/index.ts';
import type { DeviceConfig } from '../../lib/store/contract.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { deviceConfig } from './config.ts';
import { copyEmptyData, placesIn } from './empty-data.ts';
import { type MadeKey, makeKey, nameDatabase } from './keys.ts';
import { type Sent, send } from './send.ts';
import type { Answer, Json } from './world.ts';

export class KeyedGateway {
  readonly clock: VirtualClock;
  readonly dataDir: string;
  gateway: Gateway;
  /** Lines of the log. */
  readonly log: readonly string[];
  readonly #start: (port: number) => Promise<Gateway>;

  constructor(parts: {
    clock: VirtualClock;
    dataDir: string;
    gateway: Gateway;
    log: readonly string[];
    start: (port: number) => Promise<Gateway>;
  }) {
    this.clock = parts.clock;
    this.dataDir = parts.dataDir;
    this.gateway = parts.gateway;
    this.log = parts.log;
    this.#start = parts.start;
  }

  /** The next gateway has the same data and the same port. */
  async restart(): Promise<void> {
    const { port } = this.gateway;
    await this.clock.until(this.gateway.stop());
    this.gateway = await this.#start(port);
  }

  /** A key that the gateway knows of when this is done. */
  async key(words: Parameters<typeof makeKey>[1]): Promise<MadeKey> {
    const made = await makeKey(this.dataDir, words, this.clock);
    await this.clock.advance(1_000);
    return made;
  }

  async ask(method: string, path: string, more: Omit<Sent, 'method'> = {}): Promise<Answer> {
    const { json: body, ...reply } = await send(new URL(`${this.gateway.baseUrl}${path}`), { method, ...more });
    return { ...reply, body };
  }

  put = (path: string, json: object, headers: Readonly<Record<string, string>>) =>
    this.ask('PUT', path, { body: JSON.stringify(json), headers: { 'Content-Type': 'application/json', ...headers } });

  post = (path: string, json: object, headers: Readonly<Record<string, string>>) =>
    this.ask('POST', path, { body: JSON.stringify(json), headers: { 'Content-Type': 'application/json', ...headers } });

  /** The status of the handshake, 101 for one that was let in, and the body of a refusal. */
  upgrade(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Upgraded> {
    return handshake(`${this.gateway.baseUrl.replace('http', 'ws')}${path}`, headers);
  }
}

export interface Upgraded {
  readonly status: number;
  readonly body: Json;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly socket: WebSocket;
}

export function handshake(address: string, headers: Readonly<Record<string, string>>): Promise<Upgraded> {
  const socket = new WebSocket(address, { headers });
  socket.on('error', () => {});
  return new Promise((resolve) => {
    socket.once('open', () => resolve({ status: 101, body: undefined, headers: {}, socket }));
    socket.once('unexpected-response', async (_request, response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      const body = text === '' ? undefined : JSON.parse(text);
      resolve({ status: response.statusCode ?? 0, body, headers: response.headers, socket });
    });
  });
}

const unit = (unitId: string): DeviceConfig => deviceConfig({ unitId, tcpEnabled: false });

/** Units `roof` and `cellar`; `prepare` may put keys in place before the gateway starts. */
export async function openKeyedGateway(
  t: Test,
  settings: Partial<Settings> = {},
  prepare: (dataDir: string, clock: VirtualClock) => Promise<unknown> = async () => {},
  parent = tmpdir(),
): Promise<KeyedGateway> {
  const folder = await mkdtemp(join(parent, 'slm-keyed-'));
  const clock = new VirtualClock();
  const places = placesIn(folder);
  const dataDir = places.data_dir;
  const database_url = await copyEmptyData(folder, t);
  nameDatabase(dataDir, database_url);
  await prepare(dataDir, clock);
  const log: string[] = [];
  const start = (port: number) =>
    startGateway(
      { database_url, ...places, ...settings, port },
      { clock, log: createLog('debug', { write: (line: string) => void log.push(line) }) },
    );
  const gateway = await start(settings.port ?? 0);
  const keyed = new KeyedGateway({ clock, dataDir, gateway, log, start });
  t.teardown(async () => {
    await clock.until(keyed.gateway.stop());
    rmSync(folder, { recursive: true, force: true });
  });
  for (const name of ['roof', 'cellar']) await gateway.store.configs.change(name, () => unit(name));
  return keyed;
}
