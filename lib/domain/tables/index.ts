/** Levels of the history as tables: steps, columns, words for quality, CSV. Knows no HTTP and no storage. */
export * from './columns.ts';
export * from './csv.ts';
export * from './sheet.ts';
export * from './steps.ts';
export * from './xlsx.ts';
