/**
 * The columns of stored rows, from the stored quantities: a level has the same index in every row, in memory and in
 * sums. On the disk the four columns of the first release are first and have no names. Every other column is written
 * with its name, and only if it has a value. So a new quantity needs no new format, and rows of earlier releases stay
 * readable.
 */
import { FLAGS } from '../../domain/flags.ts';
import { KEPT, type KeptQuantity, QUANTITIES } from '../../domain/quantities.ts';
import { type ByteReader, type ByteWriter, centiOf, NONE, readLevels, writeLevels } from './bytes.ts';

/** Hundredths of a dB by index; NONE for a missing level. */
export type Levels = ArrayLike<number>;

/** 0, 1, 2 ...: the index of each stored quantity. */
export const PLACES: readonly number[] = KEPT.map((_, place) => place);
const NAMES: readonly string[] = KEPT;
/** -1 for a name that is not stored. */
export const placeOf = (name: string): number => NAMES.indexOf(name);

export const UNNAMED = Object.freeze(['leq', 'lmax', 'lmin', 'lpeak'] as const satisfies readonly KeptQuantity[]);
export const NAMED: readonly KeptQuantity[] = KEPT.filter((name) => !UNNAMED.some((first) => first === name));
const FLAG_NAMES: readonly string[] = FLAGS;
/** Flags whose seconds are counted in columns without a name. */
export const UNNAMED_FLAGS = 4;

export const LMAX = placeOf('lmax');

/** Whether the column is a mean of energies; the others are maxima or minima. */
export const isMean = (place: number): boolean => QUANTITIES[KEPT[place] ?? 'leq'].sum === 'energy';
export const isMinimum = (place: number): boolean => QUANTITIES[KEPT[place] ?? 'leq'].sum === 'minimum';

export const storedLevels = (row: { readonly [Name in KeptQuantity]?: number | null }): number[] =>
  KEPT.map((name) => centiOf(row[name] ?? null));

export const noLevels = (): number[] => KEPT.map(() => NONE);

export const unnamedOf = <Column>(columns: readonly Column[]): Column[] =>
  UNNAMED.flatMap((name) => columns[placeOf(name)] ?? []);

/** Writes the named columns, levels and then counts of flags; empty columns are left out. */
export function writeNamed(writer: ByteWriter, levels: readonly Int16Array[], flagged: readonly Uint8Array[]): void {
  const used = NAMED.flatMap((name) => {
    const column = levels[placeOf(name)];
    return column && hasLevel(column) ? [[name, column] as const] : [];
  });
  writer.varint(used.length);
  for (const [name, column] of used) {
    writer.text(name);
    writeLevels(writer, column);
  }
  const raised = namedFlags(flagged).filter(([, column]) => column.some((count) => count > 0));
  writer.varint(raised.length);
  for (const [name, column] of raised) {
    writer.text(name);
    writer.raw(column);
  }
}

/** Reads the output of `writeNamed`. Unknown columns, from a newer release, are skipped. */
export function readNamed(
  reader: ByteReader,
  count: number,
  levels: readonly Int16Array[],
  flagged: readonly Uint8Array[],
): void {
  for (let left = reader.varint(); left > 0; left--)
    readLevels(reader, levels[placeOf(reader.text())] ?? new Int16Array(count));
  for (let left = reader.varint(); left > 0; left--) {
    const name = reader.text();
    const column = reader.raw(count);
    flagged[FLAG_NAMES.indexOf(name)]?.set(column);
  }
}

/** Whether a named column has a value: the row then needs the form with names. */
export const needsNames = (levels: readonly Int16Array[], flagged: readonly Uint8Array[]): boolean =>
  NAMED.some((name) => hasLevel(levels[placeOf(name)] ?? new Int16Array(0))) ||
  namedFlags(flagged).some(([, column]) => column.some((count) => count > 0));

const hasLevel = (column: Int16Array): boolean => column.some((level) => level !== NONE);

const namedFlags = (flagged: readonly Uint8Array[]): (readonly [string, Uint8Array])[] =>
  flagged.flatMap((column, bit) => (bit < UNNAMED_FLAGS ? [] : [[FLAGS[bit] ?? '', column] as const]));
