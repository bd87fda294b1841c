/**
 * Publishes for rules whether each meter still has the settings of its profile, or that it has no profile. It asks no
 * meter.
 */
import { type EventData, type Host, sleep } from '../../../lib/index.ts';
import { driftOf } from './drift.ts';
import type { LastValues } from './last-values.ts';
import type { ProfileStore } from './profile-store.ts';

const LOOK_MS = 60_000;

/** Runs until its signal aborts. */
export class DriftEvents {
  readonly #host: Host;
  readonly #profiles: ProfileStore;
  readonly #values: LastValues;
  /** The last published state of each unit, as text. */
  readonly #told = new Map<string, string>();

  constructor(host: Host, profiles: ProfileStore, values: LastValues) {
    this.#host = host;
    this.#profiles = profiles;
    this.#values = values;
  }

  /** Ends with the plugin. */
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

  /** Publishes changes since the last look, at all units or at one unit. */
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
