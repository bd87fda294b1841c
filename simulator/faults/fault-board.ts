/** How faults are switched on and off, and when they work. Types only. */

/**
 * When a fault works. All given conditions must hold. A fault of single replies is asked again for each reply. A lasting
 * fault begins once and stays: with the first command that fits, or at `fromMs` without a condition about commands.
 */
export interface When {
  /** Only for the commands with these numbers, counted from when the fault is switched on, from 1. */
  readonly commands?: readonly number[];
  /** Only for commands that begin with this text, case ignored. */
  readonly matching?: string;
  /** Only from and until these times after it was switched on, ms. */
  readonly fromMs?: number;
  readonly untilMs?: number;
  /** With this probability each time, 0 ... 1. */
  readonly probability?: number;
  /** At most this many times. */
  readonly times?: number;
}

/** The faults of one meter, for those who switch them. */
export interface FaultBoard {
  /** Switches a fault on: a kind of the catalogue with its settings. Returns its id. Throws a TypeError that names what is wrong. */
  on(kind: string, settings?: Readonly<Record<string, unknown>>, when?: When): string;
  /** False if there is no such fault, or no longer. */
  off(id: string): boolean;
  clear(): void;
  /** `fired` counts replies, connections and inputs that were changed, and for a lasting fault how often it began. */
  readonly active: readonly ActiveFault[];
}

/** A fault that is switched on. */
export interface ActiveFault {
  readonly id: string;
  readonly kind: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly when: When;
  readonly fired: number;
}
