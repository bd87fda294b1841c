/** Why the store could not be opened. */
import { OpeningError } from '../errors.ts';

export type StoreProblem = 'folder' | 'in-use' | 'corrupt' | 'newer' | 'key';

export class StoreError extends OpeningError<StoreProblem> {
  override readonly name = 'StoreError';
}
