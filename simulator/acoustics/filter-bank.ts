/** The filters of all channels that are on: for each the time-weighted mean square, and also the I-weighted one for LIeq. */
import { CHANNELS } from '../../lib/drivers/nl43/spec/layouts.ts';
import type { ChannelName, FrequencyWeighting, InstrumentSetup, PerChannel } from '../contract.ts';
import { type TimeFilter, timeFilter } from './time-weighting.ts';
import { type SoundWindow, windowSteps } from './window.ts';

/** One channel; `weighted` and `impulse` hold the values at the ends of the steps run last, at their places in the window. */
export interface Track {
  readonly name: ChannelName;
  readonly frequency: FrequencyWeighting;
  readonly filter: TimeFilter;
  readonly detector: TimeFilter;
  readonly weighted: Float64Array;
  readonly impulse: Float64Array;
}

/** Runs over the steps in order, each once. */
export class FilterBank {
  readonly tracks: readonly Track[];

  constructor(tracks: readonly Track[]) {
    this.tracks = tracks;
  }

  /** Sets every filter as after an endless time of the sound at one place of a window. */
  settle(window: SoundWindow, place: number): void {
    for (const { filter, detector, frequency } of this.tracks) {
      const energy = window.energy[frequency][place] as number;
      filter.settle(energy);
      detector.settle(energy);
    }
  }

  run(window: SoundWindow, from: number, to: number): void {
    for (const track of this.tracks) {
      const energy = window.energy[track.frequency];
      track.filter.run(energy, from, to, track.weighted);
      track.detector.run(energy, from, to, track.impulse);
    }
  }

  /** Goes on from the state of another bank of the same setup. */
  restore(other: FilterBank): void {
    this.tracks.forEach((track, place) => {
      const twin = other.tracks[place];
      if (!twin) throw new RangeError('the banks have different channels');
      track.filter.restore(twin.filter.state);
      track.detector.restore(twin.detector.state);
    });
  }
}

/** For the channels that are on in this setup. */
export function filterBank(setup: InstrumentSetup, stepMs: number): FilterBank {
  const steps = windowSteps(stepMs);
  const names = CHANNELS.filter((name) => setup.channels[name].on);
  return new FilterBank(
    names.map((name) => ({
      name,
      frequency: setup.channels[name].frequency,
      filter: timeFilter(setup.channels[name].time, stepMs),
      detector: timeFilter('I', stepMs),
      weighted: new Float64Array(steps),
      impulse: new Float64Array(steps),
    })),
  );
}

/** One value a channel, null for those without. */
export function perChannel<T>(pick: (name: ChannelName) => T | null): PerChannel<T> {
  return { main: pick('main'), sub1: pick('sub1'), sub2: pick('sub2'), sub3: pick('sub3') };
}
