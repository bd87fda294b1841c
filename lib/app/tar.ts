/** Files as a tar archive (POSIX ustar, pax if a name is not ASCII), made during sending. */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Pack } from 'tar-stream';

export interface ArchivedFile {
  readonly name: string;
  readonly path: string;
}

export interface TarEntry {
  readonly name: string;
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}

interface LastFile {
  readonly name: string;
  readonly modifiedMs: number;
  /** Gets the list of the files before it. */
  readonly text: (entries: readonly TarEntry[]) => string;
}

/** The library cannot write a later time of change: s since 1970. */
const LATEST_S = 2 ** 31 - 1;

/**
 * The bytes of the archive. A file that grows meanwhile gets the length that it had at its turn. A missing file is left
 * out. A file that becomes shorter breaks the archive off.
 */
export async function tarOf(files: AsyncIterable<ArchivedFile>, last: LastFile): Promise<Pack> {
  // Loaded with the first backup: the start does not wait for it.
  const { default: tar } = await import('tar-stream');
  const pack = tar.pack();
  fill(pack, files, last).catch((error: Error) => pack.destroy(error));
  return pack;
}

async function fill(pack: Pack, files: AsyncIterable<ArchivedFile>, last: LastFile): Promise<void> {
  const entries: TarEntry[] = [];
  for await (const { name, path } of files) {
    // Opened once: the file may be replaced between its header and its bytes.
    const file = await open(path).catch(unlessGone);
    if (!file) continue;
    try {
      const found = await file.stat();
      if (!found.isFile()) continue;
      const sha256 = await add(pack, headerOf(name, found.size, found.mtimeMs), file);
      entries.push({ name, size: found.size, sha256 });
    } finally {
      await file.close();
    }
  }
  const text = Buffer.from(last.text(entries));
  pack.entry(headerOf(last.name, text.length, last.modifiedMs), text);
  pack.finalize();
}

/** The SHA-256 of its bytes. */
async function add(pack: Pack, header: ReturnType<typeof headerOf>, file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const { size } = header;
  const bytes = size > 0 ? file.createReadStream({ end: size - 1, autoClose: false }) : [];
  const hashed = async function* () {
    for await (const chunk of bytes) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(hashed, pack.entry(header));
  return hash.digest('hex');
}

const headerOf = (name: string, size: number, modifiedMs: number) => ({
  name,
  size,
  mode: 0o600,
  mtime: new Date(Math.min(modifiedMs, LATEST_S * 1_000)),
});

/** A file that was removed meanwhile is left out; an unreadable file is an error. */
export function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
