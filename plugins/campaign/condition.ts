/** The state in which a cancelled or failed job leaves the meter: one or two sentences for people. */
import { GatewayError, type Host, messageOf, within } from '../../lib/index.ts';

/** A person waits for the end of a cancelled job. */
const ASKED_MS = 20_000;

/** Asks the meter whether it measures. Never rejects. */
export async function measuringState(host: Host, unitId: string): Promise<string> {
  try {
    const measuring = await afterwards(host, (signal) => host.meter(unitId).perform('measuring', { signal }));
    return measuring ? 'The meter measures.' : 'The meter does not measure.';
  } catch (error) {
    return `It is not known whether the meter measures: ${messageOf(error)}`;
  }
}

/** For work that must still be done after the job's own signal has aborted. */
export function afterwards<T>(host: Host, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = () => new GatewayError('DEVICE_TIMEOUT', `The meter did not answer within ${ASKED_MS / 1_000} s.`);
  return within(host.clock, ASKED_MS, late, work, host.signal);
}
