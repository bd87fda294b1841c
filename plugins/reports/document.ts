/** A report as data: what it says, before anybody prints it. Numbers are those that the API gives; how many decimals people see is the printer's. */

import type { Language } from '../../lib/index.ts';

/** What a cell of a column is: levels in dB, shares from 0 to 1, numbers as they are, times as ISO 8601 with their offset from UTC, dates as `2026-10-25`. */
export type ColumnKind = 'text' | 'time' | 'date' | 'level' | 'share' | 'number';

/** Null: there is no such value. */
export type ReportCell = string | number | null;

/** A column of a table. */
export interface ReportColumn {
  readonly title: string;
  readonly kind: ColumnKind;
}

/** Every row has as many cells as there are columns. */
export interface ReportTable {
  readonly block: 'table';
  /** For people who cannot see it. */
  readonly name: string;
  readonly columns: readonly ReportColumn[];
  readonly rows: readonly (readonly ReportCell[])[];
}

/** A paragraph. Lines stay lines. */
export interface ReportText {
  readonly block: 'text';
  readonly text: string;
}

/** A line of a chart: a step for each row. */
export interface ReportSeries {
  readonly name: string;
  /** Beginning of the row in s since 1970 UTC, its level in dB; null: no data. */
  readonly points: readonly (readonly [at: number, level: number | null])[];
}

/** Levels over time. */
export interface ReportChart {
  readonly block: 'chart';
  readonly name: string;
  /** s since 1970 UTC. */
  readonly from: number;
  readonly to: number;
  /** Length of a row, s; a row of a day may be longer or shorter where the clocks change. */
  readonly stepS: number;
  readonly series: readonly ReportSeries[];
  /** Where local days begin, s since 1970 UTC, with the day as `2026-10-25`. */
  readonly days: readonly (readonly [at: number, day: string])[];
}

/** One piece of a section. */
export type ReportBlock = ReportText | ReportTable | ReportChart;

/** A column of texts, where no other kind is given. */
export const column = (title: string, kind: ColumnKind = 'text'): ReportColumn => ({ title, kind });

/** Every row has as many cells as there are columns. */
export const tableOf = (
  name: string,
  columns: readonly ReportColumn[],
  rows: readonly (readonly ReportCell[])[],
): ReportTable => ({ block: 'table', name, columns, rows });

/** Lines stay lines. */
export const paragraph = (text: string): ReportText => ({ block: 'text', text });

/** The parts of a report, in the order in which a template may name them. */
export const SECTION_NAMES = Object.freeze([
  'summary',
  'limits',
  'days',
  'charts',
  'events',
  'exclusions',
  'calibration',
  'weather',
  'method',
] as const);
/** One of them. */
export type SectionName = (typeof SECTION_NAMES)[number];

/** A part of a report about one unit. */
export interface ReportSection {
  readonly section: SectionName;
  readonly title: string;
  readonly blocks: readonly ReportBlock[];
}

/** What a report says of one unit. */
export interface ReportedUnit {
  readonly unit_id: string;
  /** With the channel, where it is another one than `main`. */
  readonly title: string;
  /** Of the meter: all figures are of it. */
  readonly channel: string;
  readonly sections: readonly ReportSection[];
}

/** What stands above a report. */
export interface ReportLetterhead {
  readonly lines: readonly string[];
  /** SHA-256 of the picture; null: there is none. */
  readonly logo: string | null;
}

/** A whole report. The same levels, notes, events and wishes give the same one. */
export interface ReportDocument {
  readonly title: string;
  readonly template: string;
  readonly lang: Language;
  readonly from: string;
  readonly to: string;
  /** The span in words. */
  readonly period: string;
  readonly remarks: string;
  readonly letterhead: ReportLetterhead | null;
  readonly units: readonly ReportedUnit[];
}
