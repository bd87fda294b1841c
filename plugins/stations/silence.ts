/** Reports whether stations still send, so that missing observations never look calm and dry. Times are ms since 1970 UTC. */
import { STALE_INTERVALS } from '../../lib/built-in.ts';
import { type EventData, type Host, sleep } from '../../lib/index.ts';
import type { StationStore } from './store.ts';
import type { StationRow } from './tables.ts';

/** How often stations are checked, ms. */
const LOOK_MS = 30_000;
const MOST_NAMED = 5;

/** Null: unknown, since the gateway or the station has not been there for long enough. */
export type Silent = boolean | null;

/** The limit of the station, or three times its usual pause: the longer of `interval_s` and its newest observation's length, ms. */
export function silentAfter(store: StationStore, { id, body }: StationRow): number {
  const usual = Math.max(body.intervalS * 1_000, store.newest(id)?.duration ?? 0);
  return body.silentAfterS === null ? STALE_INTERVALS * usual : body.silentAfterS * 1_000;
}

export class StationSilence {
  readonly #host: Host;
  readonly #store: StationStore;
  /** Start of this plugin, by the monotonic clock, ms. Earlier nobody could send. */
  readonly #startedAt: number;
  /** The last published state of each unit, as text. */
  readonly #told = new Map<string, string>();

  constructor(host: Host, store: StationStore) {
    this.#host = host;
    this.#store = store;
    this.#startedAt = host.clock.elapsed();
  }

  /** Until the plugin ends. The first check is not at once: before all plugins are loaded, nobody would get the event. */
  async run(): Promise<void> {
    const { clock, signal } = this.#host;
    this.#host.part('stations', () => this.#trouble());
    this.#host.on('addition', ({ unitId }) => this.look([unitId]));
    // The listeners have forgotten the unit.
    this.#host.on('removal', ({ unitId }) => this.#told.delete(unitId));
    for (;;) {
      await sleep(clock, LOOK_MS, signal).catch(() => {});
      if (signal.aborted) return;
      this.look();
    }
  }

  of(station: StationRow): Silent {
    const [now, limit] = [this.#host.clock.now(), silentAfter(this.#store, station)];
    const newest = this.#store.newest(station.id);
    if (newest && now - newest.at <= limit) return false;
    const hadTime = this.#host.clock.elapsed() - this.#startedAt > limit && now - station.changedAt > limit;
    return hadTime ? true : null;
  }

  /** Publishes the changes at these units, or at all units. */
  look(only?: readonly string[]): void {
    const units = this.#host.configs.list().map(({ unitId }) => unitId);
    const states = this.#store.list().map((station) => ({ station, silent: this.of(station) }));
    for (const unitId of only?.filter((name) => units.includes(name)) ?? units) {
      const own = states.filter(({ station }) => station.body.units?.includes(unitId) ?? true);
      const silent = own
        .filter(({ silent }) => silent === true)
        .map(({ station }) => ({ station: station.id, lastAt: this.#store.newest(station.id)?.at ?? null }));
      const isKnown = own.every(({ silent }) => silent !== null);
      this.#tell(unitId, { count: own.length, silent, isKnown });
    }
  }

  #tell(unitId: string, state: EventData['stations']): void {
    const text = JSON.stringify(state);
    if (this.#told.get(unitId) === text) return;
    this.#told.set(unitId, text);
    this.#host.publish(unitId, 'stations', state);
  }

  #trouble() {
    const silent = this.#store.list().filter((station) => this.of(station) === true);
    if (silent.length === 0) return undefined;
    const names = silent.slice(0, MOST_NAMED).map((station) => station.id);
    const more = silent.length > MOST_NAMED ? ` and ${silent.length - MOST_NAMED} more` : '';
    return { detail: `Stations that have sent nothing for too long: ${names.join(', ')}${more}.` };
  }
}
