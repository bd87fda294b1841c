/** Why the store could not be opened. */
import { OpeningError } from '../errors.ts';

/**
 * `lost`: it is gone or empty, and other files show that it was there; `in-use`: by another gateway; `newer`: written by a later release; `key`: the credentials are sealed with another
 * key.
 */
export type StoreProblem = 'folder' | 'lost' | 'in-use' | 'corrupt' | 'newer' | 'key';

/** Ends the start of the gateway, with what to do. */
export class StoreError extends OpeningError<StoreProblem> {
  override readonly name = 'StoreError';
}
