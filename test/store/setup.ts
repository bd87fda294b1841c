/** For one test: a folder, a log that can be read, a clock that the test moves, and a first config. */
import { join } from 'node:path';
import type { Test } from 'tap';
import { createLog } from '../../lib/log.ts';
import type { DeviceConfig } from '../../lib/store/contract.ts';
import { openStore, type StoreOptions } from '../../lib/store/index.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { deviceConfig } from '../support/config.ts';

export const CANARY_USER = 'canary-user-7f3a';
export const CANARY_PASSWORD = 'canary-password-91bc';

export const config = (unitId: string, over: Partial<DeviceConfig> = {}): DeviceConfig =>
  deviceConfig({
    unitId,
    host: '192.0.2.7',
    ftpEnabled: true,
    ftpUsername: CANARY_USER,
    ftpPassword: CANARY_PASSWORD,
    ...over,
  });

/** `name`: of a second place in the same test. */
export function folder(t: Test, name?: string) {
  const home = name === undefined ? t.testdir() : join(t.testdirName, name);
  const dataDir = join(home, 'data');
  const keyFile = join(home, 'keys', 'gateway.key');
  const clock = new VirtualClock();
  const lines: string[] = [];
  const log = createLog('debug', { write: (line: string) => lines.push(line) });
  const open = async (over: Partial<StoreOptions> = {}) => {
    const store = await openStore({ dataDir, keyFile, timezone: () => 'Europe/Berlin', clock, log, ...over });
    t.teardown(() => store.close());
    return store;
  };
  return { home, dataDir, keyFile, clock, lines, log, open, database: join(dataDir, 'gateway.db') };
}

/** Lets real work (the database) go on until `holds`; the test's own time limit is the deadline. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
