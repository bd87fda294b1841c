/** The same against Mosquitto, where it is installed: TLS both ways, a user with a password, retained messages, the last will. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import mqtt, { type MqttClient } from 'mqtt';
import t, { type Test } from 'tap';
import { systemClock } from '../../lib/clock.ts';
import { createLog } from '../../lib/log.ts';
import { settingsOf } from '../../lib/plugin/settings.ts';
import { Broker } from '../../plugins/mqtt/broker.ts';
import { OutgoingQueue } from '../../plugins/mqtt/outgoing-queue.ts';
import { connectionOptions, MQTT_SETTINGS, type MqttSettings } from '../../plugins/mqtt/settings.ts';
import { selfSigned } from '../support/certificate.ts';
import { openWorld } from '../support/world.ts';
import { isDiscovery } from './discovery-schema.ts';

const found = (name: string): string | undefined =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
const MOSQUITTO = found('mosquitto');
const PASSWD = found('mosquitto_passwd');
const skip = MOSQUITTO && PASSWD ? false : 'Mosquitto is not installed on this machine: this test has not run';

/** Free a moment ago: Mosquitto takes no port 0. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

const connected = (client: MqttClient) => new Promise<unknown>((resolve) => client.once('connect', resolve));

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
};

async function openMosquitto(t: Test) {
  const folder = mkdtempSync(join(tmpdir(), 'slm-mosquitto-'));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const [server, client] = [selfSigned('broker'), selfSigned('gateway')];
  const port = await freePort();
  const passwords = file('passwords', 'gateway:hunter2\n');
  execFileSync(PASSWD ?? '', ['-U', passwords]);
  const config = file(
    'mosquitto.conf',
    [
      `listener ${port} 127.0.0.1`,
      `cafile ${file('client.pem', client.cert)}`,
      `certfile ${file('server.pem', server.cert)}`,
      `keyfile ${file('server.key', server.key)}`,
      'require_certificate true',
      `password_file ${passwords}`,
      'allow_anonymous false',
      'user root',
    ].join('\n'),
  );
  const child: ChildProcess = spawn(MOSQUITTO ?? '', ['-c', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  t.teardown(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });
  const settings = settingsOf(
    { name: 'mqtt', settings: MQTT_SETTINGS, register() {} },
    {
      url: `mqtts://127.0.0.1:${port}`,
      username: 'gateway',
      password_file: file('password', 'hunter2\n'),
      ca_file: join(folder, 'server.pem'),
      cert_file: join(folder, 'client.pem'),
      key_file: file('client.key', client.key),
    },
  ) as MqttSettings;
  return { settings };
}

t.test(
  'the gateway works with Mosquitto, certificates on both sides and a password',
  { skip, timeout: 60_000 },
  async (t) => {
    const { settings } = await openMosquitto(t);
    const queue = new OutgoingQueue(1_000);
    const parts = {
      options: () => connectionOptions(settings),
      queue,
      availability: 'slm/_gateway/availability',
      greeting: () => [],
      current: () => [],
      // Mosquitto is not up at once.
      retryMinMs: 100,
      retryMaxMs: 200,
      connectTimeoutMs: 10_000,
      clock: systemClock,
      log: createLog('silent'),
    };
    for (let number = 1; number <= 200; number++) {
      queue.add({ topic: 'slm/roof/levels', payload: String(number), retain: true });
    }
    const broker = new Broker(parts);
    t.teardown(() => broker.stop());
    await until(() => queue.size === 0);

    const seen: string[] = [];
    const watcher = mqtt.connect({ ...connectionOptions(settings), clientId: 'watcher' });
    t.teardown(() => watcher.endAsync(true));
    watcher.on('message', (topic, payload, { retain }) => seen.push(`${topic} ${payload}${retain ? ' kept' : ''}`));
    await connected(watcher);
    await watcher.subscribeAsync('slm/#', { qos: 1 });
    await until(() => seen.length === 2);
    t.strictSame(seen.sort(), ['slm/_gateway/availability online kept', 'slm/roof/levels 200 kept']);

    for (let number = 201; number <= 300; number++) {
      queue.add({ topic: 'slm/roof/levels', payload: String(number), retain: true });
      broker.wake();
    }
    await until(() => seen.length === 102);
    t.strictSame(
      seen.slice(2),
      Array.from({ length: 100 }, (_, index) => `slm/roof/levels ${201 + index}`),
      'in order',
    );
    // Somebody takes its name: Mosquitto throws it out, tells the last will, and lets it in again later.
    const thief = mqtt.connect(connectionOptions(settings));
    await connected(thief);
    await until(() => seen.includes('slm/_gateway/availability offline'));
    await thief.endAsync(true);
    await until(() => seen.at(-1) === 'slm/_gateway/availability online');
    await broker.stop();
    await until(() => seen.at(-1) === 'slm/_gateway/availability offline');
    t.equal(queue.lost, 0);
  },
);

t.test(
  'when recording and commands are switched off, also by a restart, Mosquitto keeps nothing of these parts',
  { skip, timeout: 120_000 },
  async (t) => {
    const { settings } = await openMosquitto(t);
    const { url, username, password_file, ca_file, cert_file, key_file } = settings;
    const mqttSettings = {
      url,
      username,
      password_file,
      ca_file,
      cert_file,
      key_file,
      commands: true,
      command_key: 'x',
    };
    const world = await openWorld(t, { settings: { plugin_settings: { mqtt: mqttSettings } } });
    const seen: [string, string][] = [];
    const watcher = mqtt.connect({ ...connectionOptions(settings), clientId: 'watcher' });
    t.teardown(() => watcher.endAsync(true));
    watcher.on('message', (topic, payload) => seen.push([topic, String(payload)]));
    await connected(watcher);
    await watcher.subscribeAsync('#', { qos: 1 });
    const DEVICE = 'homeassistant/device/slm_-sim-1/config';
    const documents = () => seen.filter(([topic]) => topic === DEVICE).map(([, text]) => JSON.parse(text));
    const partsOf = (document: { readonly cmps: object } | undefined) => Object.keys(document?.cmps ?? {});

    await world.put('/sim-1/config', { history: 'poll' });
    await world.until('means and buttons', () => {
      const parts = partsOf(documents().at(-1));
      return parts.includes('leq_1h') && parts.includes('button_start');
    });
    await world.put('/sim-1/config', { history: 'off' });
    await world.until('no means', () => !partsOf(documents().at(-1)).includes('leq_1h'));
    t.strictSame(documents().at(-2)?.cmps.leq_1h, { p: 'sensor' });

    mqttSettings.commands = false;
    await world.restart(1_000);
    await world.until('no buttons', () => !partsOf(documents().at(-1)).includes('button_start'));
    t.strictSame(documents().at(-2)?.cmps.button_start, { p: 'button' });
    t.ok(isDiscovery(documents().at(-1)), JSON.stringify(isDiscovery.errors));

    const kept = new Map<string, string>();
    const late = mqtt.connect({ ...connectionOptions(settings), clientId: 'late' });
    t.teardown(() => late.endAsync(true));
    late.on('message', (topic, payload) => kept.set(topic, String(payload)));
    await connected(late);
    await late.subscribeAsync('#', { qos: 1 });
    await until(() => kept.has(DEVICE) && kept.has('slm/sim-1/state'));
    t.notMatch(kept.get(DEVICE), /leq_1h|button_/);
    t.notOk([...kept.keys()].some((topic) => topic.includes('leq_')));
  },
);
