/**
 * Columns of tables that the gateway fills itself, by the type in the database. No row has defaults: `fresh` has no
 * meaning here. A column that the API shows has a schema.
 */
import { type Field, type FieldSchema, field, TIME } from './field.ts';

type Column = Field['column'];

const always = <Value>(column: Column, fresh: Value, schema: FieldSchema) => field({ column, fresh, schema });
const orNull = <Value>(column: Column, schema: FieldSchema) =>
  field<Value | null>({ column, nullable: true, fresh: null, schema });

export const text = <Value extends string = string>(schema: FieldSchema = {}) => always('text', '' as Value, schema);
export const textOrNull = <Value extends string = string>(schema: FieldSchema = {}) => orNull<Value>('text', schema);
export const integer = (schema: FieldSchema = {}) => always('integer', 0, schema);
export const integerOrNull = (schema: FieldSchema = {}) => orNull<number>('integer', schema);
export const boolean = (schema: FieldSchema = {}) => always('boolean', false, schema);
export const real = (schema: FieldSchema = {}) => always('real', 0, schema);
export const realOrNull = (schema: FieldSchema = {}) => orNull<number>('real', schema);
export const json = <Value>(schema: FieldSchema = {}) => always('json', {} as Value, schema);
export const jsonOrNull = <Value>(schema: FieldSchema = {}) => orNull<Value>('json', schema);

/** Columns of each version of a record of a unit, beside its content. The key is id and version. */
export const versioned = {
  /** 1, 2, 3 ...; never reused. */
  id: integer({ type: 'string' }),
  unitId: text({ type: 'string' }),
  createdAt: integer(TIME),
  version: integer({ type: 'integer', description: '1, 2, 3 ...: each change makes a new one.' }),
  by: text({ type: 'string', description: 'Who made this version.' }),
  changedAt: integer(TIME),
  /** The record was removed with this version. */
  removed: boolean({ type: 'boolean' }),
} as const;
