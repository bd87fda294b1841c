/**
 * A gateway in this process and simulated meters in another one, so that what is measured here is the gateway's. Real time,
 * real sockets on loopback; ended by `close`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Gateway, startGateway } from '../../lib/app/gateway.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Host } from '../../lib/index.ts';
import { createLog } from '../../lib/log.ts';
import type { Settings } from '../../lib/settings/index.ts';
import type { DeviceConfig } from '../../lib/store/contract.ts';
import type { Transport } from '../../lib/transport/contract.ts';
import { tcpTransport } from '../../lib/transport/tcp.ts';
import { deviceConfig } from '../../test/support/config.ts';
import { pluginHost } from './probe.ts';

export interface Setting {
  readonly gateway: Gateway;
  readonly host: Host;
  /** When bytes were last handed to the socket of a unit, on performance.now(). */
  sentAt(unitId: string): number;
  /** Asks the control API of the simulator for something at this meter. */
  control(unitId: string, method: 'PUT' | 'POST', path: string, body: object): Promise<void>;
  /** Switches a fault of a meter on; the function switches all of its faults off. */
  fault(unitId: string, kind: string): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

interface Options {
  readonly meters: number;
  readonly settings?: Partial<Settings>;
  readonly config?: (unitId: string) => Partial<DeviceConfig>;
}

interface Ready {
  readonly control_url: string;
  readonly meters: readonly { unit_id: string; host: string; tcp_port: number; ftp_port: number }[];
}

export async function openSetting(options: Options): Promise<Setting> {
  const { child, ready } = await startMeters(options.meters);
  const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
  const sent = new Map<number, number>();
  const gateway = await startGateway(
    {
      port: 0,
      data_dir: join(folder, 'data'),
      key_file: join(folder, 'key'),
      allow_loopback_meters: true,
      connects_per_minute: 60_000,
      plugins: [...PLUGINS, fileURLToPath(new URL('probe.ts', import.meta.url))],
      ...options.settings,
    },
    { log: createLog('error'), transport: noting(tcpTransport({ clock: systemClock, keepAliveMs: 15_000 }), sent) },
  );
  const ports = new Map(ready.meters.map((meter) => [meter.unit_id, meter.tcp_port]));
  for (const meter of ready.meters) {
    const config = { ...configOf(meter), ...options.config?.(meter.unit_id) };
    await gateway.store.configs.change(meter.unit_id, () => config);
  }
  return {
    gateway,
    host: pluginHost(),
    sentAt: (unitId) => sent.get(ports.get(unitId) ?? 0) ?? 0,
    control: (unitId, method, path, body) =>
      asked(`${ready.control_url}/meters/${unitId}/${path}`, { method, body: JSON.stringify(body) }),
    async fault(unitId, kind) {
      const faults = `${ready.control_url}/meters/${unitId}/faults`;
      await asked(faults, { method: 'POST', body: JSON.stringify({ kind }) });
      return async () => void (await asked(faults, { method: 'DELETE' }));
    },
    async close() {
      await gateway.stop();
      child.kill('SIGTERM');
      await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const PLUGINS = ['config', 'status', 'live', 'polling', 'session', 'measurement', 'device-info', 'ftp'];

export async function startMeters(count: number): Promise<{ child: ChildProcess; ready: Ready }> {
  const cli = fileURLToPath(new URL('../../simulator/cli.ts', import.meta.url));
  const flags = [
    '--meters',
    String(count),
    '--profile',
    'instant',
    '--no-gateway',
    '--control-port',
    '0',
    '--ready-json',
  ];
  const child = spawn(process.execPath, [cli, ...flags], { stdio: ['ignore', 'pipe', 'ignore'] });
  process.once('exit', () => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  const [line] = await once(lines, 'line');
  return { child, ready: JSON.parse(String(line)) };
}

/** Notes when each far port was last written to. */
function noting(transport: Transport, sent: Map<number, number>): Transport {
  return {
    async dial(address, signal) {
      const connection = await transport.dial(address, signal);
      const send = connection.send.bind(connection);
      connection.send = (bytes) => {
        sent.set(address.port, performance.now());
        send(bytes);
      };
      return connection;
    },
  };
}

const configOf = (meter: Ready['meters'][number]): DeviceConfig =>
  deviceConfig({
    unitId: meter.unit_id,
    host: meter.host,
    tcpPort: meter.tcp_port,
    ftpEnabled: true,
    ftpPort: meter.ftp_port,
    ftpUsername: 'USER',
    ftpPassword: '0000',
  });

/** Of the control port of the meters. Throws what it answers where it refuses. */
export async function asked(url: string, init: RequestInit): Promise<void> {
  const answer = await fetch(url, { ...init, headers: { 'content-type': 'application/json' } });
  if (!answer.ok) throw new Error(`${init.method} ${url}: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}

/** The value below which this part of them lies; NaN of none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
