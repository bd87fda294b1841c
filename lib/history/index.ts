/** What others may use of the history. The contract says what it does. */
export { HistoryError, type HistoryProblem } from './problem.ts';
export { openHistory } from './sqlite/index.ts';
export type { HistoryBackup, HistoryOptions } from './sqlite/options.ts';
