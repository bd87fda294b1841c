/** Rows of text in columns. */

/** Each column as wide as its widest cell; the last one as it is. No space at the end of a line. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, width(cell));
    });
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - width(cell)))
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
}

/** A table with a head; one line that says so where it has no rows. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[], none: string): string =>
  rows.length === 0 ? none : columns([head.map((word) => word.toUpperCase()), ...rows]);

/** Names may come from a device or from another user: what would move the cursor is taken out. */
export const harmless = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?');

const width = (text: string): number => [...text].length;
