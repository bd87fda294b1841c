/** Why the history could not be opened. */
import { OpeningError } from '../errors.ts';

/** `in-use`: by another process; `newer`: written by a later release. */
export type HistoryProblem = 'folder' | 'in-use' | 'corrupt' | 'newer';

/** Ends the start of the gateway, with what to do. */
export class HistoryError extends OpeningError<HistoryProblem> {
  override readonly name = 'HistoryError';
}
