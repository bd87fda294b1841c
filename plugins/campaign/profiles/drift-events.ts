/** Tells by events whether each meter with a profile still has its settings, so that rules hear of it. No meter is asked here. */
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
  /** What was told last of each unit, as text. */
  readonly #told = new Map<string, string>();

  constructor(host: Host, profiles: ProfileStore, values: LastValues) {
    this.#host = host;
    this.#profiles = profiles;
    this.#values = values;
  }

  /** Ends with the plugin. */
  async run(): Promise<void> {
    const { clock, signal } = this.#host;
    while (!signal.aborted) {
      this.#look();
      await sleep(clock, LOOK_MS, signal).catch(() => {});
    }
  }

  #look(): void {
    const assigned = new Set<string>();
    for (const { unitId, profile } of this.#profiles.assigned()) {
      const wanted = this.#profiles.find(profile);
      if (!wanted || !this.#host.configs.get(unitId)) continue;
      assigned.add(unitId);
      const { state, differences } = driftOf(wanted.settings, this.#values.of(unitId));
      const found = differences.map(({ setting, wanted, found }) => ({ setting, wanted, found }));
      this.#tell(unitId, { profile, state, differences: found });
    }
    for (const unitId of this.#told.keys()) {
      if (assigned.has(unitId)) continue;
      this.#tell(unitId, { profile: null, state: 'unknown', differences: [] });
      this.#told.delete(unitId);
    }
  }

  #tell(unitId: string, drift: EventData['drift']): void {
    const text = JSON.stringify(drift);
    if (this.#told.get(unitId) === text) return;
    this.#told.set(unitId, text);
    this.#host.publish(unitId, 'drift', drift);
  }
}
