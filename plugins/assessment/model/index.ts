/** How standards judge the noise of a place: presets as data, and the arithmetic. Pure: no input or output, no clock. */
export * from './additions.ts';
export * from './background.ts';
export * from './calendar.ts';
export * from './check.ts';
export * from './contract.ts';
export * from './events.ts';
export * from './figure.ts';
export * from './moving.ts';
export * from './parts.ts';
export * from './plan.ts';
export * from './rating.ts';
