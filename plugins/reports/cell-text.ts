/** Cells as people read them. */
import type { ReportCell, ReportColumn } from './document.ts';

/** Levels with one decimal, shares in percent and rounded down, times as `2026-10-25 02:00 +01:00`. */
export function cellText(cell: ReportCell, { kind }: Pick<ReportColumn, 'kind'>): string {
  if (cell === null) return '-';
  if (typeof cell === 'string') return kind === 'time' ? offsetTimeText(cell) : cell;
  if (kind === 'level') return levelText(cell);
  return kind === 'share' ? `${(Math.floor(cell * 1_000) / 10).toFixed(1)} %` : String(cell);
}

/** One decimal, of the two that the API gives; halves go up. */
export const levelText = (level: number): string => (Math.round(level * 10) / 10).toFixed(1);

/** Of ISO 8601 with an offset. */
export const offsetTimeText = (iso: string): string =>
  iso.replace(/^(.{10})T(\d\d:\d\d)(?::00(?:\.000)?)?([:.\d]*)(.*)$/, '$1 $2$3 $4');

/** Whether a column is set to the right. */
export const isNumeric = ({ kind }: Pick<ReportColumn, 'kind'>): boolean =>
  kind === 'level' || kind === 'share' || kind === 'number';
