/** Finds the tone of a sound calibrator in levels of seconds. Pure; levels dB, times s since 1970 UTC. */
import { indices } from '../../lib/built-in.ts';

export interface Second {
  readonly at: number;
  /** Energetic mean. */
  readonly level: number;
  /** The lowest and the highest level. */
  readonly low: number;
  readonly high: number;
}

/** A time with a steady level near that of a calibrator: its full seconds, without those of switching on and off. */
export interface Tone {
  readonly from: number;
  readonly to: number;
  readonly level: number;
  readonly spread: number;
  readonly nominal: number;
}

/** Usual levels of sound calibrators (IEC 60942). */
export const NOMINAL_LEVELS: readonly number[] = Object.freeze([94, 114]);
/**
 * The level of a calibrator is constant (IEC 60942), and the levels of a meter have steps of 0.1 dB. Other sound moves
 * by more within some seconds.
 */
export const STEADY_DB = 0.3;
/** People leave a calibrator on for at least this long, s. A shorter time may be chance. */
const LEAST_S = 10;
/** Other commands interrupt the stream for up to this long, s. */
const LONGEST_GAP_S = 15;

/**
 * The tones in these seconds, in order. A tone lasts at least 10 s, and all its levels lie within 0.3 dB. Its mean is at
 * most `within` dB from one of `nominals`; the nearest is its nominal level. The seconds ascend. Up to 15 s may lack.
 */
export function tonesIn(
  seconds: readonly Second[],
  { nominals = NOMINAL_LEVELS, within }: { readonly nominals?: readonly number[]; readonly within: number },
): readonly Tone[] {
  const tones: Tone[] = [];
  for (let begin = 0; begin < seconds.length; ) {
    const run = steadyFrom(seconds, begin);
    const tone = toneOf(run, nominals);
    if (tone && Math.abs(tone.level - tone.nominal) <= within) tones.push(tone);
    // A steady time is looked at once, also at another level: a machine that hums for a day costs no more.
    begin += tone ? run.length : 1;
  }
  return tones;
}

function steadyFrom(seconds: readonly Second[], begin: number): readonly Second[] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let end = begin;
  for (; end < seconds.length; end++) {
    const [second, last] = [seconds[end], seconds[end - 1]];
    if (!second || (end > begin && last && second.at - last.at > LONGEST_GAP_S)) break;
    low = Math.min(low, second.low);
    high = Math.max(high, second.high);
    // Levels are multiples of 0.01 dB at most: the sum of two has no exact form.
    if (high - low > STEADY_DB + 0.001) break;
  }
  return seconds.slice(begin, end);
}

/** Undefined: too short. */
function toneOf(run: readonly Second[], nominals: readonly number[]): Tone | undefined {
  const [first, last] = [run[0], run.at(-1)];
  if (!first || !last || last.at + 1 - first.at < LEAST_S || run.length < LEAST_S / 2) return undefined;
  const level = hundredths(indices.energyMean(run.map((second) => ({ level: second.level, seconds: 1 }))) ?? 0);
  const high = run.reduce((most, second) => Math.max(most, second.high), first.high);
  const low = run.reduce((least, second) => Math.min(least, second.low), first.low);
  const nominal = nominals.reduce((best, each) => (Math.abs(each - level) < Math.abs(best - level) ? each : best), 94);
  return { from: first.at, to: last.at + 1, level, spread: hundredths(high - low), nominal };
}

const hundredths = (value: number): number => Math.round(value * 100) / 100;
