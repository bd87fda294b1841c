/** Listens to the stream while a calibrator is on the microphone. */
import { type Clock, GatewayError, indices, type LiveFrame, type Meter } from '../../lib/index.ts';

/** A level that wanders by more than this is not a calibrator's, dB: its steps of 0.1 dB, and one more. */
const STEADY_DB = 0.3;
/** Until the first frame, ms: the stream may have to begin. */
const FIRST_FRAME_MS = 15_000;
/** Fewer frames than this part of ten a second are no measurement. */
const ENOUGH = 0.5;
const FRAMES_PER_SECOND = 10;

/** What was heard. Times are ms since 1970 UTC, levels dB. */
export interface CalibratorLevel {
  readonly from: number;
  readonly to: number;
  readonly frames: number;
  /** Energetic mean of Lp. */
  readonly level: number;
  /** The highest less the lowest Lp. */
  readonly spread: number;
  readonly steady: boolean;
  readonly overRange: boolean;
}

/** Errors: DEVICE_TIMEOUT where no levels come, or too few; the reason of the signal. */
export async function measureCalibrator(
  { feed, unitId }: Meter,
  seconds: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<CalibratorLevel> {
  const frames = await framesOf(feed, seconds * 1_000, clock, signal);
  const levels = frames.flatMap(({ frame }) => (frame.main.lp === null ? [] : [Number(frame.main.lp)]));
  const [first, last] = [frames[0], frames.at(-1)];
  if (!first || !last || levels.length < seconds * FRAMES_PER_SECOND * ENOUGH)
    throw new GatewayError('DEVICE_TIMEOUT', `The stream of ${unitId} gave ${levels.length} levels in ${seconds} s.`);
  const energy = levels.reduce((sum, level) => sum + indices.energyOf(level), 0) / levels.length;
  const spread = Math.round((Math.max(...levels) - Math.min(...levels)) * 100) / 100;
  return {
    ...{ from: first.at, to: last.at, frames: levels.length },
    level: Math.round(indices.levelOf(energy) * 100) / 100,
    ...{ spread, steady: spread <= STEADY_DB, overRange: frames.some(({ frame }) => frame.main.over === true) },
  };
}

/** All frames of so many ms after the first one; those until then where the stream ends before. */
function framesOf(feed: Meter['feed'], ms: number, clock: Clock, signal: AbortSignal): Promise<LiveFrame[]> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const frames: LiveFrame[] = [];
    const begun = clock.now();
    const ending = new AbortController();
    let cancel = clock.after(FIRST_FRAME_MS, () => done());
    const unwatch = feed.watch({
      frame(frame) {
        // Of a stream that others watch, the last frame comes at once.
        if (frame.at <= begun || frames.push(frame) > 1) return;
        cancel();
        cancel = clock.after(ms, () => done());
      },
      status() {},
      end: () => done(),
    });
    const end = () => {
      cancel();
      unwatch();
      ending.abort();
    };
    const done = () => {
      end();
      resolve(frames);
    };
    const gone = () => {
      end();
      reject(signal.reason);
    };
    signal.addEventListener('abort', gone, { once: true, signal: ending.signal });
  });
}
