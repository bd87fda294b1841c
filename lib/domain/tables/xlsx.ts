/**
 * Tables as workbooks for spreadsheets (ECMA-376): numbers are numbers, and times are dates of the local clock with
 * their offset beside them. A text stays a text, whatever its first character. The same tables give the same bytes. The
 * library is loaded with the first workbook.
 */
import type { Readable } from 'node:stream';
import type { SheetCell, SheetColumn, TableSheet } from './sheet.ts';

/** The whole workbook. `at`: its time of creation, ms since 1970 UTC. Needs memory for all rows. */
export async function workbook(sheets: readonly TableSheet[], at: number): Promise<Buffer> {
  const { workbookOf } = await import('./written-xlsx.ts');
  return workbookOf(sheets, at);
}

/** A workbook of one sheet, row by row as it is read: its memory does not grow with the rows. */
export async function workbookStream(
  name: string,
  columns: readonly SheetColumn[],
  rows: AsyncIterable<readonly SheetCell[]>,
): Promise<Readable> {
  const { workbookStreamOf } = await import('./written-xlsx.ts');
  return workbookStreamOf(name, columns, rows);
}
