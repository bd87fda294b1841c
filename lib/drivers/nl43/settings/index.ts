/** The settings of a meter. Exports only. */
export type { MeterSetting, Sender } from './contract.ts';
export * from './table.ts';
