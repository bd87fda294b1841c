/** The tables of the store itself, with sealed credentials. They are made by its migrations; a test compares the two. */
import { CONFIG_FIELDS } from '../domain/fields/config.ts';
import { type Field, type Fields, field, type Table } from '../domain/fields/field.ts';
import { SNAPSHOT_FIELDS } from '../domain/fields/snapshot.ts';
import type { DeviceConfig, Snapshot } from './contract.ts';

/** A row may lack columns that its table got later. */
type RowOf<Record extends { readonly unitId: string }> = {
  -readonly [Name in keyof Record]: Name extends 'unitId' ? string : Record[Name] | null;
};
export type DeviceConfigRow = RowOf<DeviceConfig>;
export type SnapshotRow = RowOf<Snapshot & { readonly unitId: string }> & Shared;

/** The column of JSON that several fields of a snapshot share (`within`). */
type Shared = { levels?: Readonly<Record<string, unknown>> | null };

export interface Fact {
  readonly name: string;
  readonly value: string;
}

const text = field<string>({ column: 'text', fresh: '', schema: {} });
const levels: Field = { column: 'json', nullable: true, fresh: null, schema: {} };

/** Without fields that share a column. */
const columnsOf = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, { within }]) => !within));

export const CONFIG_TABLE: Table<DeviceConfigRow> = {
  name: 'device_config',
  key: ['unitId'],
  fields: { unitId: text, ...columnsOf(CONFIG_FIELDS) },
};

export const SNAPSHOT_TABLE: Table<SnapshotRow> = {
  name: 'snapshot',
  key: ['unitId'],
  fields: { unitId: text, ...columnsOf(SNAPSHOT_FIELDS), levels },
};

export const FACT_TABLE: Table<Fact> = { name: 'store_fact', key: ['name'], fields: { name: text, value: text } };

const SHARED = Object.entries(SNAPSHOT_FIELDS as Fields).flatMap(([name, { within }]) => (within ? [name] : []));

/** Last values as a row: values without a column of their own are put into `levels`. */
export function snapshotRow(unitId: string, values: Snapshot): SnapshotRow {
  const row: SnapshotRow = { ...values, unitId };
  const levels = Object.fromEntries(SHARED.map((name) => [name, Reflect.get(row, name) ?? null]));
  for (const name of SHARED) Reflect.deleteProperty(row, name);
  row.levels = Object.values(levels).some((value) => value !== null) ? levels : null;
  return row;
}

/** The reader leaves out unknown values. */
export const snapshotValues = ({ levels, ...row }: SnapshotRow): SnapshotRow => ({ ...row, ...levels });
