/** Removes an instance that is gone for good, so that nobody waits for it or is told of it any more (`GET /_cluster`). */
import { type Clock, within } from '../clock.ts';
import type { SharedClusterStore } from '../cluster/contract.ts';
import type { MemberLoop } from '../cluster/member-loop.ts';
import { GatewayError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';

/** What it needs. */
export interface RemovalParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: SharedClusterStore;
  readonly loop: MemberLoop;
}

/** The database has so long, ms. */
const REMOVE_MS = 5_000;

/** As `InstanceSeat.remove`. */
export function removesInstances({ clock, log, store, loop }: RemovalParts): (id: string) => Promise<boolean> {
  return async (id) => {
    const row = loop.view.members.find((member) => member.id === id);
    if (!row) return false;
    const late = () => new Error(`no answer within ${REMOVE_MS} ms`);
    const isRemoved = await within(clock, REMOVE_MS, late, (signal) => store.remove(row, signal)).catch((error) => {
      log.warn({ instance: row.name, reason: messageOf(error) }, 'an instance could not be removed');
      throw new GatewayError('STORAGE_FAILED', 'The database did not answer: ask again to be sure.');
    });
    if (!isRemoved) return false;
    log.info({ instance: row.name, id }, 'an instance was removed');
    // Whoever asks next sees it.
    loop.hurry();
    const isGone = () => !loop.view.members.some((member) => member.id === id && member.epoch === row.epoch);
    await within(clock, REMOVE_MS, late, (signal) => loop.until(isGone, signal)).catch(() => {});
    return true;
  };
}
