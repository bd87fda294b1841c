/**
 * Columns of tables that the gateway fills itself, by the type in the database. Nobody enters their values, and no row
 * has defaults: `schema` and `fresh` have no meaning here.
 */
import { type Field, field } from './field.ts';

type Column = Field['column'];

const always = <Value>(column: Column, fresh: Value) => field({ column, fresh, schema: {} });
const orNull = <Value>(column: Column) => field<Value | null>({ column, nullable: true, fresh: null, schema: {} });

/** A text, never null. */
export const text = <Value extends string = string>() => always('text', '' as Value);
/** A text or null. */
export const textOrNull = <Value extends string = string>() => orNull<Value>('text');
/** A whole number, never null. */
export const integer = () => always('integer', 0);
/** A whole number or null. */
export const integerOrNull = () => orNull<number>('integer');
/** True or false, never null. */
export const boolean = () => always('boolean', false);
/** A number, never null. */
export const real = () => always('real', 0);
/** A number or null. */
export const realOrNull = () => orNull<number>('real');
/** A value that is kept as JSON, never null. */
export const json = <Value>() => always('json', {} as Value);
/** A value that is kept as JSON, or null. */
export const jsonOrNull = <Value>() => orNull<Value>('json');
