/**
 * The tables as the ORM sees them. The tables themselves are made by `migrations/`; a test compares the two.
 * Credentials are already sealed text here (see `secrets.ts`): nothing in this file ever holds a password.
 */
import { defineEntity, EntitySchema, type EntitySchemaProperty, p } from '@mikro-orm/core';
import { CONFIG_FIELDS } from '../domain/fields/config.ts';
import type { Field, Fields } from '../domain/fields/field.ts';
import { SNAPSHOT_FIELDS } from '../domain/fields/snapshot.ts';
import type { DeviceConfig, Snapshot } from './contract.ts';

/** A row may lack columns that its table got later. */
type RowOf<Record extends { readonly unitId: string }> = {
  -readonly [Name in keyof Record]: Name extends 'unitId' ? string : Record[Name] | null;
};
/** A config in the database, credentials sealed. */
export type DeviceConfigRow = RowOf<DeviceConfig>;
/** A snapshot in the database. */
export type SnapshotRow = RowOf<Snapshot & { readonly unitId: string }> & Shared;

/** Columns of JSON that several fields of a snapshot share (`within`). */
const SHARED_COLUMNS = ['levels'] as const;
type Shared = { [Column in (typeof SHARED_COLUMNS)[number]]?: Readonly<Record<string, unknown>> | null };

/** The table of a record, from its fields. */
function entityOf<Row extends object>(
  name: string,
  tableName: string,
  fields: Fields,
  shared: readonly string[] = [],
): EntitySchema<Row> {
  const properties: ReturnType<typeof columnsOf> = {
    unitId: { type: 'string', primary: true },
    ...columnsOf(fields),
    ...Object.fromEntries(shared.map((column) => [column, { type: TYPES.json, nullable: true }])),
  };
  // The columns are data, so the ORM cannot infer the row from them: the type must name it.
  const schema: EntitySchema = new EntitySchema({ name, tableName, properties });
  return schema;
}

// SQLite integers have 64 bits: milliseconds since 1970 fit, and stay numbers in JavaScript.
const TYPES = { text: 'text', integer: 'integer', real: 'double', boolean: 'boolean', json: 'json' } as const;

const columnsOf = (fields: Fields): Record<string, EntitySchemaProperty<unknown, unknown>> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => (field.within ? [] : [[name, columnOf(field)]])),
  );

const columnOf = ({ column, nullable, older }: Field): EntitySchemaProperty<unknown, unknown> => ({
  type: TYPES[column],
  nullable: nullable ?? false,
  ...(older !== undefined && { default: older }),
});

/** The table `device_config`. */
export const DeviceConfigEntity = entityOf<DeviceConfigRow>('DeviceConfig', 'device_config', CONFIG_FIELDS);
/** The table `snapshot`. */
export const SnapshotEntity = entityOf<SnapshotRow>('Snapshot', 'snapshot', SNAPSHOT_FIELDS, SHARED_COLUMNS);

const SHARED = Object.entries(SNAPSHOT_FIELDS as Fields).flatMap(([name, { within }]) => (within ? [name] : []));

/** Last values as a row: values without a column of their own are put into `levels`. */
export function snapshotRow(unitId: string, values: Snapshot): SnapshotRow {
  const row: SnapshotRow = { ...values, unitId };
  const levels = Object.fromEntries(SHARED.map((name) => [name, Reflect.get(row, name) ?? null]));
  for (const name of SHARED) Reflect.deleteProperty(row, name);
  row.levels = Object.values(levels).some((value) => value !== null) ? levels : null;
  return row;
}

/** The values of a row; the reader leaves out unknown values. */
export const snapshotValues = ({ levels, ...row }: SnapshotRow): SnapshotRow => ({ ...row, ...levels });

/** Facts about the database itself, by name. */
export const StoreFactEntity = defineEntity({
  name: 'StoreFact',
  tableName: 'store_fact',
  properties: {
    name: p.string().primary(),
    value: p.text(),
  },
});

/** A migration of a plugin that has run; the name begins with the plugin's. */
const PluginMigrationEntity = defineEntity({
  name: 'PluginMigration',
  tableName: 'plugin_migration',
  properties: { name: p.string().primary() },
});

/** All tables of the store, without the tables of plugins. */
export const storeEntities = [DeviceConfigEntity, SnapshotEntity, StoreFactEntity, PluginMigrationEntity];
