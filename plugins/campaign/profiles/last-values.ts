/**
 * The last value of each setting of each meter, read or set by any caller, and its changes. They come from events: no meter
 * is asked here. A value is stored when it changes, and when its time in the table is old.
 */
import type { DeviceState, KeptOfUnits } from '../../../lib/built-in.ts';
import { type Host, type Reservation, SureChanges, type Tables } from '../../../lib/index.ts';
import { isDayOld, readDaily } from '../daily.ts';
import { SETTING_CHANGES, SETTING_VALUES, type SettingChangeRow } from '../tables.ts';
import { settingsAmong } from './profile.ts';
import type { ProfileStore } from './profile-store.ts';

interface Unwritten {
  /** The unit was removed before all of these. */
  readonly isRemoved: boolean;
  /** Settings whose last value is not written. */
  readonly names: ReadonlySet<string>;
  readonly changes: readonly SettingChangeRow[];
}

const ALL_WRITTEN: Unwritten = { isRemoved: false, names: new Set(), changes: [] };
/** All earlier rows are removed. */
const REMOVED: Unwritten = { ...ALL_WRITTEN, isRemoved: true };

/** Both, the second later; of more changes than `most`, the oldest are left out. */
function joined(one: Unwritten, other: Unwritten, most: number): Unwritten {
  if (other.isRemoved) return other;
  return {
    isRemoved: one.isRemoved,
    names: new Set([...one.names, ...other.names]),
    changes: [...one.changes, ...other.changes].slice(-most),
  };
}

/** The time of an unchanged value in the table is at most this old, ms. */
const WRITE_MS = 600_000;
/** Kept, and not among the changes: a measurement changes it by itself. */
const INDEX_NUMBER = 'index_number';
/** The most changes of each meter that are kept. */
export const MOST_CHANGES = 10_000;

/** `at`: ms since 1970 UTC. */
export interface LastValue {
  readonly value: string;
  readonly at: number;
}

/** In memory, and on the disk after each change. After a failed write the rows are written again. */
export class LastValues implements KeptOfUnits {
  readonly unitTables = [SETTING_VALUES, SETTING_CHANGES];
  readonly #host: Host;
  readonly #tables: Tables;
  readonly #names: ReadonlySet<string>;
  readonly #units = new Map<string, Map<string, LastValue>>();
  readonly #states = new Map<string, DeviceState>();
  readonly #written = new Map<string, number>();
  readonly #numbers = new Map<string, number>();
  readonly #unwritten = new Map<string, Unwritten>();
  readonly #writes: SureChanges;

  constructor(host: Host, tables: Tables) {
    this.#host = host;
    this.#tables = tables;
    this.#names = new Set(host.families.settings.map(({ name }) => name));
    this.#writes = new SureChanges(host.clock, (unitId) => this.#write(unitId));
  }

  async load(): Promise<void> {
    for (const { unitId, name, value, at } of await this.#tables.read((rows) => rows.find(SETTING_VALUES))) {
      this.#of(unitId).set(name, { value, at });
      this.#written.set(`${unitId} ${name}`, at);
    }
    const numbered = await this.#tables.read((rows) => rows.find(SETTING_CHANGES, { order: { n: 'asc' } }));
    for (const { unitId, n } of numbered) this.#numbers.set(unitId, n);
    this.#host.on('setting', ({ unitId, data: { name, value }, time }) => this.note(unitId, name, value, time));
    this.#host.on('state', ({ unitId, data: { state }, time }) => this.#noteState(unitId, state, time));
  }

  of(unitId: string): ReadonlyMap<string, LastValue> {
    return this.#units.get(unitId) ?? new Map();
  }

  /** In the order of sight. */
  async changes(unitId: string): Promise<readonly SettingChangeRow[]> {
    return this.#tables.read((rows) => rows.find(SETTING_CHANGES, { where: { unitId }, order: { n: 'asc' } }));
  }

  note(unitId: string, name: string, value: string, at: number): void {
    const isListed = this.#names.has(name);
    if (!isListed && name !== INDEX_NUMBER) return;
    const before = this.#of(unitId).get(name);
    this.#of(unitId).set(name, { value, at });
    const key = `${unitId} ${name}`;
    if (before?.value === value && at - (this.#written.get(key) ?? 0) < WRITE_MS) return;
    this.#written.set(key, at);
    const isChange = isListed && before?.value !== value;
    const changes = isChange ? [{ unitId, n: this.#nextNumber(unitId), name, value, at }] : [];
    this.#keep(unitId, { ...ALL_WRITTEN, names: new Set([name]), changes }).catch((err: unknown) =>
      this.#host.log.warn({ unit_id: unitId, err }, 'settings are written later'),
    );
  }

  /** A new or changed value was read or set just now; an unchanged value may be old. */
  #noteState(unitId: string, state: DeviceState, at: number): void {
    const before = this.#states.get(unitId);
    this.#states.set(unitId, state);
    const { frequencyWeighting: frequency, timeWeighting: time, storeName } = state;
    if (frequency !== null && frequency !== before?.frequencyWeighting)
      this.note(unitId, 'frequency_weighting', frequency, at);
    if (time !== null && time !== before?.timeWeighting) this.note(unitId, 'time_weighting', time, at);
    if (storeName !== null && storeName !== before?.storeName) this.note(unitId, INDEX_NUMBER, storeName, at);
  }

  #nextNumber(unitId: string): number {
    const n = (this.#numbers.get(unitId) ?? 0) + 1;
    this.#numbers.set(unitId, n);
    return n;
  }

  #of(unitId: string): Map<string, LastValue> {
    const values = this.#units.get(unitId) ?? new Map<string, LastValue>();
    this.#units.set(unitId, values);
    return values;
  }

  #keep(unitId: string, more: Unwritten): Promise<void> {
    this.#unwritten.set(unitId, joined(this.#unwritten.get(unitId) ?? ALL_WRITTEN, more, MOST_CHANGES));
    return this.#writes.inTurn(() => this.#write(unitId), unitId);
  }

  async #write(unitId: string): Promise<void> {
    const owed = this.#unwritten.get(unitId);
    if (!owed) return;
    this.#unwritten.delete(unitId);
    const values = [...this.of(unitId)].filter(([name]) => owed.names.has(name));
    try {
      await this.#tables.write(async (rows) => {
        if (owed.isRemoved) for (const table of [SETTING_VALUES, SETTING_CHANGES]) await rows.remove(table, { unitId });
        await rows.put(
          SETTING_VALUES,
          values.map(([name, last]) => ({ unitId, name, ...last })),
        );
        const last = owed.changes.at(-1);
        if (!last) return;
        await rows.put(SETTING_CHANGES, owed.changes);
        await rows.remove(SETTING_CHANGES, { unitId, n: { atMost: last.n - MOST_CHANGES } });
      });
    } catch (error) {
      const since = this.#unwritten.get(unitId) ?? ALL_WRITTEN;
      this.#unwritten.set(unitId, joined(owed, since, MOST_CHANGES));
      throw error;
    }
  }

  /** Another meter may get the id later. Errors: STORAGE_FULL, STORAGE_FAILED; then it is done later. */
  forget(unitId: string): Promise<void> {
    for (const name of this.of(unitId).keys()) this.#written.delete(`${unitId} ${name}`);
    this.#units.delete(unitId);
    this.#states.delete(unitId);
    this.#numbers.delete(unitId);
    return this.#keep(unitId, REMOVED);
  }

  close(): void {
    this.#writes.close();
  }
}

/** Reads the settings of each meter with a profile once a day, except those that were read meanwhile. */
export const readSettings = (host: Host, profiles: ProfileStore, values: LastValues): Promise<void> =>
  readDaily(host, {
    firstMs: 60_000,
    units: () => profiles.assigned().map(({ unitId }) => unitId),
    async read(unitId) {
      const config = host.configs.get(unitId);
      const [assigned] = profiles.assigned().filter((one) => one.unitId === unitId);
      if (!config?.tcpEnabled || !assigned) return;
      const { settings: known } = host.families.get(config.family);
      for (const [{ name }] of settingsAmong(profiles.find(assigned.profile)?.settings ?? {}, known)) {
        const last = values.of(unitId).get(name);
        if (last && !isDayOld(last.at, host.clock.now())) continue;
        const read = (reservation: Reservation) => reservation.readSetting(name);
        const caller = { signal: host.signal, priority: 'background' } as const;
        const value = await host.meter(unitId).reserve(`read ${name}`, read, caller);
        host.publish(unitId, 'setting', { name, value });
      }
    },
    failure: 'the settings could not be read',
  });
