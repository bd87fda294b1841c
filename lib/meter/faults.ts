/** Outcomes of a command, and error texts for callers when it fails: one sentence with operation, place and reason. */
import { inSeconds } from '../domain/figures.ts';
import type { MeterReply, Named, Refusal } from '../drivers/wire/contract.ts';
import { type ErrorCode, GatewayError, messageOf } from '../errors.ts';
import { type Address, DialError, type Ending, endpointOf } from '../transport/contract.ts';
import type { DeviceState, Reachability } from './contract.ts';

export type CommandOutcome =
  | MeterReply
  /** No first byte in time (`FIRST_BYTE`), or not the rest of the reply. */
  | { readonly kind: 'silent'; readonly stage: string; readonly ms: number }
  | Ended
  /** More lines arrived than a reply has: the right answer is unknown. */
  | { readonly kind: 'doubtful' };

/** The connection ended. `heard`: bytes had arrived since the command was sent. */
export interface Ended {
  readonly kind: 'ended';
  readonly ending: Ending;
  readonly heard: boolean;
}

type ConnectionFault = Exclude<CommandOutcome, { kind: 'done' | 'refused' }>;

export class Faults {
  readonly #unitId: string;
  readonly #endpoint: string;
  readonly #meter: string;

  constructor(unitId: string, address: Address) {
    this.#unitId = unitId;
    this.#endpoint = endpointOf(address);
    this.#meter = `meter ${unitId} at ${this.#endpoint}`;
  }

  refused(text: string, { result, code, why }: Refusal, present: DeviceState): GatewayError {
    const state = code === 'DEVICE_WRONG_STATE' ? stateOf(present) : '';
    return new GatewayError(code, `The meter ${this.#unitId} refused "${text}": ${why} (${result}${state}).`);
  }

  broken({ text, kind }: Named, fault: ConnectionFault): GatewayError {
    const isSetting = kind === 'setting';
    const unsure = isSetting ? ` ${UNKNOWN_OUTCOME}` : '';
    if (fault.kind === 'silent') {
      return this.#it('DEVICE_TIMEOUT', `gave no ${fault.stage} to "${text}" within ${inSeconds(fault.ms)}.${unsure}`);
    }
    // Its text may be the greeting of any service at this address: it is for the log and for admins.
    if (fault.kind === 'garbled') {
      return this.#it('DEVICE_GARBLED', `answered "${text}" with something that is not a reply of a meter.${unsure}`);
    }
    if (fault.kind === 'doubtful') {
      const what = `More than one reply came from the ${this.#meter} to "${text}".${unsure}`;
      return new GatewayError(isSetting ? 'OUTCOME_UNKNOWN' : 'DEVICE_GARBLED', what);
    }
    const lost = `The connection to the ${this.#meter} was lost (${fault.ending.reason})`;
    return isSetting
      ? new GatewayError('OUTCOME_UNKNOWN', `${lost} after "${text}" was sent.${unsure}`)
      : new GatewayError('DEVICE_UNREACHABLE', `${lost} before the reply to "${text}" was complete.`);
  }

  undecodable(text: string, cause: unknown): GatewayError {
    const what = `answered "${text}" with something that cannot be read (${messageOf(cause)}).`;
    return this.#it('DEVICE_GARBLED', what, cause);
  }

  /** For callers who waited while another command found that the meter does not answer. */
  notSentEither(found: GatewayError): GatewayError {
    const code = found.code === 'OUTCOME_UNKNOWN' ? 'DEVICE_UNREACHABLE' : found.code;
    return this.#it(code, 'does not answer, as the command before showed; this command was not sent.', found);
  }

  /** For callers who will not wait until the next attempt. */
  unreachableStill({ lastError }: Reachability, ms: number): GatewayError {
    const code = lastError?.code === 'DEVICE_WEDGED' ? 'DEVICE_WEDGED' : 'DEVICE_UNREACHABLE';
    const why = lastError ? ` The last try: ${lastError.detail}` : '';
    return this.#it(code, `does not answer; it is tried again in ${Math.ceil(ms / 1_000)} s.${why}`);
  }

  noConnectionInTime(ms: number): GatewayError {
    return new GatewayError('DEVICE_TIMEOUT', `No connection to the ${this.#meter} within ${inSeconds(ms)} (connect).`);
  }

  wedged(ftpPort: number, cause: unknown): GatewayError {
    const what = `The control port ${this.#endpoint} of the meter ${this.#unitId} refuses while its FTP port ${ftpPort} accepts.`;
    const cure = 'Power-cycle the meter, unless TCP was switched off in its menu; restarting the modem does not help.';
    return new GatewayError('DEVICE_WEDGED', `${what} ${cure}`, { cause });
  }

  unreachable(cause: unknown): GatewayError {
    const what = `There is no connection to the meter ${this.#unitId}: ${messageOf(cause)}.`;
    return new GatewayError('DEVICE_UNREACHABLE', what, { cause });
  }

  #it(code: ErrorCode, does: string, cause?: unknown): GatewayError {
    return new GatewayError(code, `The ${this.#meter} ${does}`, { cause });
  }
}

/** A setting that was held back, because its connection could not be proved alive. */
export const notProved = (text: string, found: GatewayError): GatewayError =>
  new GatewayError(found.code, `${found.message} "${text}" was therefore not sent.`, { cause: found });

/** DEVICE_UNREACHABLE: the config names another meter now. */
export const meterReplaced = (unitId: string): GatewayError =>
  new GatewayError('DEVICE_UNREACHABLE', `The address or the family of the unit ${unitId} was changed; ask again.`);

/** TCP_DISABLED: the config says so. */
export const tcpDisabled = (unitId: string): GatewayError =>
  new GatewayError(
    'TCP_DISABLED',
    `TCP is switched off in the config of the unit ${unitId}; set tcp_enabled to use it.`,
  );

export const nobodyWaits = (text: string): GatewayError =>
  new GatewayError('QUEUE_TIMEOUT', `All callers of "${text}" have left; it was not sent.`);

/** The port refused at once: the DialError itself, or an error of ours because of it. */
export const isRefused = (error: unknown): boolean =>
  error instanceof DialError ? error.fault === 'refused' : error instanceof GatewayError && isRefused(error.cause);

const UNKNOWN_OUTCOME = 'Whether it took effect is not known; it is not sent again.';

function stateOf({ measuring, paused }: DeviceState): string {
  if (measuring === null) return '';
  return `, last seen ${paused ? 'paused' : measuring ? 'measuring' : 'stopped'}`;
}
