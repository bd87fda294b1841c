/**
 * Files that a meter writes on its card, read as text: `.rnd` (levels) and `.rnh` (what they mean). Two layouts of `.rnd`
 * are known, from public readers of such files: one row an interval (NL-43, NL-53), and one block an interval (NL-52).
 * What cannot be read is a problem with its line. Nothing is guessed. Times are the meter's own clock, without a zone:
 * milliseconds since 1970 as if that clock were UTC.
 */
import type { KeptQuantity, LevelsOf } from '../../../domain/quantities.ts';

/** What is wrong, and where. `line` counts from 1. */
export interface CardProblem {
  readonly line: number;
  /** A part of a sentence: `has a start time that is no time`. */
  readonly message: string;
}

/** One interval of the main channel. Levels are dB; null: the meter gave none. */
export interface CardRow extends LevelsOf<CardLevel, number | null> {
  readonly line: number;
  /** The meter's clock at the beginning of the interval. */
  readonly start: number;
  /** Milliseconds, from the column Measurement Time; null if the file has none: then the header says it. */
  readonly duration: number | null;
  /** From the name of a column (`LAeq`); null: the header says it. */
  readonly frequency: 'A' | 'C' | 'Z' | null;
  /** LN1 to LN5. The header says which percentage each one is. */
  readonly ln: readonly (number | null)[];
  readonly over: boolean;
  readonly under: boolean;
}

/** Levels that a row of a card can have, beside the percentiles. */
export type CardLevel = KeptQuantity | 'lp' | 'le';

export type CardItem = { readonly row: CardRow } | { readonly problem: CardProblem };

/** What a `.rnh` file says; null where it does not. */
export interface CardHeader {
  readonly serial: string | null;
  readonly index: number | null;
  readonly storeName: number | null;
  readonly frequency: 'A' | 'C' | 'Z' | null;
  readonly time: 'F' | 'S' | 'I' | null;
  /** Milliseconds. */
  readonly lpInterval: number | null;
  readonly leqInterval: number | null;
  /** Percentages of LN1 to LN5. */
  readonly percentiles: readonly (number | null)[];
  readonly problems: readonly CardProblem[];
}

/** One comparison of the meter's clock with that of the gateway. */
export interface ClockReading {
  /** Ms since 1970 UTC. */
  readonly at: number;
  /** The meter's clock minus UTC, ms. */
  readonly offset: number;
  /** Plus or minus, ms: because of the time of the request, and because the clock shows whole seconds. */
  readonly uncertainty: number;
}

/** A time of the card in UTC. */
export interface CardMoment {
  readonly utc: number;
  /** The meter's clock minus UTC that was used, ms. */
  readonly offset: number;
  /** Plus or minus, ms. */
  readonly uncertainty: number;
}
