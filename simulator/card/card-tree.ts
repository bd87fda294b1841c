/** The card as others than the meter see it. Types only. */
import type { StoreLabel } from '../contract.ts';

/** A file or a folder. */
export interface CardEntry {
  readonly name: string;
  readonly folder: boolean;
  /** Bytes; 0 for a folder. */
  readonly size: number;
  readonly modifiedAt: number;
}

/** The card as its FTP server sees it. Paths are absolute and `/`-separated. All answer null without a card. */
export interface CardTree {
  readonly model: StoreLabel['model'];
  /** Device time at which the card was first used. */
  readonly startedAt: number;
  /** Rows of stores that found no card or no room, since the beginning. */
  readonly lostRows: number;
  /** The file or folder at a path. */
  entry(path: string): CardEntry | null;
  /** The entries of a folder, oldest first; null if there is no folder. */
  list(path: string): readonly CardEntry[] | null;
  /** The bytes of a file, made when they are read; null if there is no file. Breaks with a CardProblem on eject. */
  read(path: string): Iterable<Uint8Array> | null;
}
