/** A gateway on the time of this computer: streams of simulated meters with faults in turn, viewers, level rules, the mirror. */
import { fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';
import { held } from './held.ts';
import { openSetting, pause } from './index.ts';
import { levelRule, type Soak, sent } from './soak.ts';

const FAULTS = [
  'reset-mid-reply',
  'stall',
  'frames-lost',
  'no-reply',
  'garbled',
  'half-close',
  'refused',
  'split',
  'late-reply',
];
const FAULT_MS = 25_000;
/** A meter that failed is tried again within this time. */
const HEAL_MS = 33_000;
const PERIOD_MS = 1;
/** Meters whose card is read by the mirror. */
const MIRRORED = 5;

const [, script, base = '', units = ''] = process.argv;
if (script === fileURLToPath(import.meta.url)) viewers(base, units.split(','));

/** One viewer for each unit, which comes again when it was ended. */
function viewers(base: string, unitIds: readonly string[]): void {
  let messages = 0;
  const watch = (unitId: string) => {
    const socket = new WebSocket(`${base.replace('http', 'ws')}/${unitId}/live`);
    socket.on('message', () => {
      messages += 1;
    });
    socket.on('error', () => {});
    socket.on('close', () => setTimeout(watch, 1_000, unitId));
  };
  for (const unitId of unitIds) watch(unitId);
  process.on('message', () => process.send?.(messages));
  process.on('disconnect', () => process.exit());
}

export async function openRealDays(meters: number): Promise<Soak> {
  const setting = await openSetting({
    meters,
    settings: {
      plugins: [
        ...[
          'config',
          'status',
          'live',
          'polling',
          'session',
          'measurement',
          'device-info',
          'ftp',
          'history',
          'alerts',
          'mirror',
        ],
        fileURLToPath(new URL('probe.ts', import.meta.url)),
      ],
    },
    config: () => ({ pollEnabled: true, history: 'stream' }),
  });
  const { gateway } = setting;
  const unitIds = gateway.store.configs.list().map(({ unitId }) => unitId);
  for (const unitId of unitIds) await levelRule(gateway.baseUrl, unitId);
  const mirrored = unitIds.slice(0, MIRRORED);
  for (const unitId of mirrored) {
    await setting.control(unitId, 'PUT', 'values', { FTP: 'On' });
    await setting.control(unitId, 'POST', 'card/exchange', { serial: '00999999', index: 2 });
    await sent(gateway.baseUrl, 'PUT', `/${unitId}/config`, { mirror: { paths: ['/NL-43'] } });
  }
  const child = fork(fileURLToPath(import.meta.url), [gateway.baseUrl, unitIds.join()]);
  const seen = () =>
    new Promise<number>((resolve) => child.once('message', (count) => resolve(Number(count))) && child.send('count'));
  let minute = 0;
  let mirrors = 0;
  let told = 0;
  return {
    async pass() {
      const delay = monitorEventLoopDelay({ resolution: PERIOD_MS });
      delay.enable();
      // The mirrored meters are left alone, so that each minute one run of the mirror ends.
      const faulty = unitIds[(minute % Math.max(1, meters - MIRRORED)) + Math.min(MIRRORED, meters - 1)] ?? '';
      const heal = await setting.fault(faulty, FAULTS[minute % FAULTS.length] ?? '');
      const unitId = mirrored[minute % mirrored.length] ?? '';
      await sent(gateway.baseUrl, 'POST', `/${unitId}/mirror`, {}).then(() => (mirrors += 1), console.log);
      await pause(FAULT_MS);
      await heal();
      await pause(HEAL_MS);
      delay.disable();
      minute += 1;
      told = await seen();
      const lateMs = delay.percentile(99) / 1e6 - PERIOD_MS;
      return { mb: (await held()) / 2 ** 20, descriptors: readdirSync('/proc/self/fd').length, lateMs };
    },
    done: () => `${minute} faults, ${mirrors} runs of the mirror, ${told} messages to ${unitIds.length} viewers`,
    async close() {
      child.disconnect();
      await setting.close();
    },
  };
}
