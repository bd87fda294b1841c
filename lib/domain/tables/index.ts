/** Levels of the history as tables: steps, columns, words for quality, CSV. Knows no HTTP and no storage. */
export {
  type Cell,
  type Columns,
  cellsOf,
  columnsOf,
  DEFAULT_QUANTITIES,
  decibels,
  headerOf,
  levelText,
  QUANTITY_WORDS,
  qualityOfRow,
  type RowsBeside,
  rowBeside,
  shownCoverage,
  shownTenths,
  utc,
  type WordWeighting,
  withBounds,
} from './columns.ts';
export {
  BYTE_ORDER_MARK,
  type CsvForm,
  type CsvFormat,
  clockOf,
  csvHash,
  csvHead,
  csvHeader,
  csvLine,
  csvRow,
  fileCellsOf,
  type MoreColumns,
  titlesOf,
} from './csv.ts';
export { type SheetCell, type SheetColumn, type SheetKind, type TableSheet, XLSX_TYPE } from './sheet.ts';
export { autoStep, rowCount, rowsOver, STEP_NAMES, STEPS, type StepName } from './steps.ts';
export { workbook, workbookStream } from './xlsx.ts';
