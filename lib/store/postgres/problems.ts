/** Problems of a server, in words with advice. */
import { type DatabaseAddress, databaseWords } from '../../domain/database-address.ts';
import { GatewayError, messageOf } from '../../errors.ts';
import { codesOf } from '../commits.ts';
import { StoreError, type StoreProblem } from '../problem.ts';

const UNREACHABLE = /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EPIPE|ENOENT|08)/;
/** The driver gives these no code. */
const BROKEN =
  /Connection terminated|connection error and is not queryable|timeout expired|was closed and is not queryable/i;
/** Shutting down, starting, too many connections, a lock that another holds too long, a standby that was promoted. */
const BUSY = /^(57P0|53[23]|40|55P03|57014|28|3D000|58|XX)/;
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/;

type Rule = readonly [codes: RegExp, problem: StoreProblem, words: (where: DatabaseAddress, reason: string) => string];

const RULES: readonly Rule[] = [
  [
    CERTIFICATE,
    'refused',
    (at, reason) =>
      `the certificate of the database ${databaseWords(at)} is not trusted (${reason}): name the file of its authority with sslrootcert= in database_url`,
  ],
  [
    UNREACHABLE,
    'unreachable',
    (at, reason) =>
      `the database ${databaseWords(at)} cannot be reached (${reason}): see whether PostgreSQL runs there, and whether database_url has the right host and port`,
  ],
  [
    /^28/,
    'refused',
    (at, reason) =>
      `the database ${databaseWords(at)} does not let the user ${at.user} in (${reason}): check user and password in database_url`,
  ],
  [
    /^3D000/,
    'refused',
    (at) => `there is no database ${databaseWords(at)}: make it with createdb --owner=${at.user} ${at.database}`,
  ],
  [
    /^42501/,
    'refused',
    (at, reason) =>
      `the user ${at.user} may not make tables in the database ${databaseWords(at)} (${reason}): make the user its owner`,
  ],
  [
    /^3F000/,
    'refused',
    (at) =>
      `the database ${databaseWords(at)} has no schema to make tables in for the user ${at.user}: make one, or set search_path of the user ${at.user} to one that is there, such as public`,
  ],
  [
    /^25006/,
    'read-only',
    (at) =>
      `the database ${databaseWords(at)} can only be read: name the primary server in database_url, not a standby, and see that default_transaction_read_only is off`,
  ],
  [
    /^53[123]|^57P0|^25P03/,
    'unreachable',
    (at, reason) =>
      `the database ${databaseWords(at)} takes no work now (${reason}): its log says why; it may be starting or stopping, or lack connections, memory or disk`,
  ],
];

/** One line for the person at the terminal. */
export function openingError(error: unknown, at: DatabaseAddress): StoreError {
  if (error instanceof StoreError) return error;
  const reason = messageOf(error).split(' - ').at(-1)?.replace(/\s+/g, ' ') ?? '';
  if (/does not support SSL/.test(reason))
    return new StoreError(
      'refused',
      `the database ${databaseWords(at)} does not encrypt connections: set it up to do so, or add ?sslmode=disable to database_url where the network between is yours`,
      error,
    );
  const codes = [...codesOf(error), ...(BROKEN.test(reason) ? ['ETIMEDOUT'] : [])];
  const rule = RULES.find(([pattern]) => codes.some((code) => pattern.test(code)));
  const [, problem, words] = rule ?? [undefined, 'refused' as const, undefined];
  const said = words?.(at, reason) ?? `the database ${databaseWords(at)} cannot be used: ${reason}`;
  return new StoreError(problem, said, error);
}

/** Whether the connection is of no more use. */
export const isBroken = (error: unknown): boolean =>
  BROKEN.test(messageOf(error)) || codesOf(error).some((code) => UNREACHABLE.test(code) || /^57P0|^25P03/.test(code));

/** The error for a caller whose change could not be stored; undefined if the work itself failed. */
export function serverTrouble(error: unknown): GatewayError | undefined {
  const codes = codesOf(error);
  const is = (pattern: RegExp) => codes.some((code) => pattern.test(code));
  if (is(/^53100/))
    return new GatewayError('STORAGE_FULL', 'The disk of the database server is full. Nothing was changed.', {
      cause: error,
    });
  if (is(/^25006/)) return failed('it can only be read: name the primary server in database_url', error);
  if (is(/^22021/))
    return new GatewayError('INVALID', 'A text has the character with the code 0, which the database cannot keep.', {
      cause: error,
    });
  // The words of the system name the address of the server, and `/health` shows these to everybody.
  const away = codes.find((code) => UNREACHABLE.test(code));
  const reason = away === undefined ? (messageOf(error).split(' - ').at(-1) ?? '') : `it cannot be reached: ${away}`;
  return is(BUSY) || isBroken(error) ? failed(reason, error) : undefined;
}

const failed = (reason: string, cause: unknown) =>
  new GatewayError('STORAGE_FAILED', `The database cannot be written (${reason}). Nothing was changed.`, { cause });
