/** The card as others than the meter see it. Types only. */
import type { CardContent, CardEntry, StoreLabel } from '../contract.ts';

/** The card as its FTP server sees it. Paths are absolute and `/`-separated. All answer null without a card. */
export interface CardTree extends CardContent {
  readonly model: StoreLabel['model'];
  /** Device time at which the card was first used. */
  readonly startedAt: number;
  /** Rows of stores that found no card or no room, since the beginning. */
  readonly lostRows: number;
  /** The file or folder at a path. */
  entry(path: string): CardEntry | null;
}
