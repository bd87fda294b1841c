/** `npm run keys -- evidence rotate`: another signing key, while no gateway runs on the data folder. */
import { join } from 'node:path';
import { openJournal } from '../audit/journal.ts';
import { systemClock } from '../clock.ts';
import { createLog } from '../log.ts';
import type { Settings } from '../settings/index.ts';
import { openSigningKeys } from '../signing/keys.ts';
import { openStore } from '../store/index.ts';
import { auditLimits, storeSettings } from './wiring.ts';

/** Lines for people. Throws StoreError, also while a gateway runs. */
export async function rotateSigningKey(settings: Settings): Promise<readonly string[]> {
  const about = { clock: systemClock, log: createLog('silent') };
  const store = await openStore({ ...storeSettings(settings), ...about });
  try {
    const audit = await openJournal({ folder: join(settings.data_dir, 'audit'), ...auditLimits(settings), ...about });
    try {
      const keys = await openSigningKeys(store, audit, systemClock);
      const before = keys.fingerprint;
      const { fingerprint } = await keys.rotate();
      return [
        `Packages of evidence are signed by this key from now on: ${fingerprint}`,
        ...(before === null ? [] : [`It replaces ${before}. Packages that this one signed stay good.`]),
        'Tell the new fingerprint to everybody who checks packages.',
      ];
    } finally {
      await audit.close();
    }
  } finally {
    await store.close();
  }
}
