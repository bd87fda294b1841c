/** Turns faults of FTP into errors of the error table, with advice. The texts never have a secret. */
import { withoutSecret } from '../domain/outside-text.ts';
import { GatewayError, isGatewayError, messageOf } from '../errors.ts';

export type Stage = 'connect' | 'login' | 'mode' | 'folder' | 'data' | 'listing' | 'file';

const LONGEST_QUOTE = 120;
const NO_CONNECTION = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'ETIMEDOUT',
  'EPIPE',
]);

export interface ServerPlace {
  readonly unitId: string;
  readonly server: string;
  readonly path: string;
  readonly passive: boolean;
  /** Some servers repeat the password; empty: it is not secret. */
  readonly password: string;
}

/** A GatewayError passes unchanged. */
export function explain(error: unknown, stage: Stage, place: ServerPlace): unknown {
  if (isGatewayError(error) || !(error instanceof Error)) return error;
  const code = replyCode(error);
  const fault = code === undefined ? breakage(error, stage, place) : refusal(code, error, stage, place);
  return new GatewayError(fault.code, fault.detail, { cause: error });
}

/** The code of a refusal (the session goes on after it); undefined after a broken connection. */
export const replyCode = (error: unknown): number | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;

interface Fault {
  readonly code: GatewayError['code'];
  readonly detail: string;
}

function refusal(code: number, error: Error, stage: Stage, place: ServerPlace): Fault {
  // The greeting may come from any service at this address: callers get only its number.
  const said = stage === 'connect' ? String(code) : quote(error.message, place);
  if (code === 421)
    return {
      code: 'FTP_FAILED',
      detail: `The FTP server of the meter is busy or closing; it may serve one client only (${said}).`,
    };
  if (stage === 'login')
    return {
      code: 'FTP_LOGIN_FAILED',
      detail: `The meter refused the FTP login (${code}): check ftp_username and ftp_password in the config of ${place.unitId}.`,
    };
  if (stage === 'data') return { code: 'FTP_DATA_CONNECTION', detail: `${dataRefused(place)} (${said}).` };
  if (code === 425)
    return {
      code: 'FTP_DATA_CONNECTION',
      detail: `The meter could not open the data connection (${said}): ${reachable()}.`,
    };
  if (code === 550 && (stage === 'folder' || stage === 'listing' || stage === 'file'))
    return { code: 'FILE_NOT_FOUND', detail: `The path ${place.path} is not on the card of the meter (${said}).` };
  return { code: 'FTP_FAILED', detail: `The FTP server of the meter refused (${said}).` };
}

const dataRefused = ({ passive }: ServerPlace) =>
  passive
    ? 'There is no data connection in passive mode: a meter without it needs ftp_mode active in the config'
    : 'The meter refused the address for the data connection: check the announced FTP address in the settings';

function breakage(error: Error, stage: Stage, place: ServerPlace): Fault {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'ENOTFOUND' || code.startsWith('EAI_'))
    return { code: 'DEVICE_UNREACHABLE', detail: `No address of ${place.server} can be found (${code}).` };
  if (stage === 'connect' && NO_CONNECTION.has(code))
    return {
      code: 'DEVICE_UNREACHABLE',
      detail: `The meter at ${place.server} cannot be reached by FTP (${code}). If FTP is off, switch it on: POST /${place.unitId}/ftp/enable.`,
    };
  if (stage === 'data') {
    const what = place.passive ? dataRefused(place) : 'The data connection could not be opened';
    return { code: 'FTP_DATA_CONNECTION', detail: `${what} (${quote(messageOf(error), place)}).` };
  }
  if (NO_CONNECTION.has(code))
    return { code: 'DEVICE_UNREACHABLE', detail: `The FTP connection to ${place.server} was lost (${code}).` };
  return { code: 'FTP_FAILED', detail: `The FTP server of the meter broke off (${quote(messageOf(error), place)}).` };
}

/** Conditions of active mode, as a part of a sentence. `announced`: our address and port. */
export const reachable = (announced?: string): string =>
  `the meter has to be able to connect back${announced ? ` to ${announced}` : ' to the gateway'}: ` +
  'check firewall, NAT, the announced FTP address and the range of FTP ports in the settings';

/** One line, short, without control characters: the text comes from a device. */
const quote = (text: string, { password }: ServerPlace): string =>
  withoutSecret(text, password)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_QUOTE);
