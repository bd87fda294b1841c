/** Days on a clock that is moved: plain meters on a network without sockets, streams, history, level rules, cut connections. */
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../../lib/app/gateway.ts';
import type { Clock } from '../../lib/clock.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { deviceConfig } from '../../test/support/config.ts';
import { memoryTransport } from '../../test/support/memory-transport.ts';
import { held } from './held.ts';
import { plainMeter } from './plain-meter.ts';
import { pluginHost } from './probe.ts';
import { levelRule, type Soak } from './soak.ts';

const STEP_MS = 600_000;
/** Frames of all meters come at the same time, so that the clock stops once for all of them. */
const BEAT_MS = 100;

/** A clock whose timers go off at the next beat, all of one beat at once. */
function beats(clock: Clock): Clock {
  const due = new Map<number, Set<() => void>>();
  return {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    after(ms, fire) {
      const at = Math.ceil((clock.elapsed() + ms) / BEAT_MS) * BEAT_MS;
      const known = due.get(at);
      const waiting = known ?? new Set();
      const call = () => fire();
      waiting.add(call);
      if (!known) {
        due.set(at, waiting);
        clock.after(at - clock.elapsed(), () => {
          due.delete(at);
          for (const each of waiting) each();
        });
      }
      return () => waiting.delete(call);
    },
  };
}

export async function openVirtualDays(meters: number): Promise<Soak> {
  const clock = new VirtualClock();
  const network = memoryTransport();
  const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
  const gateway = await startGateway(
    {
      port: 0,
      data_dir: join(folder, 'data'),
      key_file: join(folder, 'key'),
      plugins: ['live', 'polling', 'status', 'history', 'alerts', new URL('probe.ts', import.meta.url).pathname],
    },
    { clock, transport: network.transport, log: createLog('silent') },
  );
  const units = Array.from({ length: meters }, (_, index) => ({ unitId: `unit-${index}`, port: 1_000 + index }));
  const ticking = beats(clock);
  const lines = units.map(({ port }) => plainMeter(network, { host: '192.0.2.1', port }, ticking));
  for (const { unitId, port } of units) {
    const config = deviceConfig({ unitId, tcpPort: port, pollEnabled: true, history: 'stream' });
    await gateway.store.configs.change(unitId, () => config);
    await clock.until(levelRule(gateway.baseUrl, unitId));
  }
  let frames = 0;
  const watcher = { frame: () => (frames += 1), status: () => {}, end: () => {} };
  for (const { unitId } of units) pluginHost().meter(unitId).feed.watch(watcher);
  return {
    async pass() {
      for (const line of lines) {
        await clock.advance(STEP_MS / lines.length);
        line.cut();
      }
      await clock.until(gateway.history.flush());
      return { mb: (await held()) / 2 ** 20, descriptors: readdirSync('/proc/self/fd').length, lateMs: 0 };
    },
    done: () => `${frames} frames of ${meters} meters`,
    async close() {
      await clock.until(gateway.stop());
      await rm(folder, { recursive: true, force: true });
    },
  };
}
