/** Why the store could not be opened. */
import { OpeningError } from '../errors.ts';

/**
 * `lost`: the database is gone or empty, and other files show that it existed; `in-use`: by another gateway; `newer`:
 * written by a later release; `key`: the credentials are sealed with another key. For a server: `unreachable`;
 * `refused`: it does not let the gateway in, or lacks an ability; `read-only`; `other`: it has data of another owner.
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

/** Ends the start of the gateway, with advice. */
export class StoreError extends OpeningError<StoreProblem> {
  override readonly name = 'StoreError';
}
