/** Replaces a whole file: a reader sees the old content or the new, also after a power cut. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { moveOver, syncFolder } from '../system.ts';

/** Mode 0600, owned by the owner of the folder if this process may set that. The folder has to exist. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await keepOwner(file, path);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await moveOver(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** A file of the administrator must stay readable for the gateway, which runs as the owner of its data folder. */
export async function keepOwner(file: FileHandle, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(dirname(path));
  await file.chown(uid, gid);
}
