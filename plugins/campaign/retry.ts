/** Without a person at the meter, a step that cannot reach the meter is tried again for a limited time. */
import type { JobRun } from '../../lib/built-in.ts';
import { type ErrorCode, type GatewayError, isGatewayError, iso, sleep } from '../../lib/index.ts';

/** Errors that may be over in a minute. A refusal of the meter is an answer and no reason to ask again. */
const PASSING: readonly ErrorCode[] = [
  'DEVICE_UNREACHABLE',
  'DEVICE_WEDGED',
  'DEVICE_TIMEOUT',
  'DEVICE_BUSY',
  'DEVICE_GARBLED',
  'QUEUE_TIMEOUT',
  'OUTCOME_UNKNOWN',
  'FTP_FAILED',
  'FTP_DATA_CONNECTION',
];
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

const isPassing = (error: unknown): error is GatewayError => isGatewayError(error, ...PASSING);

/** Does `work`, and after a failure again with growing pauses, for a limited time. `work` must itself find out what is already done. */
export async function persistently<T>(
  { clock, signal, say, log }: Pick<JobRun, 'clock' | 'signal' | 'say' | 'log'>,
  forMs: number,
  work: () => Promise<T>,
): Promise<T> {
  let until: number | undefined;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      until ??= clock.elapsed() + forMs;
      const left = until - clock.elapsed();
      if (left <= 0) throw error;
      log.info({ code: error.code, reason: error.message }, 'a step of a job is tried again');
      say(`${error.message} It is tried again until ${iso(Math.round(clock.now() + left))}.`);
      await sleep(clock, Math.min(pause, left), signal);
    }
  }
}
