/** Lets the browser save a file. Files come by fetch, because a link cannot send a key. */
export function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A CSV as people open it: without the mark, spreadsheets read letters such as ü as those of another alphabet. */
export async function withByteOrderMark(csv: Blob): Promise<Blob> {
  // The decoder of text() leaves a mark out.
  return new Blob(['\ufeff', await csv.text()], { type: csv.type });
}
