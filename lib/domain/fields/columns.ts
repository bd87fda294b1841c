/**
 * Columns of tables that the gateway fills by itself, by what the database holds. Nobody enters their values, and no row is
 * fresh: `schema` and `fresh` say nothing here.
 */
import { type Field, field } from './field.ts';

type Column = Field['column'];

const always = <Value>(column: Column, fresh: Value) => field({ column, fresh, schema: {} });
const orNull = <Value>(column: Column) => field<Value | null>({ column, nullable: true, fresh: null, schema: {} });

export const text = <Value extends string = string>() => always('text', '' as Value);
export const textOrNull = () => orNull<string>('text');
export const integer = () => always('integer', 0);
export const integerOrNull = () => orNull<number>('integer');
export const boolean = () => always('boolean', false);
export const realOrNull = () => orNull<number>('real');
export const json = <Value>() => always('json', {} as Value);
export const jsonOrNull = <Value>() => orNull<Value>('json');
