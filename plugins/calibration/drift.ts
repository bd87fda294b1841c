/** Drift of a meter between two checks with a calibrator, and the doubtful times in answers and in words. Pure. */
import { fixed } from '../../lib/built-in.ts';
import { named, type Range, type Schema, TIME } from '../../lib/index.ts';
import type { Calibration } from './calibration.ts';

/** Change of the meter between two checks. Times are ms since 1970 UTC. */
export interface CalibrationDrift {
  readonly between: readonly [number, number];
  readonly from: number;
  readonly to: number;
  readonly drift: number;
}

/** Error of the meter at the end of a check, dB; positive: it shows too much. */
const leftWith = ({ nominalDb, beforeDb, afterDb }: Calibration): number => (afterDb ?? beforeDb) - nominalDb;
/** Error of the meter at the beginning of a check, dB. */
const foundWith = ({ nominalDb, beforeDb }: Calibration): number => beforeDb - nominalDb;

/**
 * Drift between each check and the next one, in order of time. The two may use calibrators of different levels: the
 * error from the nominal level counts. Rounded to 0.01 dB, so that 94.5 - 94.0 is 0.5.
 */
export function driftsOf(log: readonly Calibration[]): readonly CalibrationDrift[] {
  const ordered = log.toSorted((one, other) => one.time - other.time);
  return ordered.slice(1).map((next, index) => {
    const last = ordered[index] ?? next;
    return {
      between: [last.id, next.id],
      from: last.time,
      to: next.time,
      drift: Math.round((foundWith(next) - leftWith(last)) * 100) / 100,
    };
  });
}

/** Drifts that touch the span and exceed the limit, dB. A drift equal to the limit does not exceed it. */
export const doubtfulWithin = (drifts: readonly CalibrationDrift[], { from, to }: Range, limit: number) =>
  drifts.filter((one) => Math.abs(one.drift) > limit && one.from < to && one.to > from);

export const DOUBTFUL: Schema = named('DoubtfulTime', {
  from: TIME,
  to: TIME,
  drift_db: { type: 'number', description: 'How far the meter moved between the two checks, dB.' },
  calibrations: { type: 'array', items: { type: 'string' }, description: 'Ids of the two checks.' },
});

export const shownDoubtful = ({ from, to, drift, between }: CalibrationDrift) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  drift_db: drift,
  calibrations: between.map(String),
});

/** The same as a sentence; `show` writes a time. */
export const doubtfulWords = ({ from, to, drift }: CalibrationDrift, show: (at: number) => string): string =>
  `From ${show(from)} to ${show(to)} the levels are doubtful: between these two calibrations the meter drifted by ${fixed(drift, 2)} dB.`;
