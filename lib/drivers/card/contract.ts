/**
 * Files that a meter writes on its card: levels, and their meaning. An unreadable part is reported as a problem with
 * its line. Nothing is guessed. Times are from the meter's own clock, without a zone: milliseconds since 1970, read as
 * UTC.
 */
import type { KeptQuantity, LevelsOf } from '../../domain/quantities.ts';

/** A fault and its place. `line` counts from 1. */
export interface CardProblem {
  readonly line: number;
  readonly message: string;
}

/** One interval of the main channel. Levels are dB; null: the meter gave no level. */
export interface CardRow extends LevelsOf<CardLevel, number | null> {
  readonly line: number;
  /** The meter's clock at the beginning of the interval. */
  readonly start: number;
  /** Milliseconds, from the column Measurement Time; null if the file has no such column: the header then has it. */
  readonly duration: number | null;
  /** From the name of a column (`LAeq`); null: the header has it. */
  readonly frequency: 'A' | 'C' | 'Z' | null;
  /** LN1 to LN5. The header has the percentage of each. */
  readonly ln: readonly (number | null)[];
  readonly over: boolean;
  readonly under: boolean;
}

/** Levels that a row of a card can have, besides the percentiles. */
export type CardLevel = KeptQuantity | 'lp' | 'le';

/** A row, or a problem. */
export type CardItem = { readonly row: CardRow } | { readonly problem: CardProblem };

/** Facts in the header of a store; null if a fact is missing or impossible. */
export interface CardHeader {
  readonly frequency: 'A' | 'C' | 'Z' | null;
  readonly time: 'F' | 'S' | 'I' | null;
  readonly lpInterval: number | null;
  /** Percentages of LN1 to LN5. */
  readonly percentiles: readonly (number | null)[];
}

/** Options for reading a file of levels. */
export interface ReadOptions {
  /** The file may still be written: an unfinished last line is not a problem, and is left out. */
  readonly growing?: boolean;
}

/** The files of a family: their places, and how to read them. */
export interface CardFormat {
  /** Folders of measurements, as absolute paths; most meters use the first one. */
  readonly roots: readonly string[];
  /** Name of the folder of a measurement that is automatically stored under this store name. */
  folderOf(storeName: string): string;
  isStoreFolder(name: string): boolean;
  /** Content of the file with this path; undefined: nothing readable. */
  kindOf(path: string): 'levels' | 'header' | undefined;
  /**
   * Start of the sound in the file with this path, from the name of the file: ms since 1970, with the meter's clock
   * read as UTC. Undefined: the name has no time. Absent: this family records no sound.
   */
  soundBegins?(path: string): number | undefined;
  readLevels(chunks: AsyncIterable<Uint8Array>, options?: ReadOptions): AsyncIterable<CardItem>;
  readHeader(chunks: AsyncIterable<Uint8Array>): Promise<CardHeader>;
}
