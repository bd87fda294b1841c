/** The result of one check of a meter. */
import { type ErrorCode, GatewayError, messageOf } from '../../lib/index.ts';

/** In the order of the checks. */
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

/** The names in the API. */
export type CheckName = (typeof CHECKS)[number];
/** `skipped`: an earlier check did not succeed. */
export type CheckOutcome = 'ok' | 'warning' | 'failed' | 'skipped';

/** One check with its result and an advice. */
export interface Finding {
  readonly check: CheckName;
  readonly outcome: CheckOutcome;
  /** The result in words. */
  readonly detail: string;
  /** A step for the user; null if the check is ok or was skipped. */
  readonly advice: string | null;
}

/** The check has succeeded. */
export const ok = (check: CheckName, detail: string): Finding => ({ check, outcome: 'ok', detail, advice: null });
/** It works, but a person should look at it. */
export const warning = (check: CheckName, detail: string, advice: string): Finding => ({
  check,
  outcome: 'warning',
  detail,
  advice,
});
/** It does not work; `advice` says how to repair it. */
export const failedCheck = (check: CheckName, detail: string, advice: string): Finding => ({
  check,
  outcome: 'failed',
  detail,
  advice,
});
/** The check did not run; `detail` says why. */
export const skipped = (check: CheckName, detail: string): Finding => ({
  check,
  outcome: 'skipped',
  detail,
  advice: null,
});

/** The advice for an error on the way to the meter. */
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

/** For a meter that accepts the connection and sends nothing. */
const REPLY_CURES: typeof CURES = {
  DEVICE_TIMEOUT:
    'Probably another client has the meter, because it serves only one: end the other program. If no other program is connected, the meter may still have the connection of a computer that lost its power: switch the meter off and on. Check also that it is not asleep, and how good the link is.',
};

/** The finding of a check that ended with an error. */
export function failureOf(check: CheckName, error: unknown): Finding {
  const isFtp = check === 'ftp' || check === 'data connection';
  const cures = { ...CURES, ...(isFtp && FTP_CURES), ...(check === 'reply' && REPLY_CURES) };
  const cure = error instanceof GatewayError ? cures[error.code] : undefined;
  return failedCheck(check, sentence(messageOf(error)), cure ?? 'See the log of the gateway.');
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.?$/, '.')}`;
