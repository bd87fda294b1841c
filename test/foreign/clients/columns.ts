/** A reader of `.rnd` files: finds a column by the beginning of its name and keeps the last match. */
export function column(file: string, beginning: string): readonly string[] {
  const [, head = '', ...rows] = file.split('\r\n');
  const place = head.split(',').findLastIndex((name) => name.startsWith(beginning) && name.endsWith('(Main)'));
  return rows.filter((row) => row !== '').map((row) => row.split(',')[place]?.trim() ?? '');
}
