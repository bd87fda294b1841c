/** Setups and checks that several tests of the sound share. */
import { FACTORY_SETUP } from '../../../simulator/acoustics/instrument.ts';
import type {
  ChannelSetup,
  DisplayValues,
  InstrumentSetup,
  PerChannel,
  TimeWeighting,
} from '../../../simulator/contract.ts';

/** Main A, sub1 C, sub2 Z, all with one time weighting; sub3 off. */
export function threeWeightings(time: TimeWeighting, movingLeqMs: number | null = null): InstrumentSetup {
  const channel = (frequency: ChannelSetup['frequency']): ChannelSetup => ({ on: true, frequency, time });
  const channels = { ...FACTORY_SETUP.channels, main: channel('A'), sub1: channel('C'), sub2: channel('Z') };
  return { ...FACTORY_SETUP, channels, movingLeqMs };
}

export function main<T>(values: PerChannel<T> | null): T {
  if (!values?.main) throw new Error('the main channel has no values');
  return values.main;
}

export function known(value: number | null): number {
  if (value === null) throw new Error('there is no value');
  return value;
}

/** Everything but the live level and the flags. */
export function measured(values: DisplayValues): readonly (number | null)[] {
  const { leq, le, lmax, lmin, ln, lpeak, lieq, leqMov, ltm5 } = values;
  return [leq, le, lmax, lmin, ...ln, lpeak, lieq, leqMov, ltm5];
}
