/** Levels, percentiles, periods of local days and the indices made of them. Pure: no input or output, no clock. */
export * from './day-index.ts';
export * from './energy.ts';
export * from './level-counts.ts';
export * from './periods.ts';
export * from './span-levels.ts';
