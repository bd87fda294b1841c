/** What a caller is told when a command fails: one sentence with operation, place and reason. Text only, no decisions. */

import type { Command, Refusal } from '../driver/contract.ts';
import { GatewayError, messageOf } from '../errors.ts';
import { type Address, DialError, type Ending } from '../transport/contract.ts';
import type { DeviceState, Reachability } from './contract.ts';
import type { Outcome } from './exchange.ts';

/** The ways in which a command fails on the connection, refusals aside. */
export type ConnectionFault = Extract<Outcome, { kind: 'silent' | 'ended' | 'garbled' }>;

/** What the text is about. */
export interface Subject {
  readonly unitId: string;
  readonly peer: string;
  readonly text: string;
  readonly kind: Command<unknown>['kind'];
}

const UNKNOWN_OUTCOME = 'Whether it took effect is not known; it is not sent again.';
export const endpointOf = ({ host, port }: Address): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

const stateOf = ({ measuring, paused }: DeviceState): string => {
  if (measuring === null) return '';
  const word = paused ? 'paused' : measuring ? 'measuring' : 'stopped';
  return `, last seen ${word}`;
};

export function refused(subject: Subject, { result, code, why }: Refusal, present: DeviceState): GatewayError {
  const state = code === 'DEVICE_WRONG_STATE' ? stateOf(present) : '';
  return new GatewayError(code, `The meter ${subject.unitId} refused "${subject.text}": ${why} (${result}${state}).`);
}

export function broken(subject: Subject, fault: ConnectionFault): GatewayError {
  if (fault.kind === 'silent') return silent(subject, fault);
  return fault.kind === 'ended' ? lost(subject, fault.ending) : garbled(subject, fault.raw);
}

const garbled = (subject: Subject, raw: string): GatewayError =>
  new GatewayError(
    'DEVICE_GARBLED',
    `The meter ${subject.unitId} at ${subject.peer} answered "${subject.text}" with ${JSON.stringify(cut(raw))}, which cannot be read.${unsure(subject)}`,
  );

export const undecodable = (subject: Subject, cause: unknown): GatewayError =>
  new GatewayError(
    'DEVICE_GARBLED',
    `The meter ${subject.unitId} at ${subject.peer} answered "${subject.text}" with something that cannot be read (${messageOf(cause)}).`,
    { cause },
  );

/** More lines came than the reply has, so it may be the reply to another command. */
export const doubtful = (subject: Subject): GatewayError => {
  const code = subject.kind === 'setting' ? 'OUTCOME_UNKNOWN' : 'DEVICE_GARBLED';
  const what = `More than one reply came from the meter ${subject.unitId} at ${subject.peer} to "${subject.text}".`;
  return new GatewayError(code, `${what}${unsure(subject)}`);
};

const unsure = ({ kind }: Subject): string => (kind === 'setting' ? ` ${UNKNOWN_OUTCOME}` : '');

function silent(subject: Subject, outcome: Outcome & { kind: 'silent' }): GatewayError {
  return new GatewayError(
    'DEVICE_TIMEOUT',
    `The meter ${subject.unitId} at ${subject.peer} gave no ${outcome.stage} to "${subject.text}" within ${outcome.ms} ms.${unsure(subject)}`,
  );
}

function lost(subject: Subject, ending: Ending): GatewayError {
  const what = `The connection to the meter ${subject.unitId} at ${subject.peer} was lost (${ending.reason})`;
  return subject.kind === 'setting'
    ? new GatewayError('OUTCOME_UNKNOWN', `${what} after "${subject.text}" was sent. ${UNKNOWN_OUTCOME}`)
    : new GatewayError('DEVICE_UNREACHABLE', `${what} before the reply to "${subject.text}" was complete.`);
}

/** For those who waited while another command found out that the meter does not answer. */
export const notSentEither = (unitId: string, peer: string, found: GatewayError): GatewayError =>
  new GatewayError(
    found.code === 'OUTCOME_UNKNOWN' ? 'DEVICE_UNREACHABLE' : found.code,
    `The meter ${unitId} at ${peer} does not answer, as the command before this one found; this one was not sent.`,
    { cause: found },
  );

/** For those who will not wait until the next try. */
export function unreachableStill(unitId: string, peer: string, { lastError }: Reachability, ms: number): GatewayError {
  const why = lastError ? ` The last try: ${lastError.detail}` : '';
  return new GatewayError(
    lastError?.code === 'DEVICE_WEDGED' ? 'DEVICE_WEDGED' : 'DEVICE_UNREACHABLE',
    `The meter ${unitId} at ${peer} does not answer; it is tried again in ${Math.ceil(ms / 1_000)} s.${why}`,
  );
}

/** A setting that was held back, because the connection to send it on could not be proved alive. */
export const notProved = (subject: Subject, found: GatewayError): GatewayError =>
  new GatewayError(found.code, `${found.message} "${subject.text}" was therefore not sent.`, { cause: found });

export const nobodyWaits = (subject: Subject): GatewayError =>
  new GatewayError('QUEUE_TIMEOUT', `Nobody waits for "${subject.text}" any more; it was not sent.`);

export const noConnectionInTime = (unitId: string, peer: string, ms: number): GatewayError =>
  new GatewayError('DEVICE_TIMEOUT', `No connection to the meter ${unitId} at ${peer} within ${ms} ms (connect).`);

export const wedged = (unitId: string, peer: string, ftpPort: number, cause: unknown): GatewayError =>
  new GatewayError(
    'DEVICE_WEDGED',
    `The control port ${peer} of the meter ${unitId} refuses while its FTP port ${ftpPort} accepts. Power-cycle the meter, unless TCP was switched off in its menu; restarting the modem does not help.`,
    { cause },
  );

/** The port said no at once: the DialError itself, or an error of ours because of it. */
export const isRefused = (error: unknown): boolean =>
  error instanceof DialError ? error.fault === 'refused' : error instanceof GatewayError && isRefused(error.cause);

export function unreachable(unitId: string, peer: string, error: unknown): GatewayError {
  const why = error instanceof DialError ? WORDS[error.fault] : 'could not be opened';
  return new GatewayError(
    'DEVICE_UNREACHABLE',
    `The connection to the meter ${unitId} at ${peer} ${why} (${messageOf(error)}).`,
    { cause: error },
  );
}

const WORDS: Record<DialError['fault'], string> = {
  refused: 'was refused',
  unreachable: 'found no way there',
  unresolved: 'found no address for the host name',
  failed: 'could not be opened',
};

const cut = (raw: string): string => (raw.length > 120 ? `${raw.slice(0, 120)}...` : raw);
