/** What the codec reads from the lines of this family, beyond the frames of the fast stream. Types only. */
import type { Channels, Frame, Implausible, Level } from '../contract.ts';

/** One channel of a DOD or DLC line. A channel that is switched off is null as a whole. */
export interface DisplayChannel {
  readonly implausible?: Implausible;
  readonly lp: Level;
  readonly leq: Level;
  readonly le: Level;
  readonly lmax: Level;
  readonly lmin: Level;
  readonly ln1: Level;
  readonly ln2: Level;
  readonly ln3: Level;
  readonly ln4: Level;
  readonly ln5: Level;
  readonly lpeak: Level;
  readonly lieq: Level;
  readonly leq_mov: Level;
  readonly ltm5: Level;
  readonly over: boolean | null;
  readonly under: boolean | null;
}

export type Display = Channels<DisplayChannel>;

/** What a `DRD?status` line says besides the levels. A field that cannot be read is null: its place is not verified. */
export interface StatusTail {
  /** The meter's own clock, `YYYY/MM/DD HH:MM:SS`, no zone. */
  readonly time: string | null;
  readonly power: 'Battery' | 'External' | 'USB' | null;
  readonly battery: 'Full' | 'Middle' | 'Low' | 'Dead' | 'Empty' | null;
  /** Megabytes. */
  readonly sd_free_mb: number | null;
  /** As `Measure?` words it. */
  readonly state: 'Start' | 'Stop' | null;
}

export type StatusFrame = Frame & StatusTail;
