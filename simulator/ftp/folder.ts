/** The working folder of one FTP session: where CWD, CDUP and PWD are, and what a relative path means. */
import { posix } from 'node:path';
import type { CardTree } from '../card/card-tree.ts';
import type { WorkingFolder } from './library.ts';

/** The working folder, which begins at `/`. */
export interface SessionFolder extends WorkingFolder {
  /** An absolute path on the card; cannot leave it. */
  resolve(path: string): string;
}

/** Of one session. */
export function workingFolder(card: CardTree): SessionFolder {
  let here = '/';
  const resolve = (path: string) => posix.resolve(here, path || '.');
  return {
    currentDirectory: () => here,
    resolve,
    chdir(path) {
      const wanted = resolve(path);
      if (!card.list(wanted)) throw new Error('Directory not found');
      here = wanted;
      return here;
    },
  };
}
