/** Tables for spreadsheets, before they are written. */

/**
 * Levels in dB, shares from 0 to 1, times as ISO 8601 with their offset from UTC, dates as `2026-10-25`. Any other
 * value is a text.
 */
export type SheetKind = 'text' | 'time' | 'date' | 'level' | 'share' | 'number';

/** A column. A column of times gets a second column beside it, with `offset` as its title. */
export interface SheetColumn {
  readonly title: string;
  readonly kind: SheetKind;
  /** Default: `UTC offset`. */
  readonly offset?: string;
}

/** Null: an empty cell. */
export type SheetCell = string | number | null;

export interface TableSheet {
  /** Any text: it is cut and made unique. */
  readonly name: string;
  readonly columns: readonly SheetColumn[];
  readonly rows: readonly (readonly SheetCell[])[];
}

/** Media type of these files. */
export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
