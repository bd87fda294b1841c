/** What tells that a file was replaced or written to, without reading it. */
import { statSync } from 'node:fs';

/** The same text as long as the file is the same; `none` while there is no file. */
export function stampOf(path: string): string {
  const about = statSync(path, { throwIfNoEntry: false, bigint: true });
  return about ? `${about.ino}:${about.size}:${about.mtimeNs}:${about.ctimeNs}` : 'none';
}
