/** Where an instance runs, and that it runs there alone. */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { SharedClusterStore } from '../cluster/contract.ts';
import type { Settings } from '../settings/index.ts';
import { StoreError } from '../store/problem.ts';

/** Computer and data folder. */
export const placeOfInstance = ({ data_dir }: Settings): string => `${hostname()} ${resolve(data_dir)}`;

/** Throws StoreError `in-use` where the data folder has the name of an instance that may still run elsewhere. */
export async function refuseCopy(
  { store, id, settings }: { readonly store: SharedClusterStore; readonly id: string; readonly settings: Settings },
  inTime: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>,
): Promise<void> {
  const members = await inTime((signal) => store.members(signal));
  const same = members.find((row) => row.id === id && row.open);
  if (!same || same.place === placeOfInstance(settings)) return;
  throw new StoreError(
    'in-use',
    `the data folder ${settings.data_dir} belongs to the instance ${same.name} on ${same.place}, which was not stopped: ` +
      'stop that one; if the folder was copied or moved here, remove instance.json from it first',
  );
}
