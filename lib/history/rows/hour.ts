/** One hour of a series as a sum, with its gaps: a year of days is made from these. */
import { LevelCounts } from '../../domain/indices/level-counts.ts';
import { ByteReader, ByteWriter, centiOfMean, energyOfCenti, MINUTES_AN_HOUR, NONE, SECONDS_AN_HOUR } from './bytes.ts';
import type { Levels } from './columns.ts';
import { addCountBytes, countBytes } from './counts.ts';
import { LevelSums } from './level-sums.ts';
import type { MinuteTable } from './minutes.ts';
import type { SecondTable } from './seconds.ts';

export interface HourSum {
  readonly levels: Levels;
  /** Second of the hour that has `lmax`. */
  readonly lmaxAt: number;
  readonly lp: number;
  readonly steps: number;
  readonly readings: number;
  /** Seconds with each flag, in the order of `FLAGS`. */
  readonly flagged: readonly number[];
  readonly counts: Uint8Array;
  /** Spans with rows: pairs of the first second and the one after the last; pauses of up to a minute are not gaps. */
  readonly spans: Uint8Array;
}

/** The longest pause that is never a gap, seconds. */
export const SHORTEST_GAP_S = 60;

const counts = new LevelCounts();
const sums = new LevelSums();

/** `seconds` undefined: they are no longer kept, and the spans are those of the minutes. */
export function sumOf(minutes: MinuteTable, seconds: SecondTable | undefined): HourSum {
  let [readings, reading] = [0, 0];
  const flagged = minutes.flagged.map(() => 0);
  counts.clear();
  sums.clear();
  for (let minute = 0; minute < MINUTES_AN_HOUR; minute++) {
    if (minutes.isEmpty(minute)) continue;
    const minuteSteps = minutes.steps[minute] ?? 0;
    sums.addRow(minutes.levels, minute, minuteSteps, minute * 60 + (minutes.lmaxAt[minute] ?? 0));
    // Readings count where nothing was measured.
    const minuteReadings = minuteSteps > 0 ? 0 : (minutes.readings[minute] ?? 0);
    readings += minuteReadings;
    if (minuteReadings > 0) reading += minuteReadings * energyOfCenti(minutes.lp[minute] ?? NONE);
    for (const [bit, column] of minutes.flagged.entries()) flagged[bit] = (flagged[bit] ?? 0) + (column[minute] ?? 0);
    const kept = minutes.counts[minute];
    if (kept) addCountBytes(counts, kept);
  }
  const spans = packSpans(seconds ? spansOf(secondsIn(seconds)) : spansOf(minutesIn(minutes)));
  const { lmaxAt, steps } = sums;
  const lp = centiOfMean(reading, readings);
  return { levels: sums.levels(), lmaxAt, lp, steps, readings, flagged, counts: countBytes(counts), spans };
}

type Piece = readonly [from: number, to: number];

function* secondsIn(seconds: SecondTable): Generator<Piece> {
  for (let row = 0; row < seconds.count; row++) {
    const offset = seconds.offset[row] ?? 0;
    yield [offset, offset + 1];
  }
}

function* minutesIn(minutes: MinuteTable): Generator<Piece> {
  for (let minute = 0; minute < MINUTES_AN_HOUR; minute++) {
    if (!minutes.isEmpty(minute)) yield [minute * 60, minute * 60 + 60];
  }
}

export function spansOf(pieces: Iterable<Piece>, longestPause = SHORTEST_GAP_S): [number, number][] {
  const spans: [number, number][] = [];
  for (const [from, to] of pieces) {
    const last = spans.at(-1);
    if (last && from - last[1] <= longestPause) last[1] = Math.max(last[1], to);
    else spans.push([from, to]);
  }
  return spans;
}

function packSpans(spans: readonly Piece[]): Uint8Array {
  const writer = new ByteWriter();
  let before = 0;
  for (const edge of spans.flat()) {
    writer.varint(edge - before);
    before = edge;
  }
  return writer.written.slice();
}

export function unpackSpans(bytes: Uint8Array): [number, number][] {
  const reader = new ByteReader(bytes);
  const spans: [number, number][] = [];
  let before = 0;
  while (!reader.done) {
    const from = before + reader.varint();
    before = Math.min(SECONDS_AN_HOUR, from + reader.varint());
    spans.push([from, before]);
  }
  return spans;
}
