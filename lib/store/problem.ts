/** Why the store could not be opened. */
import { OpeningError } from '../errors.ts';

/**
 * `in-use`: by another gateway; `newer`: written by a later release; `key`: the credentials are sealed with another
 * key.
 */
export type StoreProblem = 'folder' | 'in-use' | 'corrupt' | 'newer' | 'key';

/** Ends the start of the gateway, with what to do. */
export class StoreError extends OpeningError<StoreProblem> {
  override readonly name = 'StoreError';
}
