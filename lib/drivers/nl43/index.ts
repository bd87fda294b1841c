/** The commands of the meter as a plugin gives them: one each, and the times that take several. Exports only. */
export * from './commands.ts';
export { CONTROL_PORT, FTP_PORT } from './spec/framing.ts';
export { parseTime, planText, planTime } from './times.ts';
export { readLeqInterval, readMeasurementTime, writeLeqInterval, writeMeasurementTime } from './timing.ts';
