/** Public parts of the history; the contract describes them. */
export { HistoryError, type HistoryProblem } from './problem.ts';
export type { HistoryBackup, HistoryOptions } from './sqlite/index.ts';
export { openHistory } from './sqlite/index.ts';
