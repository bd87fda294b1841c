/**
 * Computes when a frame of the fast stream was measured. Its arrival does not show it: a cellular link holds frames
 * back and delivers them in bunches. The meter's counter does: it counts frames since the request was accepted, and
 * starts again after its last number (`FrameTiming` of the family). So frame k was measured from `start + (k - 1) *
 * length` on, and only `start` must be known:
 *
 *   - not later than the moment at which the gateway read that the request was accepted;
 *   - not later than the arrival of any frame k, minus k times its length: no frame arrives before it was measured.
 *
 * The least of these is the best estimate. It drifts forward very slowly, because the meter's crystal may be slower
 * than ours. Frames keep their distance on the grid of their length. Only when the estimate has moved by more than a
 * step, a step is left out or doubled. All of this is monotonic time. The offset to the wall clock is added last:
 * setting the wall clock only moves later frames.
 */
import type { Frame, FrameTiming } from '../../lib/built-in.ts';

/** `time`: wall clock, ms since 1970 UTC; `elapsed` and `begun` (see `LiveFrame`): monotonic, ms. */
export interface ArrivedFrame {
  readonly frame: Frame;
  readonly time: number;
  readonly elapsed: number;
  readonly begun: number;
}

/** A frame and the step in which it was measured, counted in lengths of a frame from 1970 UTC. */
export interface PlacedFrame {
  readonly step: number;
  readonly frame: Frame;
}

/** The first frames of a request wait this long, ms: of a bunch, only the last frame shows the start. */
const SETTLE_MS = 300;
/** How much slower than ours a meter's crystal may be. */
const DRIFT = 1e-4;
/** If a frame arrives this much too early, ms, the meter counts differently: the frame is placed by its arrival. */
const IMPOSSIBLE_MS = 1_000;

interface Run {
  readonly timing: FrameTiming;
  readonly begun: number;
  /** Estimate: when frame 1 began to be measured, monotonic, ms. */
  start: number;
  number: number;
  elapsed: number;
  placed?: { readonly number: number; readonly step: number };
  readonly settled: number;
  readonly waiting: { readonly number: number; readonly arrived: ArrivedFrame }[];
}

export class FrameClock {
  readonly #timing: FrameTiming;
  #run: Run | undefined;

  constructor(timing: FrameTiming) {
    this.#timing = timing;
  }

  /** Frames that can be placed now, in order: often this one, sometimes none, after a bunch several. */
  take(arrived: ArrivedFrame): PlacedFrame[] {
    const before = this.#run?.begun === arrived.begun ? [] : this.flush();
    const run = this.#run ?? begin(arrived, this.#timing);
    this.#run = run;
    if (!count(run, arrived)) return before;
    run.waiting.push({ number: run.number, arrived });
    return run.placed || arrived.elapsed >= run.settled ? [...before, ...placeAll(run)] : before;
  }

  /** The stream has ended, or its recording changes: returns the frames that still wait. */
  flush(): PlacedFrame[] {
    const run = this.#run;
    this.#run = undefined;
    return run ? placeAll(run) : [];
  }
}

/** A viewer of a stream that has run for long may have missed whole turns of the counter: then only arrivals show its start. */
const begin = ({ begun, elapsed }: ArrivedFrame, timing: FrameTiming): Run => ({
  timing,
  begun,
  start: elapsed - begun < timing.lastCounter * timing.frameMs ? begun : Number.POSITIVE_INFINITY,
  number: 0,
  elapsed,
  settled: elapsed + SETTLE_MS,
  waiting: [],
});

/** Continues the count and improves the estimate. False for a repeated frame. */
function count(run: Run, { frame, elapsed }: ArrivedFrame): boolean {
  const { frameMs, lastCounter } = run.timing;
  const ahead = (((frame.counter - run.number) % lastCounter) + lastCounter) % lastCounter;
  if (ahead === 0) return false;
  const latest = run.start + DRIFT * (elapsed - run.elapsed);
  const possible = elapsed - (run.number + ahead) * frameMs;
  const isCounted = possible >= latest - IMPOSSIBLE_MS;
  run.number = isCounted ? run.number + ahead : frame.counter;
  run.start = isCounted ? Math.min(latest, possible) : elapsed - frame.counter * frameMs;
  run.elapsed = elapsed;
  if (!isCounted) delete run.placed;
  return true;
}

function placeAll(run: Run): PlacedFrame[] {
  return run.waiting.splice(0).map(({ number, arrived }) => {
    const step = stepOf(run, number, arrived);
    run.placed = { number, step };
    return { step, frame: arrived.frame };
  });
}

function stepOf({ timing: { frameMs }, start, placed }: Run, number: number, { time, elapsed }: ArrivedFrame): number {
  const estimate = (start + (number - 1) * frameMs + (time - elapsed)) / frameMs;
  const next = placed ? placed.step + (number - placed.number) : Number.NaN;
  return Math.abs(next - estimate) <= 1 ? next : Math.round(estimate);
}
