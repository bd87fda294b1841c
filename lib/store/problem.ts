/** Why the store could not be opened. */
import { OpeningError } from '../errors.ts';

/**
 * `lost`: it is gone or empty, and other files show that it was there; `in-use`: by another gateway; `newer`: written by a later release; `key`: the credentials are sealed with another
 * key. Of a server: `unreachable`; `refused`: it does not let the gateway in, or not do what it needs; `read-only`; `other`: it holds
 * something else than this gateway's data.
 */
export type StoreProblem =
  | 'folder'
  | 'lost'
  | 'in-use'
  | 'corrupt'
  | 'newer'
  | 'key'
  | 'unreachable'
  | 'refused'
  | 'read-only'
  | 'other';

/** Ends the start of the gateway, with what to do. */
export class StoreError extends OpeningError<StoreProblem> {
  override readonly name = 'StoreError';
}
