/** Why the history could not be opened. */
import { OpeningError } from '../errors.ts';

export type HistoryProblem = 'folder' | 'in-use' | 'corrupt' | 'newer';

export class HistoryError extends OpeningError<HistoryProblem> {
  override readonly name = 'HistoryError';
}
