/** The simulator uses the sound through this file only. */
export { createInstrument, FACTORY_SETUP, type InstrumentOptions } from './instrument.ts';
export { emptyDisplay } from './measurement.ts';
export type { Scenario } from './scenario.ts';
export { loadScenario, scenarioNames } from './scenario.ts';
