/** The file of an import while it is here: it holds passwords, so no copy outlives the work, a failure or the process. */
import { createWriteStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SlmmDatabase } from './database.ts';

const NAME = 'import.db';

/** A database that arrived whole and was opened; `end` closes and removes it. */
export interface ArrivedDatabase {
  readonly database: SlmmDatabase;
  readonly bytes: number;
  /** May be called twice. */
  end(): Promise<void>;
}

/** Removes what an earlier process left behind when it was killed. */
export async function removeLeft(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith('import')) await rm(join(folder, name), { force: true });
}

/** One at a time. Errors: INVALID for what is no database of SLMM; those of the upload. Then nothing is left. */
export async function arrive(folder: string, upload: AsyncIterable<Buffer>): Promise<ArrivedDatabase> {
  const path = join(folder, NAME);
  try {
    await pipeline(Readable.from(upload), createWriteStream(path, { mode: 0o600 }));
    const database = new SlmmDatabase(path);
    const { size } = await stat(path);
    return {
      database,
      bytes: size,
      async end() {
        database.close();
        await removeLeft(folder);
      },
    };
  } catch (error) {
    await removeLeft(folder);
    throw error;
  }
}
