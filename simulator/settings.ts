/**
 * The values that the meter keeps, also without power: one for every command that can be set and asked. Their effects are in
 * other files.
 */
import { COMMANDS } from '../lib/drivers/nl43/spec/commands.ts';
import type { ChannelSetup, FrequencyWeighting, InstrumentSetup, TimeWeighting } from './contract.ts';
import { readParameter } from './grammar.ts';
import type { Profile } from './profile.ts';

/** Told apart by the menu of the meter: the user value of one of its times. */
type UserTime =
  | 'Measurement Time Manual'
  | 'Measurement Time Auto'
  | 'Leq Calculation Interval'
  | 'Moving Leq Interval';

const UNIT_MS: Readonly<Record<string, number>> = Object.freeze({ ms: 1, s: 1_000, m: 60_000, h: 3_600_000 });

export class Settings {
  readonly #values = new Map<string, string>();
  readonly #profile: Profile;

  constructor(profile: Profile) {
    this.#profile = profile;
    for (const fact of COMMANDS) {
      if (fact.initial === undefined) continue;
      this.#values.set(fact.name, readParameter(fact.values, fact.initial, profile) ?? fact.initial);
    }
    this.#values.set('Echo', profile.echo_at_first);
  }

  get(name: string): string {
    const value = this.#values.get(name);
    if (value === undefined) throw new Error(`the meter keeps no value for ${name}`);
    return value;
  }

  isOn(name: string): boolean {
    return this.get(name) === 'On';
  }

  /** True when the value has changed. */
  set(name: string, value: string): boolean {
    if (this.get(name) === value) return false;
    this.#values.set(name, value);
    return true;
  }

  get storeMode(): 'Manual' | 'Auto' {
    return this.get('Store Mode') === 'Manual' ? 'Manual' : 'Auto';
  }

  /** The preset time of the store mode in force, ms. */
  get measurementMs(): number {
    const mode = this.storeMode;
    return this.#preset(`Measurement Time Preset ${mode}`, `Measurement Time ${mode}`) ?? Number.POSITIVE_INFINITY;
  }

  /** ms, or null when off. */
  get leqIntervalMs(): number | null {
    return this.#preset('Leq Calculation Interval Preset', 'Leq Calculation Interval');
  }

  get lpIntervalMs(): number | null {
    return spanMs(this.get('Lp Store Interval'));
  }

  get instrument(): InstrumentSetup {
    const percentile = (slot: number) => Number(this.get(`Percentile ${slot}`));
    return {
      channels: {
        main: this.#channel('Main', true),
        sub1: this.#channel('Sub1', this.isOn('Display Sub Channel 1')),
        sub2: this.#channel('Sub2', this.isOn('Display Sub Channel 2')),
        sub3: this.#channel('Sub3', this.isOn('Display Sub Channel 3')),
      },
      percentiles: [percentile(1), percentile(2), percentile(3), percentile(4), percentile(5)],
      movingLeqMs: this.#preset('Moving Leq Interval Preset', 'Moving Leq Interval'),
      percentileClass: this.#profile.percentile_class,
    };
  }

  #channel(name: string, on: boolean): ChannelSetup {
    return {
      on,
      frequency: this.get(`Frequency Weighting (${name})`) as FrequencyWeighting,
      time: this.get(`Time Weighting (${name})`) as TimeWeighting,
    };
  }

  #preset(preset: string, user: UserTime): number | null {
    const word = this.get(preset);
    return spanMs(word === 'Manual' ? `${this.get(`${user} (Num)`)}${this.get(`${user} (Unit)`)}` : word);
  }
}

/** `100ms`, `10s`, `1m`, `24h` in ms; null for `Off`. */
export function spanMs(word: string): number | null {
  const parts = /^(\d+)(ms|s|m|h)$/.exec(word);
  return parts ? Number(parts[1]) * (UNIT_MS[parts[2] ?? ''] ?? 0) : null;
}
