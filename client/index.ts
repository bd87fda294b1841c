/** The typed client of the gateway. Exports only. */

export type { Call, ClientOptions, Download, Query } from './calls.ts';
export { Client, type Control } from './client.ts';
export { GatewayProblem, type InputProblem } from './error.ts';
export { GATEWAY_ID, ROLES, type Role, suffices } from './ids.ts';
export type { EventName, LiveOptions } from './live.ts';
export { firstMomentOf, localTime } from './local-time.ts';
export * as quantities from './quantities.ts';
/** Every schema of the OpenAPI document that has a name, such as `schemas.GetBatteryAnswer` for `client.call`. */
export type * as schemas from './schemas.ts';
export type * from './types.ts';
