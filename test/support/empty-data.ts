/** The data of a gateway that has run once and knows no unit, with its key. To copy it takes a tenth of what making its tables takes. */
import { cpSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../../lib/app/gateway.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';

export const placesIn = (folder: string) => ({ data_dir: join(folder, 'data'), key_file: join(folder, 'key') });

let emptyData: Promise<string> | undefined;

/** Into the places of this folder. */
export async function copyEmptyData(folder: string): Promise<void> {
  emptyData ??= makeEmptyData();
  // A third of the work of the same by promises.
  cpSync(await emptyData, folder, { recursive: true });
}

async function makeEmptyData(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slm-empty-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const clock = new VirtualClock();
  const gateway = await startGateway({ port: 0, ...placesIn(folder) }, { clock, log: createLog('silent') });
  await clock.until(gateway.stop(), { stepMs: 100 });
  return folder;
}
