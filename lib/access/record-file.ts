/**
 * A small JSON file of the data folder with secrets in it, such as the API keys: only its owner may read it, it is replaced whole, and two
 * changes at the same time, also by different processes, run one after the other.
 */
import { readFileSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { othersMay } from '../system.ts';
import { withLock } from './file-lock.ts';
import { replaceFile } from './replace-file.ts';

/** How a kind of file is read. */
export interface RecordFile<Content> {
  /** What it has, in the plural, for messages: `API keys`. */
  readonly what: string;
  /** Throws for what does not fit. */
  readonly check: (content: unknown) => void;
  /** Where there is no file. */
  readonly none: Content;
}

/** The content; `none` where there is no file. Throws an error whose one line says what to do. */
export function readRecords<Content>(path: string, { what, check, none }: RecordFile<Content>): Content {
  try {
    const about = statSync(path, { throwIfNoEntry: false });
    if (!about) return none;
    if (othersMay(0o077, about.mode)) throw new Error(`other users can read or change them: run chmod 600 ${path}`);
    const content = JSON.parse(readFileSync(path, 'utf8')) as Content;
    check(content);
    return content;
  } catch (error) {
    throw new Error(`the ${what} in ${path} cannot be used: ${reasonOf(error)}`, { cause: error });
  }
}

const OWNER = 'this file must belong to the user that the gateway runs as; run npm run keys as this user';

function reasonOf(error: unknown): string {
  const isForeign = error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
  return isForeign ? `${messageOf(error)}; ${OWNER}` : messageOf(error);
}

/** Replaces the content by the result of `change`; `after` works under the same lock. */
export async function changeRecords<Content extends object>(
  path: string,
  file: RecordFile<Content>,
  clock: Clock,
  change: (content: Content) => Content,
  after: () => Promise<void> = async () => {},
): Promise<void> {
  let found = false;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await withLock(`${path}.lock`, clock, async () => {
      found = true;
      const content = change(readRecords(path, file));
      await replaceFile(path, `${JSON.stringify(content, undefined, 2)}\n`);
      await after();
    });
  } catch (error) {
    if (found) throw error;
    throw new Error(`the ${file.what} in ${path} cannot be changed: ${reasonOf(error)}`, { cause: error });
  }
}
