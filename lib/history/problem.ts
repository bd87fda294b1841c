/** Why the history could not be opened. */
import { OpeningError } from '../errors.ts';

/**
 * `lost`: the history is gone or empty, and the other database knows that it had levels; `in-use`: by another process;
 * `newer`: written by a later release.
 */
export type HistoryProblem = 'folder' | 'lost' | 'in-use' | 'corrupt' | 'newer';

/** Ends the start of the gateway, with advice. */
export class HistoryError extends OpeningError<HistoryProblem> {
  override readonly name = 'HistoryError';
}
