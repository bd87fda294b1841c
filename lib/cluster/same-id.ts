/** Whether another process runs under the id of this one, as on a copied computer. */
import type { MemberRow } from './contract.ts';

/** What has happened, and what to do. */
export const REPLACED =
  'another process has joined under the id of this instance, so this one stops. If the computer was copied, stop one of the two, or give the copy another name and remove instance.json from its data folder';

/**
 * A beat under `epoch` was refused while the lease was valid; `row`: of this id, as the store has it now. A row that is closed, older or missing says that it was taken over or removed, or that the store has gone
 * back in time. A later epoch without a beat may be a joining that came late, of this process or of one that is over: nobody beats under it.
 */
export const isOfAnotherProcess = (row: MemberRow | undefined, epoch: number): boolean =>
  row?.open === true && row.epoch > epoch && row.beat > 0;
