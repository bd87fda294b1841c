/** Names the rows and fields of a table that are not as they were: the row whose hash is another, and the column whose hash is another, cross in the field. */
import { countOf } from '../../../lib/domain/figures.ts';
import { base64Bytes, type Checks, ROW_BYTES, type TableChecks } from './manifest.ts';
import type { PackageDifference } from './report.ts';
import { isEqual } from './zip.ts';

/** Rows that are named of one table; of the others only the number. */
const MOST_NAMED = 20;

/** `checks` as the manifest vouches for them; `actual` made from the table in the package. */
export function tableDifferences(
  file: string,
  checks: Checks,
  actual: ReturnType<TableChecks['end']>,
): PackageDifference[] {
  const rows = base64Bytes(checks.rows) ?? new Uint8Array();
  const names = Object.keys(checks.columns);
  const others = Object.keys(actual.columns);
  const lost = names.filter((name) => !others.includes(name));
  const found = others.filter((name) => !names.includes(name));
  if (lost.length > 0 || found.length > 0)
    return [
      { file, line: 1, fields: [...lost, ...found], what: 'the names of the columns are not those that were signed' },
    ];
  const lines = linesThatDiffer(rows, actual.rows);
  const fields = others.filter((name) => checks.columns[name] !== actual.columns[name]);
  const [before, now] = [rows.length / ROW_BYTES, actual.rows.length / ROW_BYTES];
  if (before !== now)
    return [
      {
        file,
        line: lines[0] ?? 1,
        what: `it has ${countOf(now, 'row')} in place of ${before}; the first that differs is this`,
      },
    ];
  if (lines.length === 0) return [{ file, ...(fields.length > 0 && { fields }), what: 'it is not as it was signed' }];
  const what = isReordered(rows, actual.rows) ? 'it is in another order' : 'it is not as it was signed';
  const named = lines.slice(0, MOST_NAMED).map((line) => ({ file, line, ...(fields.length > 0 && { fields }), what }));
  const more = lines.length - named.length;
  return more > 0
    ? [...named, { file, what: `${countOf(more, 'more row is', 'more rows are')} not as signed` }]
    : named;
}

/** Line numbers in the file: the header is line 1. */
function linesThatDiffer(before: Uint8Array, now: Uint8Array): number[] {
  const lines: number[] = [];
  const most = Math.max(before.length, now.length);
  for (let at = 0; at < most; at += ROW_BYTES)
    if (!isEqual(before.subarray(at, at + ROW_BYTES), now.subarray(at, at + ROW_BYTES))) lines.push(at / ROW_BYTES + 2);
  return lines;
}

/** Whether the same rows are there, in another order. */
function isReordered(before: Uint8Array, now: Uint8Array): boolean {
  const sorted = (rows: Uint8Array) =>
    Array.from({ length: rows.length / ROW_BYTES }, (_, n) =>
      rows.subarray(n * ROW_BYTES, (n + 1) * ROW_BYTES).join(),
    ).sort();
  return sorted(before).join(';') === sorted(now).join(';');
}
