/** Frames as the lines of a chart: each frame is a point, and a time without frames is a gap. Pure. */

/** 100 ms of a meter. */
export interface Frame {
  /** ms since 1970 UTC. */
  readonly at: number;
  /** dB; null: the meter had no value. */
  readonly lp: number | null;
  readonly leq: number | null;
  /** It was louder than the range of the meter. */
  readonly over: boolean;
  /** Frames that were left out before this one. */
  readonly missed: number;
}

type Level = number | null;
/** Time in s, Leq of 100 ms, Lp, and the level where it was over range; all in dB, null where nothing is drawn. */
export type FrameLines = [x: number[], leq: Level[], lp: Level[], over: Level[]];

/** Frames come each 100 ms, on a slow link several at once. */
const PAUSE_MS = 1_500;

/** Those from `begin` to `end`, in ms. `frames`: the oldest first. Nothing is left out: the chart knows how many pixels it has. */
export function linesOf(frames: readonly Frame[], begin: number, end: number): FrameLines {
  const [x, leq, lp, over]: FrameLines = [[], [], [], []];
  let before = Number.POSITIVE_INFINITY;
  for (let index = firstFrom(frames, begin); index < frames.length; index += 1) {
    const frame = frames[index];
    if (!frame || frame.at > end) break;
    if (frame.missed > 0 || frame.at - before > PAUSE_MS) {
      // A point without a value ends the line.
      x.push((before + frame.at) / 2_000);
      leq.push(null);
      lp.push(null);
      over.push(null);
    }
    x.push(frame.at / 1_000);
    leq.push(frame.leq);
    lp.push(frame.lp);
    over.push(frame.over ? (frame.lp ?? frame.leq) : null);
    before = frame.at;
  }
  return [x, leq, lp, over];
}

/** Index of the first frame at `begin` or later. */
function firstFrom(frames: readonly Frame[], begin: number): number {
  let [low, high] = [0, frames.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((frames[middle]?.at ?? 0) < begin) low = middle + 1;
    else high = middle;
  }
  return low;
}
