/** Opens the control connection of a meter, and finds out what a failure means. Keeps nothing. */
import { type Clock, within } from '../clock.ts';
import { isGatewayError } from '../errors.ts';
import { type Address, type Connection, DialError, type Transport } from '../transport/contract.ts';
import { endpointOf, noConnectionInTime, unreachable, wedged } from './faults.ts';

export interface Dialling {
  readonly unitId: string;
  readonly address: Address;
  readonly ftpPort: number;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly probeTimeoutMs: number;
}

/** Errors: DEVICE_UNREACHABLE, DEVICE_WEDGED, DEVICE_TIMEOUT, ADDRESS_REFUSED; the signal's reason when it aborts first. */
export async function dial(dialling: Dialling, signal: AbortSignal): Promise<Connection> {
  const { unitId, address, transport, clock, connectTimeoutMs } = dialling;
  const peer = endpointOf(address);
  const late = () => noConnectionInTime(unitId, peer, connectTimeoutMs);
  try {
    return await within(clock, connectTimeoutMs, late, (limit) => transport.dial(address, limit), signal);
  } catch (error) {
    if (signal.aborted || isGatewayError(error)) throw error;
    if (error instanceof DialError && error.fault === 'refused' && (await ftpAnswers(dialling, signal))) {
      throw wedged(unitId, peer, dialling.ftpPort);
    }
    throw unreachable(unitId, peer, error);
  }
}

/**
 * A meter whose control port refuses while its FTP port accepts has lost its listener: only power brings it back (field
 * report). A dead link or a meter that is off refuses neither or both.
 */
async function ftpAnswers(dialling: Dialling, signal: AbortSignal): Promise<boolean> {
  const { address, ftpPort, transport, clock, probeTimeoutMs } = dialling;
  const ftp = { host: address.host, port: ftpPort };
  const late = () => new Error('no answer');
  try {
    const connection = await within(clock, probeTimeoutMs, late, (limit) => transport.dial(ftp, limit), signal);
    connection.close('probed');
    return true;
  } catch {
    return false;
  }
}
