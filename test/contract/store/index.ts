/** Promises of every store (`lib/store/contract.ts`), run on each database. */
import type { Test } from 'tap';
import type { folder } from '../../store/setup.ts';
import { configContract } from './configs.ts';
import { secretContract } from './secrets.ts';
import { snapshotContract } from './snapshots.ts';
import { tableContract } from './tables.ts';

/** Where one test keeps its data: `open` opens the same store again. */
export type Place = Pick<ReturnType<typeof folder>, 'clock' | 'lines' | 'log' | 'open'>;
export type PlaceOf = (t: Test) => Place;

export function storeContract(t: Test, place: PlaceOf): void {
  configContract(t, place);
  snapshotContract(t, place);
  tableContract(t, place);
  secretContract(t, place);
}
