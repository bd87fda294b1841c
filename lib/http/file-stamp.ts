/** Shows without reading a file whether it was replaced or written to. */
import { statSync } from 'node:fs';

/** A text that changes when the file changes; `none` while the file is missing. */
export function stampOf(path: string): string {
  const about = statSync(path, { throwIfNoEntry: false, bigint: true });
  return about ? `${about.ino}:${about.size}:${about.mtimeNs}:${about.ctimeNs}` : 'none';
}
