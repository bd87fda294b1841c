/** The result of one check of a meter. */
import { type ErrorCode, GatewayError, messageOf } from '../../lib/index.ts';

/** In the order in which they run. */
export const CHECKS = [
  'config',
  'name',
  'address',
  'port',
  'reply',
  'identity',
  'sleep',
  'weightings',
  'clock',
  'ftp',
  'data connection',
  'sharing',
] as const;

/** A word of the API. */
export type CheckName = (typeof CHECKS)[number];
/** `skipped`: a check before it did not succeed. */
export type CheckOutcome = 'ok' | 'warning' | 'failed' | 'skipped';

/** One check with what was seen and what to do. */
export interface Finding {
  readonly check: CheckName;
  readonly outcome: CheckOutcome;
  /** What was seen. */
  readonly detail: string;
  /** What to do; null where nothing has to be done. */
  readonly advice: string | null;
}

/** Nothing to do. */
export const ok = (check: CheckName, detail: string): Finding => ({ check, outcome: 'ok', detail, advice: null });
/** It works, and something should be looked at. */
export const warning = (check: CheckName, detail: string, advice: string): Finding => ({
  check,
  outcome: 'warning',
  detail,
  advice,
});
/** It does not work; `advice` says what to do. */
export const failedCheck = (check: CheckName, detail: string, advice: string): Finding => ({
  check,
  outcome: 'failed',
  detail,
  advice,
});
/** It was not tried; `detail` says why. */
export const skipped = (check: CheckName, detail: string): Finding => ({
  check,
  outcome: 'skipped',
  detail,
  advice: null,
});

/** What to do about an error on the way to the meter. */
const CURES: Partial<Record<ErrorCode, string>> = {
  DEVICE_UNREACHABLE:
    'Check that the meter is on, that TCP is on in its menu, and that tcp_port is the port shown there; then check the cable, the modem and its port forwarding.',
  DEVICE_WEDGED:
    'Check that TCP is on in the menu of the meter. If it is, switch the meter off and on: nothing else helps.',
  DEVICE_TIMEOUT:
    'Check that no other program is connected to the meter, because it serves only one; then that the meter is on and not asleep, and how good the link is.',
  DEVICE_GARBLED:
    'Check that tcp_port is the control port of the meter, not that of its FTP or web server; then check the converter or modem on the way.',
  DEVICE_BUSY: 'Many commands wait for this meter. Try again in a minute.',
  QUEUE_TIMEOUT: 'The meter was in use for too long. GET session shows by what.',
  FTP_LOGIN_FAILED: 'Set ftp_username and ftp_password as they are in the menu of the meter.',
  FTP_DATA_CONNECTION:
    'The meter connects back to the gateway: open the firewall for ftp_port_first to ftp_port_last, and set ftp_announced_address behind NAT or in a container.',
  FTP_FAILED: 'Check the card: take it out, put it in again, or format it after you have saved its files.',
  FTP_DISABLED: 'Set ftp_enabled in the config of the unit (slm edit UNIT ftp_enabled=true).',
};

/** On the way to the card the same errors have other causes. */
const FTP_UNREACHABLE =
  'If FTP was switched on just now, try again in some seconds. If not, check that ftp_port is that of the meter, and check the port forwarding for FTP.';
const FTP_CURES: typeof CURES = { DEVICE_UNREACHABLE: FTP_UNREACHABLE, DEVICE_TIMEOUT: FTP_UNREACHABLE };

/** It takes the connection and says nothing. */
const REPLY_CURES: typeof CURES = {
  DEVICE_TIMEOUT:
    'Probably another client has the meter, because it serves only one: end the other program. If there is none, the meter may still have the connection of a computer that lost its power: switch the meter off and on. Check also that it is not asleep, and how good the link is.',
};

/** The finding of a check that ended with an error. */
export function failureOf(check: CheckName, error: unknown): Finding {
  const isFtp = check === 'ftp' || check === 'data connection';
  const cures = { ...CURES, ...(isFtp && FTP_CURES), ...(check === 'reply' && REPLY_CURES) };
  const cure = error instanceof GatewayError ? cures[error.code] : undefined;
  return failedCheck(check, sentence(messageOf(error)), cure ?? 'See the log of the gateway.');
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.?$/, '.')}`;
