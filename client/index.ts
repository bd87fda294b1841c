/** The typed client of the gateway. Exports only. */
export { Client, type ClientOptions, type Control, type Query } from './client.ts';
export { GatewayProblem, type InputProblem } from './error.ts';
export type { EventName, LiveOptions } from './live.ts';
export type * from './types.ts';
