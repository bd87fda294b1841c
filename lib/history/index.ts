/** What others may use of the history. The contract says what it does. */
export { HistoryError, type HistoryProblem } from './problem.ts';
export { copyHistory } from './sqlite/copy.ts';
export { openHistory } from './sqlite/index.ts';
export type { HistoryOptions } from './sqlite/options.ts';
