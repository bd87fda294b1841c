/** Whether another process has joined under the id of this one, as on a copied computer. */
import type { ClusterRequest, MemberRow } from './contract.ts';

/** What has happened, and what to do. */
export const REPLACED =
  'another process has joined under the id of this instance, so this one stops. If the computer was copied, stop one of the two, or give the copy another name and remove instance.json from its data folder';

/** Of one process. */
export class SameId {
  /** Joinings of its own that may still arrive: each raises the epoch once, at most. */
  #late = 0;

  /** Nobody waits for the answer any more. */
  gaveUp({ kind }: ClusterRequest): void {
    if (kind === 'join') this.#late += 1;
  }

  /**
   * A beat under `epoch` was refused while the lease was valid; `row`: of this id, as the store has it now. A row that is closed, older or missing says that it was taken over or removed, or
   * that the store has gone back in time.
   */
  isOther(row: MemberRow | undefined, epoch: number): boolean {
    if (!row?.open || row.epoch <= epoch) return false;
    if (this.#late === 0) return true;
    this.#late -= 1;
    return false;
  }
}
