/** Reads the stream while a calibrator is on the microphone. */
import { countOf, indices } from '../../lib/built-in.ts';
import { type Clock, GatewayError, type LiveFrame, type Meter } from '../../lib/index.ts';
import { STEADY_DB } from './tones.ts';

/** Wait for the first frame, ms: the stream may have to begin. */
const FIRST_FRAME_MS = 15_000;
/**
 * A measurement lasts until it has its frames, but at most this many times as long: other questions to the meter
 * interrupt the stream, those after a new connection for 12 s.
 */
const LONGEST = 2;
const ENOUGH = 0.5;
const FRAMES_PER_SECOND = 10;

/** Times are ms since 1970 UTC, levels dB. Errors: DEVICE_TIMEOUT if no levels come, or too few; the reason of the signal. */
export async function measureCalibrator({ feed, unitId }: Meter, seconds: number, clock: Clock, signal: AbortSignal) {
  const wanted = seconds * FRAMES_PER_SECOND;
  const frames = await framesOf(feed, wanted, LONGEST * seconds * 1_000, clock, signal);
  const levels = frames.flatMap(({ frame }) => (frame.main.lp === null ? [] : [Number(frame.main.lp)]));
  const [first, last] = [frames[0], frames.at(-1)];
  if (!first || !last || levels.length < wanted * ENOUGH)
    throw new GatewayError(
      'DEVICE_TIMEOUT',
      `The stream of ${unitId} gave ${countOf(levels.length, 'level')} in ${seconds} s.`,
    );
  const energy = levels.reduce((sum, level) => sum + indices.energyOf(level), 0) / levels.length;
  const spread = Math.round((Math.max(...levels) - Math.min(...levels)) * 100) / 100;
  return {
    from: first.at,
    to: last.at,
    frames: levels.length,
    level: Math.round(indices.levelOf(energy) * 100) / 100,
    spread,
    steady: spread <= STEADY_DB,
    overRange: frames.some(({ frame }) => frame.main.over === true),
  };
}

/** The first `wanted` frames; fewer if the stream ends earlier, or `ms` after the first frame. */
function framesOf(
  feed: Meter['feed'],
  wanted: number,
  ms: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<LiveFrame[]> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const frames: LiveFrame[] = [];
    const begun = clock.now();
    const ending = new AbortController();
    let cancel = clock.after(FIRST_FRAME_MS, () => done());
    const unwatch = feed.watch({
      frame(frame) {
        // A stream that others watch passes on its last frame at once.
        if (frame.at <= begun) return;
        const count = frames.push(frame);
        if (count >= wanted) return done();
        if (count > 1) return;
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
