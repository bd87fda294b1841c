/** What the codec reads from the lines of this family, beyond the frames of the fast stream. Types only. */
import type { DisplayQuantity, LevelsOf } from '../../domain/quantities.ts';
import type { Frame, FrameChannel, Implausible, Level } from '../wire/contract.ts';

/** The four channels. One that is switched off is null as a whole. */
export interface Channels<C> {
  readonly main: C;
  readonly sub1: C | null;
  readonly sub2: C | null;
  readonly sub3: C | null;
  /** The last three, as the contracts of all families have them. */
  readonly others: readonly (C | null)[];
}

/** One channel of a DOD or DLC line. A channel that is switched off is null as a whole. */
export interface DisplayChannel extends LevelsOf<DisplayQuantity, Level> {
  readonly implausible?: Implausible;
  readonly over: boolean | null;
  readonly under: boolean | null;
}

/** What the display shows, of all channels. */
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

/** A line of DRD. */
export type Nl43Frame = Frame & Channels<FrameChannel>;

/** A frame of the stream with status. */
export type StatusFrame = Nl43Frame & StatusTail & Required<Pick<Frame, 'supply'>>;
