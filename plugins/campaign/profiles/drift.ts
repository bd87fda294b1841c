/** Compares the last known settings of meters with their profile, and publishes the result for rules. It asks no meter. */

import { type EventData, type Host, sleep } from '../../../lib/index.ts';
import type { LastValue, LastValues } from './last-values.ts';
import type { ProfileSettings } from './profile.ts';
import type { ProfileStore } from './profile-store.ts';

/** A meter compared with its profile. `last`: by the name of the setting. `unknown`: no read setting differs, but some were not read. */
export function driftOf(settings: ProfileSettings, last: ReadonlyMap<string, LastValue>) {
  const all = Object.entries(settings).map(([setting, wanted]) => ({ setting, wanted, ...last.get(setting) }));
  const differences = all.flatMap(({ setting, wanted, value, at }) =>
    value === undefined || at === undefined || value === wanted ? [] : [{ setting, wanted, found: value, at }],
  );
  const notRead = all.filter(({ value }) => value === undefined).map(({ setting }) => setting);
  const state: EventData['drift']['state'] =
    differences.length > 0 ? 'differs' : notRead.length > 0 ? 'unknown' : 'same';
  /** The oldest time of reading of all settings; null while a setting was never read. */
  const oldest = notRead.length > 0 ? null : Math.min(...all.map(({ at = 0 }) => at));
  return { state, differences, notRead, oldest };
}

const LOOK_MS = 60_000;

export class DriftEvents {
  readonly #host: Host;
  readonly #profiles: ProfileStore;
  readonly #values: LastValues;
  readonly #told = new Map<string, string>();

  constructor(host: Host, profiles: ProfileStore, values: LastValues) {
    this.#host = host;
    this.#profiles = profiles;
    this.#values = values;
  }

  async run(): Promise<void> {
    const { clock, signal } = this.#host;
    // Events from before all plugins were loaded may have had no listeners.
    this.#told.clear();
    this.#host.on('addition', ({ unitId }) => this.look(unitId));
    this.#host.on('removal', ({ unitId }) => this.#told.delete(unitId));
    while (!signal.aborted) {
      this.look();
      await sleep(clock, LOOK_MS, signal).catch(() => {});
    }
  }

  look(only?: string): void {
    const profileOf = new Map(this.#profiles.assigned().map(({ unitId, profile }) => [unitId, profile]));
    const units = new Set(this.#host.configs.list().map(({ unitId }) => unitId));
    for (const unitId of only === undefined ? units : [only])
      if (units.has(unitId)) this.#tell(unitId, this.#driftOf(unitId, profileOf.get(unitId)));
  }

  #driftOf(unitId: string, profile: string | undefined): EventData['drift'] {
    const wanted = profile === undefined ? undefined : this.#profiles.find(profile);
    if (!wanted) return { profile: null, state: 'unknown', differences: [] };
    const { state, differences } = driftOf(wanted.settings, this.#values.of(unitId));
    const found = differences.map(({ setting, wanted, found }) => ({ setting, wanted, found }));
    return { profile: wanted.name, state, differences: found };
  }

  #tell(unitId: string, drift: EventData['drift']): void {
    const text = JSON.stringify(drift);
    if (this.#told.get(unitId) === text) return;
    this.#told.set(unitId, text);
    this.#host.publish(unitId, 'drift', drift);
  }
}
