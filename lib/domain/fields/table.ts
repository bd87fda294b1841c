/** A table of a plugin, defined by its fields. Its migrations make it; the store reads and writes it. */
import type { Fields, RecordOf } from './field.ts';

/** A table whose rows have the type `Row`. */
export interface Table<Row> {
  readonly name: string;
  /** The fields that tell one row from the others. */
  readonly key: readonly (keyof Row & string)[];
  readonly fields: Fields;
}

/** `name` is the name of the table in the database: the name of the plugin, or this name with `_` and more. */
export function defineTable<Given extends Fields>(
  name: string,
  key: readonly (keyof Given & string)[],
  fields: Given,
): Table<RecordOf<Given>> {
  return { name, key, fields };
}
