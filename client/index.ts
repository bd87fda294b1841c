/** The typed client of the gateway. Exports only. */

export { GATEWAY_ID, ROLES, type Role, suffices } from '../lib/domain/ids.ts';
export * as quantities from '../lib/domain/quantities.ts';
export type { Call, ClientOptions, Download, Query } from './calls.ts';
export { Client, type Control } from './client.ts';
export { GatewayProblem, type InputProblem } from './error.ts';
export type { EventName, LiveOptions } from './live.ts';
export { firstMomentOf, localTime } from './local-time.ts';
/** Every schema of the OpenAPI document that has a name, such as `schemas.GetBatteryAnswer` for `client.call`. */
export type * as schemas from './schemas.ts';
export type * from './types.ts';
