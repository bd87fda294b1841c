/** Where the session of a unit is to be found, as the gateway sees it. Types only. */
import type { DeviceState, Meters } from '../meter/contract.ts';
import type { Fleet } from '../meter/fleet.ts';

/** Where sessions are: this instance, or another one by its link. */
export interface SessionPlace {
  readonly key: string;
  readonly isHere: boolean;
  readonly meters: Meters & Pick<Fleet, 'commandGap'>;
  /** Whether the lines of a unit are wanted. */
  trace?(unitId: string, on: boolean): void;
  /** Whether each frame of a stream that is watched is wanted at once. */
  view?(unitId: string, on: boolean): void;
  /** What the session before knew of the meter, for the one that begins there. */
  learn?(unitId: string, state: DeviceState): void;
}

/** Where the session of a unit is to be found; or why nowhere, in words. */
export type SessionFound = { readonly place: SessionPlace } | { readonly place: undefined; readonly why: string };
