/** Rows as CSV (RFC 4180): for spreadsheets, and for `POST history/import`. */
import { createHash } from 'node:crypto';
import type { HistoryRow } from '../history/contract.ts';
import { type Cell, type Columns, cellsOf, headerOf } from './columns.ts';

/** `csv`: comma and decimal point. `csv-de`: semicolon and decimal comma, as spreadsheets in many European languages read it. */
export type CsvFormat = 'csv' | 'csv-de';

const SEPARATOR = { csv: ',', 'csv-de': ';' } as const;
const LINE_END = '\r\n';
/** A spreadsheet takes a text cell that begins like this for a formula and runs it (CWE-1236). */
const FORMULA = /^[=+\-@\t\r]/;

export const csvHeader = (columns: Columns, format: CsvFormat): string =>
  csvLine(withDuration(headerOf(columns), 'duration_s'), format);

/** The duration makes a row complete by itself, also where the last one is shorter or a day has 23 hours. */
export const csvRow = (row: HistoryRow, columns: Columns, format: CsvFormat): string =>
  csvLine(withDuration(cellsOf(row, columns), row.to - row.from), format);

/** SHA-256 of the whole CSV of these rows, hexadecimal: what anybody gets who hashes the file. */
export function csvHash(rows: readonly HistoryRow[], columns: Columns): string {
  const hash = createHash('sha256').update(csvHeader(columns, 'csv'));
  for (const row of rows) hash.update(csvRow(row, columns, 'csv'));
  return hash.digest('hex');
}

const withDuration = <T>([start, ...rest]: readonly T[], duration: T): T[] => [start as T, duration, ...rest];

/** One line with its end. */
export const csvLine = (cells: readonly Cell[], format: CsvFormat): string =>
  cells.map((cell) => csvCell(cell, format)).join(SEPARATOR[format]) + LINE_END;

function csvCell(cell: Cell, format: CsvFormat): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return format === 'csv-de' ? String(cell).replace('.', ',') : String(cell);
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
