/** The file of an import during the work. It contains passwords, so every copy is removed after the work, a failure or a crash. */
import { createWriteStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SlmmDatabase } from './database.ts';

const NAME = 'import.db';

/** A database that has arrived and was opened; `end` closes and removes it. */
export interface ArrivedDatabase {
  readonly database: SlmmDatabase;
  readonly bytes: number;
  /** May be called twice. */
  end(): Promise<void>;
}

/** Removes files that a killed process left. */
export async function removeLeft(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith('import')) await rm(join(folder, name), { force: true });
}

/** One at a time. Errors: INVALID if the file is not a database of SLMM; those of the upload. Then no file is left. */
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
