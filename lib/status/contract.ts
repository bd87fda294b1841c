/** What is known of each meter now: the last values that events brought, how old they are, and what is wrong with them. */
import type { LevelSettings } from '../meter/contract.ts';
import type { Snapshot } from '../store/contract.ts';

/** The fields of a snapshot that say when something was measured. */
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
   * How long ago, ms. By the monotonic clock for what was read since this process started, so a change of the wall clock does
   * not touch it; by the wall clock for what was read before. Never negative. Null if the time is not known.
   */
  age(timeName: TimeName): number | null;
  /** A level of the last reading or frame was outside what these meters can show; its value is null. */
  readonly implausible: boolean;
  /** What the levels of the display are; null where it is not known, or not the same for all of them. */
  readonly levelSettings: LevelSettings;
  /** Why values are missing, a sentence each; empty when nothing is wrong. */
  readonly warnings: readonly string[];
}

/** The last values of every unit. */
export interface Status {
  of(unitId: string): UnitStatus;
}

/** Why a part does not work. Anybody may see it: no path of this machine, no address, no secret. */
export interface PartTrouble {
  /** One English sentence. */
  readonly detail: string;
  /** `/readyz` reports it, too: not everything that the gateway is for is done. Default: requests are still answered as usual. */
  readonly isGrave?: boolean;
}

/** A part of the gateway, such as the connection to a broker. */
export interface PartState {
  readonly name: string;
  /** Undefined: it works. */
  readonly trouble: PartTrouble | undefined;
  /** How often it has failed since the process began; undefined: it is not counted. */
  readonly failures: number | undefined;
}

/** The parts that can fail while the gateway goes on. */
export interface PartStates {
  /** `look` and `failures` are called whenever somebody asks; synchronous and quick. The function takes the part away. */
  add(name: string, look: () => PartTrouble | undefined, failures?: () => number): () => void;
  states(): readonly PartState[];
}
