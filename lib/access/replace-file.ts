/** Replaces a file whole: a reader sees the old content or the new, also after a power cut. */
import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Mode 0600. The folder has to exist. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  // The new name lasts only once the folder is on the disk, too.
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
}
