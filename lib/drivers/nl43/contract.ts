/** Types of the lines of this family, beyond the frames of the fast stream. */
import type { DisplayQuantity, LevelsOf } from '../../domain/quantities.ts';
import type { Frame, FrameChannel, Implausible, Level } from '../wire/contract.ts';

/** The four channels. A channel that is switched off is null as a whole. */
export interface Channels<C> {
  readonly main: C;
  readonly sub1: C | null;
  readonly sub2: C | null;
  readonly sub3: C | null;
  /** The last three channels, as the contracts of all families have them. */
  readonly others: readonly (C | null)[];
}

/** One channel of a DOD or DLC line. A channel that is switched off is null as a whole. */
export interface DisplayChannel extends LevelsOf<DisplayQuantity, Level> {
  readonly implausible?: Implausible;
  readonly over: boolean | null;
  readonly under: boolean | null;
}

/** Values of all channels on the display. */
export type Display = Channels<DisplayChannel>;

/** Fields of a `DRD?status` line after the levels. An unreadable field is null: its position is not verified. */
export interface StatusTail {
  /** The meter's own clock, `YYYY/MM/DD HH:MM:SS`, no zone. */
  readonly time: string | null;
  readonly power: 'Battery' | 'External' | 'USB' | null;
  readonly battery: 'Full' | 'Middle' | 'Low' | 'Dead' | 'Empty' | null;
  /** Megabytes. */
  readonly sd_free_mb: number | null;
  /** In the words of `Measure?`. */
  readonly state: 'Start' | 'Stop' | null;
}

/** A line of DRD. */
export type Nl43Frame = Frame & Channels<FrameChannel>;

/** A frame of the stream with status. */
export type StatusFrame = Nl43Frame & StatusTail & Required<Pick<Frame, 'supply'>>;
