/** The hours that still get rows, of all series: in memory, and row by row in the journal until they are folded. */
import { OpenHour, type Stored } from '../rows/open-hour.ts';

export interface HeldHour {
  readonly series: number;
  readonly hour: number;
  readonly rows: OpenHour;
  /** The first entry of the journal with a row of this hour. */
  readonly journalFrom: number;
}

/** Rows may come late: an hour stays open for this time after its end. */
const LATE_S = 300;
/** 200 meters fill 720,000 in an hour; about 25 bytes each. */
const MOST_ROWS = 1_200_000;

export class OpenHours {
  readonly #stored: (series: number, hour: number) => Stored;
  readonly #hours = new Map<number, Map<number, HeldHour>>();

  constructor(stored: (series: number, hour: number) => Stored) {
    this.#stored = stored;
  }

  get(series: number, hour: number): OpenHour | undefined {
    return this.#hours.get(series)?.get(hour)?.rows;
  }

  hoursOf(series: number): number[] {
    return [...(this.#hours.get(series)?.keys() ?? [])];
  }

  open(series: number, hour: number, journalId: number): OpenHour {
    const there = this.get(series, hour);
    if (there) return there;
    const rows = restored(this.#stored(series, hour));
    const ofSeries = this.#hours.get(series) ?? new Map<number, HeldHour>();
    this.#hours.set(series, ofSeries.set(hour, { series, hour, rows, journalFrom: journalId }));
    return rows;
  }

  close({ series, hour }: HeldHour): void {
    const ofSeries = this.#hours.get(series);
    ofSeries?.delete(hour);
    if (ofSeries?.size === 0) this.#hours.delete(series);
  }

  get isCrowded(): boolean {
    let rows = 0;
    for (const held of this.held()) rows += held.rows.seconds.count;
    return rows > MOST_ROWS;
  }

  *held(): Generator<HeldHour> {
    for (const ofSeries of this.#hours.values()) yield* ofSeries.values();
  }

  /** Hours that are over at `now` (seconds), the oldest first; if there are too many rows, any hours. */
  due(now: number, limit: number): HeldHour[] {
    const { isCrowded } = this;
    const due = [...this.held()].filter(({ hour }) => isCrowded || (hour + 1) * 3_600 + LATE_S <= now);
    return due.sort((a, b) => a.hour - b.hour || a.series - b.series).slice(0, limit);
  }

  /** Entries of the journal before this one are in the hours on the disk. */
  journalNeededFrom(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const { journalFrom } of this.held()) first = Math.min(first, journalFrom);
    return first;
  }
}

/** One damaged row costs its hour, not the recording of everything else. */
function restored(stored: Stored): OpenHour {
  for (const part of [stored, { ...stored, seconds: undefined }]) {
    try {
      return new OpenHour(part);
    } catch {}
  }
  return new OpenHour();
}
