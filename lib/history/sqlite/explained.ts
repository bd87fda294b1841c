/** Turns errors of the thread into errors for the recorder or the caller. */
import { GatewayError } from '../../errors.ts';
import { invalidRow } from '../check.ts';
import { HistoryError } from '../problem.ts';
import { ThreadError } from './channel.ts';

/** SQLSTATE of a full disk (a SQLSTATE has five characters). */
const DISK_FULL = '53100';
const isSqlState = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code);

/** Why rows cannot be written. */
export function problemOf(error: unknown): 'full' | 'failing' {
  const code = error instanceof ThreadError ? error.code : '';
  return code === 'NO_ROOM' || code === DISK_FULL || code.startsWith('SQLITE_FULL') ? 'full' : 'failing';
}

/** Whether a page of the file is damaged. */
export const isDamage = (error: unknown): boolean =>
  error instanceof ThreadError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);

/** Turns an error of `asked` into the error for a caller. */
export async function withReason<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof ThreadError ? explained(error) : error;
  }
}

function explained(error: ThreadError): GatewayError {
  if (error.code === 'OVERLAPS') return invalidRow(error.message, error.errors);
  if (error.code === 'CLOSED') return new GatewayError('STOPPING', 'The history is closed.');
  if (isDamage(error))
    return new GatewayError(
      'STORAGE_FAILED',
      `These levels cannot be read: the history is damaged (${error.message}). Restore a backup of it.`,
    );
  if (problemOf(error) === 'full') return new GatewayError('STORAGE_FULL', `There is no space: ${error.message}.`);
  if (error.code.startsWith('SQLITE_') || error.code === 'DATABASE_AWAY' || isSqlState(error.code))
    return new GatewayError('STORAGE_FAILED', `The history failed: ${error.message}.`);
  return new GatewayError('INTERNAL', `The history failed: ${error.message}`, { cause: error });
}

/** Why the shared database could not be opened. */
export function sharedOpeningError(error: unknown): unknown {
  if (!(error instanceof ThreadError)) return error;
  if (error.code === 'newer') return new HistoryError('newer', error.message, error);
  return new HistoryError(
    'folder',
    `the history in the shared database cannot be opened: ${error.message}. Look at database_url, and whether the database runs`,
    error,
  );
}
