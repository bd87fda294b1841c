/**
 * Ends the process when its main thread stops working for longer than its lease. The thread itself could not: it checks
 * nothing, and the process keeps its connections to the meters.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../../clock.ts';
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { ROOT } from '../../root.ts';

/** Watches the main thread. */
export interface Watchdog {
  /**
   * The process ends at this time unless another call comes before.
   * @param end By `Clock.elapsed` of the computer, ms. Undefined: no lease can be lost.
   */
  until(end: number | undefined): void;
  /** Watches no more. */
  close(): Promise<void>;
}

/** The thread holds next to nothing. */
const YOUNG_MB = 1;
const NS_A_MS = 1_000_000;
const FILE = new URL(`lib/cluster/watchdog/thread${extname(import.meta.url)}`, ROOT);

/** Starts the thread. */
export function startWatchdog(log: Log): Watchdog {
  // Both threads read one clock of the process. If this thread pauses between the two readings, ends come early.
  const begin = Number(process.hrtime.bigint()) / NS_A_MS;
  const offset = begin - systemClock.elapsed();
  const shared = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  const ends = new Float64Array(shared);
  const worker = new Worker(FILE, {
    workerData: shared,
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  worker.unref();
  worker.on('error', (error) =>
    log.error(
      { reason: messageOf(error) },
      'the watchdog has ended: a process that stops working is not ended in time',
    ),
  );
  return {
    until(end) {
      ends[0] = end === undefined ? 0 : end + offset;
    },
    close: async () => void (await worker.terminate()),
  };
}
