/**
 * Tables as workbooks for spreadsheets (ECMA-376): numbers are numbers, times are dates of the local clock with their offset beside them, and a
 * text is a text whatever it begins with. The same tables give the same bytes. What writes them is loaded with the first one.
 */
import type { Readable } from 'node:stream';

/** Levels in dB, shares from 0 to 1, times as ISO 8601 with their offset from UTC, dates as `2026-10-25`. What is no such time or date is a text. */
export type SheetKind = 'text' | 'time' | 'date' | 'level' | 'share' | 'number';

/** A column; beside one of times stands another one, with `offset` as its title. */
export interface SheetColumn {
  readonly title: string;
  readonly kind: SheetKind;
  /** Default: `UTC offset`. */
  readonly offset?: string;
}

/** Null: an empty cell. */
export type SheetCell = string | number | null;

/** One sheet of a workbook. */
export interface TableSheet {
  /** Any text: it is cut and made unique. */
  readonly name: string;
  readonly columns: readonly SheetColumn[];
  readonly rows: readonly (readonly SheetCell[])[];
}

/** What a spreadsheet calls these files. */
export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** The whole workbook. `at`: the moment that it names as its making, ms since 1970 UTC. Needs memory for all rows. */
export async function workbook(sheets: readonly TableSheet[], at: number): Promise<Buffer> {
  const { written } = await import('./written-xlsx.ts');
  return written(sheets, at);
}

/** A workbook of one sheet, row by row as it is read: memory does not grow with the rows. */
export async function workbookStream(
  name: string,
  columns: readonly SheetColumn[],
  rows: AsyncIterable<readonly SheetCell[]>,
): Promise<Readable> {
  const { streamed } = await import('./written-xlsx.ts');
  return streamed(name, columns, rows);
}
