/**
 * Device configs: read from memory, changed one after the other for each unit, on the disk before memory shows it.
 * Credentials are encrypted when written and decrypted when read. The content of a config is not checked here.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../clock.ts';
import { CONFIG_FIELDS, newConfig } from '../domain/fields/config.ts';
import { type Field, freshRecord } from '../domain/fields/field.ts';
import { GatewayError, messageOf, unknownUnit } from '../errors.ts';
import { guarded } from '../guarded.ts';
import type { Log } from '../log.ts';
import type { ConfigListener, ConfigStore, DeviceConfig } from './contract.ts';
import type { DeviceConfigRow } from './own-tables.ts';
import type { Database } from './rows.ts';
import type { Sealer } from './secrets.ts';
import { SureChanges } from './sure-changes.ts';

export const CREDENTIALS = ['ftpUsername', 'ftpPassword'] as const satisfies readonly (keyof DeviceConfig)[];

const FRESH = freshRecord(CONFIG_FIELDS);

const isSecret = (name: string): name is (typeof CREDENTIALS)[number] => CREDENTIALS.some((secret) => secret === name);

/** Most units: each has its config, its last values and its watches in memory. */
export const MOST_UNITS = 10_000;

interface ConfigsParts {
  readonly database: Pick<Database, 'configs' | 'config' | 'putConfig' | 'dropUnit'>;
  readonly sealer: Sealer;
  /** Of a unit whose creator gives none. */
  readonly timezone: () => string;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Log;
}

/** All configs, in memory and on the disk. */
export class Configs implements ConfigStore {
  readonly #parts: ConfigsParts;
  readonly #present = new Map<string, DeviceConfig>();
  readonly #changes: SureChanges;
  readonly #listeners = new Set<ConfigListener>();
  #closed = false;
  #defaults: ConfigStore['defaults'] | undefined;

  constructor(parts: ConfigsParts) {
    this.#parts = parts;
    this.#changes = new SureChanges(parts.clock, (unitId) => this.#look(unitId));
  }

  get defaults(): ConfigStore['defaults'] {
    this.#defaults ??= newConfig(this.#parts.timezone());
    return this.#defaults;
  }

  async load(): Promise<void> {
    for (const row of await this.#parts.database.configs()) this.#present.set(row.unitId, this.#opened(row));
  }

  list(): readonly DeviceConfig[] {
    return [...this.#present.values()].sort((a, b) => (a.unitId < b.unitId ? -1 : 1));
  }

  get(unitId: string): DeviceConfig | undefined {
    return this.#present.get(unitId);
  }

  of(unitId: string): DeviceConfig {
    const config = this.get(unitId);
    if (!config) throw unknownUnit(unitId);
    return config;
  }

  change(unitId: string, next: (present: DeviceConfig | undefined) => DeviceConfig): Promise<DeviceConfig> {
    return this.#afterOthers(unitId, async () => {
      const config = Object.freeze({ ...next(this.#present.get(unitId)), unitId });
      this.#refuseTooMany(unitId);
      await this.#parts.database.putConfig(this.#sealed(config));
      this.#take(unitId, config);
      return config;
    });
  }

  remove(unitId: string): Promise<boolean> {
    return this.#afterOthers(unitId, async () => {
      if (!this.#present.has(unitId)) return false;
      await this.#parts.database.dropUnit(unitId);
      this.#take(unitId, undefined);
      return true;
    });
  }

  onChange(listener: ConfigListener, fields?: readonly (keyof DeviceConfig)[]): () => void {
    const own: ConfigListener = (unitId, config, before) => {
      const isSame = (name: keyof DeviceConfig) => isDeepStrictEqual(config?.[name], before?.[name]);
      if (fields && config && before && fields.every(isSame)) return;
      const failed = (err: unknown) =>
        this.#parts.log.error({ unit_id: unitId, err }, 'a listener for config changes failed');
      guarded(listener, failed)(unitId, config, before);
    };
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /** Takes no more changes and waits for those under way. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#changes.close();
    await this.#changes.settled();
  }

  /** Units under creation count, too, and units whose creation is uncertain. */
  #refuseTooMany(unitId: string): void {
    if (this.#present.has(unitId)) return;
    const created = [...this.#changes.open].filter((open) => open !== unitId && !this.#present.has(open));
    if (this.#present.size + created.length < MOST_UNITS) return;
    const message = `there are ${MOST_UNITS} units, which is the limit`;
    throw new GatewayError('INVALID', `There are ${MOST_UNITS} units, which is the limit.`, {
      errors: [{ path: '/unit_id', message }],
    });
  }

  #afterOthers<T>(unitId: string, work: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new GatewayError('STOPPING', 'The gateway is stopping.'));
    return this.#changes.inTurn(work, unitId);
  }

  /** After a change that the database did not answer. Errors: STORAGE_FAILED. */
  async #look(unitId: string): Promise<void> {
    const row = await this.#parts.database.config(unitId);
    const config = row && this.#opened(row);
    if (!isDeepStrictEqual(config, this.#present.get(unitId))) this.#take(unitId, config);
  }

  #take(unitId: string, config: DeviceConfig | undefined): void {
    const before = this.#present.get(unitId);
    if (config) this.#present.set(unitId, config);
    else this.#present.delete(unitId);
    for (const listener of this.#listeners) listener(unitId, config, before);
  }

  #sealed(config: DeviceConfig): DeviceConfigRow {
    const row: DeviceConfigRow = { ...config };
    for (const field of CREDENTIALS) {
      const plain = config[field];
      row[field] = plain === null ? null : this.#parts.sealer.seal(config.unitId, field, plain);
    }
    return row;
  }

  #opened(row: DeviceConfigRow): DeviceConfig {
    const config = Object.fromEntries(
      Object.keys(CONFIG_FIELDS).map((name) => {
        const field = name as keyof typeof CONFIG_FIELDS;
        return [field, isSecret(field) ? this.#openedField(row, field) : this.#filled(row, field)];
      }),
    );
    return Object.freeze({ ...(config as typeof this.defaults), unitId: row.unitId });
  }

  /** An object that an older release stored lacks the later fields. */
  #filled(row: DeviceConfigRow, name: Exclude<keyof typeof CONFIG_FIELDS, (typeof CREDENTIALS)[number]>): unknown {
    const value = row[name] ?? (name === 'timezone' ? this.defaults.timezone : FRESH[name]);
    const { parts }: Field = CONFIG_FIELDS[name];
    return parts ? Object.freeze({ ...freshRecord(parts), ...(value as object) }) : value;
  }

  /** A damaged value affects only the credentials of one meter. */
  #openedField(row: DeviceConfigRow, field: (typeof CREDENTIALS)[number]): string | null {
    const sealed = row[field];
    if (sealed === null || sealed === undefined) return null;
    try {
      return this.#parts.sealer.open(row.unitId, field, sealed);
    } catch (error) {
      this.#parts.log.error(
        { unit_id: row.unitId, field: field === 'ftpUsername' ? 'user name' : 'pass word', reason: messageOf(error) },
        'a stored FTP credential cannot be opened and counts as not set: set it again',
      );
      return null;
    }
  }
}
