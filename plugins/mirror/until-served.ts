/** Several instances share the meters: one that is lost leaves its meters without a session for a minute, and a copy of the card goes on then. */
import { isGatewayError, type JobRun, sleep } from '../../lib/index.ts';

/** After so long another instance has the meter, or none will soon, ms. */
const SERVED_MS = 180_000;
const AGAIN_MS = 5_000;

/** Does `work` again while no instance serves the meter. `work` must find out itself what was done already. Errors: its own. */
export async function untilServed<T>(
  { clock, signal, log }: Pick<JobRun, 'clock' | 'signal' | 'log'>,
  work: () => Promise<T>,
): Promise<T> {
  for (const until = clock.elapsed() + SERVED_MS; ; ) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isGatewayError(error, 'OWNER_CHANGING') || clock.elapsed() >= until) throw error;
      log.info({ reason: error.message }, 'a step of the mirror is tried again');
      await sleep(clock, AGAIN_MS, signal);
    }
  }
}
