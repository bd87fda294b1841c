/** Reads of each unit about once a day, in the background, one unit after the other. An hour after a failure it is tried again. */
import { type Host, messageOf, sleep } from '../../lib/index.ts';

const LOOK_MS = 60_000;
const AGAIN_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Whether the time of a reading (ms since 1970 UTC) is a day old. A future time was stored while the wall clock was ahead. */
export const isDayOld = (at: number, now: number): boolean => Math.abs(now - at) >= DAY_MS;

interface DailyReading {
  /** Before the first look, ms. */
  readonly firstMs: number;
  units(): readonly string[];
  /** Finds out what is due, and reads it. */
  read(unitId: string): Promise<void>;
  /** For the log: `the clock could not be read`. */
  readonly failure: string;
}

/** Ends with the plugin. */
export async function readDaily(host: Host, { firstMs, units, read, failure }: DailyReading): Promise<void> {
  const { clock, signal, log } = host;
  /** By the monotonic clock. */
  const notBefore = new Map<string, number>();
  host.on('removal', ({ unitId }) => notBefore.delete(unitId));
  for (let waitMs = firstMs; !signal.aborted; waitMs = LOOK_MS) {
    await sleep(clock, waitMs, signal).catch(() => {});
    for (const unitId of units()) {
      if (signal.aborted) return;
      if (clock.elapsed() < (notBefore.get(unitId) ?? 0)) continue;
      await read(unitId).catch((error: unknown) => {
        notBefore.set(unitId, clock.elapsed() + AGAIN_MS);
        const entry = { unit_id: unitId, reason: messageOf(error) };
        if (!signal.aborted) log.info(entry, `${failure}; the next try is in an hour`);
      });
    }
  }
}
