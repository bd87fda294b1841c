/** Doubtful times in answers and in words. */
import { fixed, named, type Schema, TIME } from '../../lib/index.ts';
import type { CalibrationDrift } from './contract.ts';

/** A time with doubtful levels, in the form of the API. */
export const DOUBTFUL: Schema = named('DoubtfulTime', {
  from: TIME,
  to: TIME,
  drift_db: { type: 'number', description: 'How far the meter moved between the two checks, dB.' },
  calibrations: { type: 'array', items: { type: 'string' }, description: 'Ids of the two checks.' },
});

/** Such a time. */
export const shownDoubtful = ({ from, to, drift, between }: CalibrationDrift) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  drift_db: drift,
  calibrations: between.map(String),
});

/** The same as a sentence; `show` writes a time. */
export const doubtfulWords = ({ from, to, drift }: CalibrationDrift, show: (at: number) => string): string =>
  `From ${show(from)} to ${show(to)} the levels are doubtful: between these two calibrations the meter drifted by ${fixed(drift, 2)} dB.`;
