/** Turns faults of FTP into errors of the error table, with advice. The texts never have a secret. */
import { withoutSecret } from '../domain/outside-text.ts';
import { type ErrorCode, GatewayError, isGatewayError, messageOf } from '../errors.ts';

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
  const [name, detail] = code === undefined ? breakage(error, stage, place) : refusal(code, error, stage, place);
  return new GatewayError(name, detail, { cause: error });
}

/** The code of a refusal (the session goes on after it); undefined after a broken connection. */
export const replyCode = (error: unknown): number | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;

type Fault = readonly [code: ErrorCode, detail: string];

function refusal(code: number, error: Error, stage: Stage, place: ServerPlace): Fault {
  // The greeting may come from any service at this address: callers get only its number.
  const said = stage === 'connect' ? String(code) : quote(error.message, place);
  if (code === 421)
    return ['FTP_FAILED', `The FTP server of the meter is busy or closing; it may serve one client only (${said}).`];
  if (stage === 'login') {
    const cure = `check ftp_username and ftp_password in the config of ${place.unitId}.`;
    return ['FTP_LOGIN_FAILED', `The meter refused the FTP login (${code}): ${cure}`];
  }
  if (stage === 'data') return ['FTP_DATA_CONNECTION', `${dataRefused(place)} (${said}).`];
  if (code === 425)
    return ['FTP_DATA_CONNECTION', `The meter could not open the data connection (${said}): ${reachable()}.`];
  if (code === 550 && (stage === 'folder' || stage === 'listing' || stage === 'file'))
    return ['FILE_NOT_FOUND', `The path ${place.path} is not on the card of the meter (${said}).`];
  return ['FTP_FAILED', `The FTP server of the meter refused (${said}).`];
}

const dataRefused = ({ passive }: ServerPlace) =>
  passive
    ? 'There is no data connection in passive mode: a meter without it needs ftp_mode active in the config'
    : 'The meter refused the address for the data connection: check the announced FTP address in the settings';

/** The connection failed, or a device in between. */
function breakage(error: Error, stage: Stage, place: ServerPlace): Fault {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'ENOTFOUND' || code.startsWith('EAI_'))
    return ['DEVICE_UNREACHABLE', `No address of ${place.server} can be found (${code}).`];
  if (stage === 'connect' && NO_CONNECTION.has(code)) {
    const cure = `If FTP is off, switch it on: POST /${place.unitId}/ftp/enable.`;
    return ['DEVICE_UNREACHABLE', `The meter at ${place.server} cannot be reached by FTP (${code}). ${cure}`];
  }
  if (stage === 'data') {
    const what = place.passive ? dataRefused(place) : 'The data connection could not be opened';
    return ['FTP_DATA_CONNECTION', `${what} (${quote(messageOf(error), place)}).`];
  }
  if (NO_CONNECTION.has(code))
    return ['DEVICE_UNREACHABLE', `The FTP connection to ${place.server} was lost (${code}).`];
  return ['FTP_FAILED', `The FTP server of the meter broke off (${quote(messageOf(error), place)}).`];
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
