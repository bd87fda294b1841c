/**
 * Frames as the lines of a chart: each frame is a point, and a time without frames is a gap. Recorded values fill the time
 * before the first frame and the gaps, as a separate line. Pure.
 */

export interface Frame {
  /** ms since 1970 UTC. */
  readonly at: number;
  /** dB; null: the meter had no value. */
  readonly lp: number | null;
  readonly leq: number | null;
  readonly over: boolean;
  readonly missed: number;
}

/** A recorded second, or a single reading. */
export interface Recorded {
  /** ms since 1970 UTC. */
  readonly at: number;
  readonly level: number;
}

type Level = number | null;
/** Time in s, Leq of 100 ms, Lp, the level where it was over range, what was recorded; all in dB, null where nothing is drawn. */
type FrameLines = [x: number[], leq: Level[], lp: Level[], over: Level[], recorded: Level[]];

/** Frames come each 100 ms, on a slow link several at once. */
const PAUSE_MS = 1_500;

/** Those from `begin` to `end`, in ms; both lists the oldest first. Nothing is left out: the chart knows how many pixels it has. */
export function linesOf(
  frames: readonly Frame[],
  recorded: readonly Recorded[],
  begin: number,
  end: number,
): FrameLines {
  const lines: FrameLines = [[], [], [], [], []];
  const fill = filler(lines, recorded, begin);
  let before = begin;
  let isFirst = true;
  for (let index = firstFrom(frames, begin); index < frames.length; index += 1) {
    const frame = frames[index];
    if (!frame || frame.at > end) break;
    const isGap = frame.missed > 0 || frame.at - before > PAUSE_MS;
    // A point without a value ends the line.
    if (isGap && !isFirst) push(lines, before + 10, null, null, null, null);
    if (isGap || isFirst) fill(before, frame.at);
    push(lines, frame.at, frame.leq, frame.lp, frame.over ? (frame.lp ?? frame.leq) : null, null);
    before = frame.at;
    isFirst = false;
  }
  fill(before, end);
  return lines;
}

function push([x, ...levels]: FrameLines, at: number, ...values: readonly Level[]): void {
  x.push(at / 1_000);
  for (const [index, line] of levels.entries()) line.push(values[index] ?? null);
}

/** Puts what was recorded between two moments; called for one after the other. */
function filler(lines: FrameLines, recorded: readonly Recorded[], begin: number) {
  let next = firstFrom(recorded, begin);
  return (from: number, to: number): void => {
    let before = Number.POSITIVE_INFINITY;
    for (; next < recorded.length; next += 1) {
      const { at, level } = recorded[next] ?? { at: to, level: 0 };
      if (at >= to) return;
      if (at <= from) continue;
      if (at - before > PAUSE_MS) push(lines, (before + at) / 2, null, null, null, null);
      push(lines, at, null, null, null, level);
      before = at;
    }
  };
}

function firstFrom(all: readonly { readonly at: number }[], begin: number): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.at ?? 0) < begin) low = middle + 1;
    else high = middle;
  }
  return low;
}
