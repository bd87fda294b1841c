/** Permits are read from memory; a change is on the disk before memory shows it. */
import {
  type Clock,
  columns,
  type DeviceConfig,
  defineTable,
  GatewayError,
  type Identity,
  reaches,
  SureChanges,
  type Table,
  type TableMigration,
  type Tables,
} from '../../lib/index.ts';
import type { Permit, PermitBody } from './contract.ts';

const MOST_PERMITS = 500;

interface PermitRow {
  readonly name: string;
  readonly body: PermitBody;
  readonly changedAt: number;
}
export const PERMITS: Table<PermitRow> = defineTable('permits_permit', ['name'], {
  name: columns.text(),
  body: columns.json<PermitBody>(),
  changedAt: columns.integer(),
});

export const PERMIT_MIGRATIONS: readonly TableMigration[] = [
  {
    name: '0001-permits',
    statements: [
      `create table permits_permit (
        name text not null primary key,
        body json not null,
        changed_at integer not null
      )`,
    ],
  },
];

/** Permits by name. */
export class PermitStore {
  readonly #tables: Tables;
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #permits = new Map<string, Permit>();
  readonly #changes: SureChanges;

  constructor(tables: Tables, clock: Pick<Clock, 'now' | 'after'>) {
    this.#tables = tables;
    this.#clock = clock;
    this.#changes = new SureChanges(clock, () => this.load());
  }

  async load(): Promise<void> {
    const rows = await this.#tables.read((rows) => rows.find(PERMITS));
    this.#permits.clear();
    for (const { name, body } of rows) this.#permits.set(name, { ...body, name });
  }

  /** By name. */
  list(): readonly Permit[] {
    return [...this.#permits.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  find(name: string): Permit | undefined {
    return this.#permits.get(name);
  }

  /** Errors: INVALID where there are too many permits; STORAGE_FULL, STORAGE_FAILED. */
  put(name: string, body: PermitBody): Promise<Permit> {
    return this.#changes.inTurn(async () => {
      if (!this.#permits.has(name) && this.#permits.size >= MOST_PERMITS)
        throw new GatewayError('INVALID', `There are ${MOST_PERMITS} permits already; remove one.`);
      await this.#tables.write((rows) => rows.put(PERMITS, [{ name, body, changedAt: this.#clock.now() }]));
      const permit = { ...body, name };
      this.#permits.set(name, permit);
      return permit;
    });
  }

  remove(name: string): Promise<void> {
    return this.#changes.inTurn(async () => {
      await this.#tables.write((rows) => rows.remove(PERMITS, { name }));
      this.#permits.delete(name);
    });
  }

  /** Stops following changes. */
  close(): void {
    this.#changes.close();
  }
}

/** Whether the permit is for the unit. */
export const isFor = ({ units, tag }: PermitBody, { unitId, tags }: Pick<DeviceConfig, 'unitId' | 'tags'>): boolean =>
  units?.includes(unitId) ?? (tag !== undefined && tags.includes(tag));

/** A caller who may see one of its units may see the permit. */
export const isSeen = (permit: Permit, identity: Identity, configs: readonly DeviceConfig[]): boolean =>
  identity.units === null || configs.some((config) => isFor(permit, config) && reaches(identity, config.unitId));
