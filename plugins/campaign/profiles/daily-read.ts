/**
 * Once a day the settings of each meter with a profile are read, except recently read settings. It works in the background,
 * one meter after the other. A meter that does not answer is asked again an hour later.
 */
import { type Host, messageOf, type Reservation, sleep } from '../../../lib/index.ts';
import type { LastValues } from './last-values.ts';
import { settingsAmong } from './profile.ts';
import type { ProfileStore } from './profile-store.ts';

const DAY_MS = 86_400_000;
const LOOK_MS = 60_000;
const AGAIN_MS = 3_600_000;

/** Runs until its signal aborts. */
export class DailyRead {
  readonly #host: Host;
  readonly #profiles: ProfileStore;
  readonly #values: LastValues;
  /** When a unit that did not answer may be asked again, on the monotonic clock. */
  readonly #notBefore = new Map<string, number>();

  constructor(host: Host, profiles: ProfileStore, values: LastValues) {
    this.#host = host;
    this.#profiles = profiles;
    this.#values = values;
  }

  /** Ends with the plugin. */
  async run(): Promise<void> {
    const { clock, signal, log } = this.#host;
    while (!signal.aborted) {
      await sleep(clock, LOOK_MS, signal).catch(() => {});
      for (const { unitId, profile } of this.#profiles.assigned()) {
        if (signal.aborted) return;
        if (clock.elapsed() < (this.#notBefore.get(unitId) ?? 0)) continue;
        await this.#read(unitId, profile).catch((error: unknown) => {
          this.#notBefore.set(unitId, clock.elapsed() + AGAIN_MS);
          log.info(
            { unit_id: unitId, reason: messageOf(error) },
            'the settings could not be read; the next try is in an hour',
          );
        });
      }
    }
  }

  async #read(unitId: string, profile: string): Promise<void> {
    const { clock, configs, families, signal } = this.#host;
    const config = configs.get(unitId);
    if (!config?.tcpEnabled) return;
    const { settings: known } = families.get(config.family);
    for (const [{ name }] of settingsAmong(this.#profiles.find(profile)?.settings ?? {}, known)) {
      const last = this.#values.of(unitId).get(name);
      // A future time was stored while the wall clock was ahead.
      if (last && Math.abs(clock.now() - last.at) < DAY_MS) continue;
      const caller = { signal, priority: 'background' } as const;
      const read = (reservation: Reservation) => reservation.readSetting(name);
      const value = await this.#host.meter(unitId).reserve(`read ${name}`, read, caller);
      this.#host.publish(unitId, 'setting', { name, value });
    }
  }
}
