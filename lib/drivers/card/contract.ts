/**
 * Files that a meter writes on its card: levels, and what they mean. What cannot be read is a problem with its line. Nothing is
 * guessed. Times are the meter's own clock, without a zone: milliseconds since 1970 as if that clock were UTC.
 */
import type { KeptQuantity, LevelsOf } from '../../domain/quantities.ts';

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

/** A row, or what could not be read. */
export type CardItem = { readonly row: CardRow } | { readonly problem: CardProblem };

/** What the header of a store says; null where it does not. */
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

/** How a file of levels is read. */
export interface ReadOptions {
  /** The file may still be written: a last line without its end is no problem, and is left out. */
  readonly growing?: boolean;
}

/** The files of a family: where they are, and how they are read. */
export interface CardFormat {
  /** Folders of measurements, as absolute paths; the first one is that of most meters. */
  readonly roots: readonly string[];
  /** Name of the folder of a measurement that is stored by itself under this store name. */
  folderOf(storeName: string): string;
  /** Whether a folder of this name is one of those. */
  isStoreFolder(name: string): boolean;
  /** What is in the file of this path; undefined: nothing that can be read. */
  kindOf(path: string): 'levels' | 'header' | undefined;
  /**
   * When the sound in the file of this path begins, by the name of the file: ms since 1970 as if the meter's clock were UTC; undefined:
   * the name has no time. Absent: this family records no sound.
   */
  soundBegins?(path: string): number | undefined;
  /** Reads levels while they arrive. */
  readLevels(chunks: AsyncIterable<Uint8Array>, options?: ReadOptions): AsyncIterable<CardItem>;
  readHeader(chunks: AsyncIterable<Uint8Array>): Promise<CardHeader>;
}
