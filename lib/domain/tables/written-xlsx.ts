/** How tables become workbooks. */
import { Readable } from 'node:stream';
import { type CellValue, type ColumnDef, writeXlsx, writeXlsxStream } from 'hucre/xlsx';
import { rest } from '../../turns.ts';
import type { SheetCell, SheetColumn, SheetKind, TableSheet } from './sheet.ts';

const FORMATS: Readonly<Record<SheetKind, string>> = {
  text: '@',
  time: 'yyyy-mm-dd hh:mm:ss',
  date: 'yyyy-mm-dd',
  level: '0.0',
  share: '0.0%',
  number: 'General',
};
/** Characters of a cell, and of the name of a sheet (limits of spreadsheets). */
const [MOST_TEXT, MOST_NAME] = [32_767, 31];
const WIDTHS: Readonly<Record<SheetKind, number>> = { text: 28, time: 20, date: 12, level: 12, share: 12, number: 12 };
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

export async function workbookOf(sheets: readonly TableSheet[], at: number): Promise<Buffer> {
  const names = sheetNames(sheets.map(({ name }) => name));
  const bytes = await writeXlsx({
    properties: { created: new Date(at), modified: new Date(at) },
    sheets: sheets.map(({ columns, rows }, n) => ({
      name: names[n] ?? '',
      columns: definitionsOf(columns).map(({ header, ...form }) => form),
      freezePane: { rows: 1 },
      rows: [definitionsOf(columns).map(({ header }) => header ?? ''), ...rows.map((row) => cellsOf(row, columns))],
    })),
  });
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function workbookStreamOf(
  name: string,
  columns: readonly SheetColumn[],
  rows: AsyncIterable<readonly SheetCell[]>,
): Readable {
  async function* cells(): AsyncGenerator<CellValue[]> {
    for await (const row of rows) {
      yield cellsOf(row, columns);
      await rest();
    }
  }
  const [sheet = ''] = sheetNames([name]);
  const options = { name: sheet, columns: definitionsOf(columns), freezePane: { rows: 1 } };
  return Readable.fromWeb(writeXlsxStream(cells(), options));
}

function definitionsOf(columns: readonly SheetColumn[]): ColumnDef[] {
  return columns.flatMap(({ title, kind, offset = 'UTC offset' }) => {
    const own = { header: textOf(title), numFmt: FORMATS[kind], width: WIDTHS[kind] };
    return kind === 'time' ? [own, { header: textOf(offset), numFmt: FORMATS.text, width: 11 }] : [own];
  });
}

const cellsOf = (row: readonly SheetCell[], columns: readonly SheetColumn[]): CellValue[] =>
  columns.flatMap(({ kind }, n): CellValue[] => {
    const cell = row[n] === '' ? null : (row[n] ?? null);
    if (typeof cell !== 'string') return kind === 'time' ? [cell, null] : [cell];
    if (kind === 'date') return [DAY.test(cell) ? new Date(cell) : textOf(cell)];
    if (kind !== 'time') return [textOf(cell)];
    const [, clock, offset] = TIME.exec(cell) ?? [];
    // A spreadsheet knows no zones: the time on the clock is written as UTC.
    return clock && offset ? [new Date(`${clock}Z`), offset === 'Z' ? '+00:00' : offset] : [textOf(cell), null];
  });

/** Without control characters, and without text that a spreadsheet would read as a control character (`_x000D_`). */
const textOf = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/(?![\n\t])[\p{Cc}\ufffe\uffff]/gu, ' ')
    .slice(0, MOST_TEXT)
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_');

/** As spreadsheets take them: without their marks of formulas, short, and no two alike. */
function sheetNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const plain = textOf(name)
      .replaceAll(/[[\]:*?/\\\s]+/g, ' ')
      .replaceAll(/^['\s]+|['\s]+$/g, '');
    for (let n = 1; ; n += 1) {
      const end = n === 1 ? '' : ` (${n})`;
      const own = `${plain.slice(0, MOST_NAME - end.length).toWellFormed() || 'Sheet'}${end}`;
      if (taken.has(own.toLowerCase())) continue;
      taken.add(own.toLowerCase());
      return own;
    }
  });
}
