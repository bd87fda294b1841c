/** Why the history could not be opened: one line for the person who starts the gateway, with what cures it. */
export type HistoryProblem = 'folder' | 'in-use' | 'corrupt' | 'newer';

export class HistoryError extends Error {
  readonly problem: HistoryProblem;

  constructor(problem: HistoryProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'HistoryError';
    this.problem = problem;
  }
}
