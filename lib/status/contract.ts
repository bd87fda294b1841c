/** Present knowledge about each meter: the last values from events, their ages, and their faults. */
import type { LevelSettings } from '../meter/contract.ts';
import type { Snapshot } from '../store/contract.ts';

/** The fields of a snapshot with the time of a measurement. */
export type TimeName =
  | 'stateAt'
  | 'lpAt'
  | 'levelsAt'
  | 'batteryAt'
  | 'powerAt'
  | 'cardAt'
  | 'lastSeen'
  | 'unchangedSince';

/** The last values of one unit, with their ages. */
export interface UnitStatus {
  readonly values: Snapshot;
  /**
   * Age in ms, never negative; null: unknown. For values from this process by the monotonic clock, for earlier ones by
   * the wall clock.
   */
  age(timeName: TimeName): number | null;
  /** A level of the last reading or frame was outside what these meters can show; its value is null. */
  readonly implausible: boolean;
  /** Weightings and percentiles of the levels on the display; null if unknown, or not the same for all levels. */
  readonly levelSettings: LevelSettings;
  /** Why values are missing, a sentence each; empty without faults. */
  readonly warnings: readonly string[];
}

/** The last values of every unit. */
export interface Status {
  of(unitId: string): UnitStatus;
}

/** Why a part does not work. Anybody may see this: no path of this machine, no address, no secret. */
export interface PartTrouble {
  readonly detail: string;
  /** `/readyz` reports it, too: the gateway cannot do all its work. */
  readonly isGrave?: boolean;
}

/** A part of the gateway, such as the connection to a broker. */
export interface PartState {
  readonly name: string;
  readonly trouble: PartTrouble | undefined;
  /** Number of failures since the process began; undefined: not counted. */
  readonly failures: number | undefined;
}

/** The parts that can fail while the gateway runs. */
export interface PartStates {
  /**
   * `look` and `failures` are called for each request: quick and synchronous. The returned function removes the part.
   */
  add(name: string, look: () => PartTrouble | undefined, failures?: () => number): () => void;
  states(): readonly PartState[];
}
