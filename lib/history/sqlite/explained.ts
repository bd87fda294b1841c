/** What an error of the thread means for whoever records or asks. */
import { GatewayError } from '../../errors.ts';
import { invalidRow } from '../check.ts';
import { ThreadError } from './channel.ts';

/** Why rows cannot be written. */
export function problemOf(error: unknown): 'full' | 'failing' {
  const code = error instanceof ThreadError ? error.code : '';
  return code === 'NO_ROOM' || code.startsWith('SQLITE_FULL') ? 'full' : 'failing';
}

/** What `asked` rejects with becomes the error that a caller gets. */
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
  if (problemOf(error) === 'full') return new GatewayError('STORAGE_FULL', `There is no space: ${error.message}.`);
  if (error.code.startsWith('SQLITE_'))
    return new GatewayError('STORAGE_FAILED', `The history failed: ${error.message}.`);
  return new GatewayError('INTERNAL', `The history failed: ${error.message}`, { cause: error });
}
