/** Rows as CSV (RFC 4180): for spreadsheets, and for `POST history/import`. */
import { createHash } from 'node:crypto';
import type { HistoryRow } from '../../history/contract.ts';
import { type SymbolWeightings, symbolOf } from '../quantities.ts';
import { localText, offsetText, zoneOffset } from '../zone.ts';
import { type Cell, type Columns, cellsOf, headerOf, weightedWord } from './columns.ts';

/** `csv`: comma and decimal point. `csv-de`: semicolon and decimal comma, as spreadsheets in many European languages read it. */
export type CsvFormat = 'csv' | 'csv-de';

const SEPARATOR = { csv: ',', 'csv-de': ';' } as const;
const LINE_END = '\r\n';
/**
 * A spreadsheet runs a text cell with such a beginning as a formula (CWE-1236); Japanese spreadsheets also accept the
 * wide signs.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

export interface MoreColumns<Row extends HistoryRow = HistoryRow> {
  readonly header: readonly string[];
  cellsOf(row: Row): readonly Cell[];
}

export interface CsvForm<Row extends HistoryRow = HistoryRow> {
  readonly columns: Columns;
  readonly format: CsvFormat;
  readonly local?: ClockOfPlace | undefined;
  /** Default: names of the API, for programs. */
  readonly symbols?: Symbols | undefined;
  readonly more?: MoreColumns<Row> | undefined;
}

/** For people: symbols with weighting and unit (`LAeq dB`). The first column has the unit id. */
interface Symbols {
  readonly unitId: string;
  readonly weightings: SymbolWeightings;
  /** Channel of all columns whose names have no weighting; absent: the main channel, which is not named. */
  readonly channel?: string;
}

type TitleForm = Pick<CsvForm, 'columns' | 'local' | 'symbols'> & {
  readonly more?: Pick<MoreColumns, 'header'> | undefined;
};

export function titlesOf({ columns, local, symbols, more }: TitleForm): readonly Cell[] {
  const names = [...headerOf(columns), ...(more?.header ?? [])].map((name) =>
    symbols ? titleOf(name, symbols) : name,
  );
  const cells = withTimes(names, 'duration_s', local && { time: 'local_time', offset: 'utc_offset' });
  return symbols ? ['unit_id', ...cells] : cells;
}

/** The first line, with its line end. */
export const csvHeader = ({ format, ...form }: TitleForm & Pick<CsvForm, 'format'>): string =>
  csvHead(titlesOf(form), format, form.symbols !== undefined);

/** `LAeq dB`; `LAeq dB (sub1)`. Other columns keep their names. */
function titleOf(name: string, { weightings, channel }: Symbols): string {
  const known = weightedWord(name.replace(/_bound$/, ''));
  const symbol = symbolOf(known ? name.replace(known.word, known.quantity) : name, known?.weighting ?? weightings);
  if (symbol === name) return name;
  return `${symbol} dB${channel && !known ? ` (${channel})` : ''}`;
}

/** With its duration each row is complete, also if the last row is shorter or a day has 23 hours. */
export function fileCellsOf<Row extends HistoryRow>(
  row: Row,
  { columns, local, symbols, more }: Omit<CsvForm<Row>, 'format'>,
): readonly Cell[] {
  const own = [...cellsOf(row, columns), ...(more?.cellsOf(row) ?? [])];
  const cells = withTimes(own, row.to - row.from, local?.(row.from));
  return symbols ? [symbols.unitId, ...cells] : cells;
}

export const csvRow = <Row extends HistoryRow>(row: Row, form: CsvForm<Row>): string =>
  csvLine(fileCellsOf(row, form), form.format);

/** SHA-256 of the whole CSV of these rows, hexadecimal: the same as the hash of the file. */
export function csvHash<Row extends HistoryRow>(
  rows: readonly Row[],
  form: Omit<CsvForm<Row>, 'format' | 'local'>,
): string {
  const csv: CsvForm<Row> = { ...form, format: 'csv' };
  const hash = createHash('sha256').update(csvHeader(csv));
  for (const row of rows) hash.update(csvRow(row, csv));
  return hash.digest('hex');
}

const withTimes = (
  [start = null, ...rest]: readonly Cell[],
  duration: Cell,
  local: LocalCells | undefined,
): readonly Cell[] =>
  local === undefined ? [start, duration, ...rest] : [start, local.time, duration, ...rest, local.offset];

interface LocalCells {
  /** `2026-11-21 07:00:00`: every spreadsheet reads it as a time. */
  readonly time: string;
  /** `UTC+01:00`: tells two equal hours apart. Because of the letters no spreadsheet takes it for a formula. */
  readonly offset: string;
}

type ClockOfPlace = (at: number) => LocalCells;

/** The local cells of a time in this zone. */
export const clockOf =
  (zone: string): ClockOfPlace =>
  (at) => {
    const offset = zoneOffset(zone, at * 1_000);
    return { time: localText(at * 1_000 + offset), offset: `UTC${offsetText(offset)}` };
  };

/** First character of a CSV for people: without it spreadsheets read letters such as ü wrongly. */
export const BYTE_ORDER_MARK = '\ufeff';

/** In another form than `csv`, or with titles `forPeople`, the file begins with a byte order mark. */
export const csvHead = (titles: readonly Cell[], format: CsvFormat, forPeople = false): string =>
  `${forPeople || format !== 'csv' ? BYTE_ORDER_MARK : ''}${csvLine(titles, format)}`;

export const csvLine = (cells: readonly Cell[], format: CsvFormat): string =>
  cells.map((cell) => csvCell(cell, format)).join(SEPARATOR[format]) + LINE_END;

function csvCell(cell: Cell, format: CsvFormat): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return format === 'csv-de' ? String(cell).replace('.', ',') : String(cell);
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
