/** Reads a backup: a compressed tar archive whose last file, manifest.json, says what each of the others has to be. */
import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, createReadStream, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Entry } from 'tar-stream';

/** The last file of a backup: which version made it, when, and what each other file has to be. */
export interface Manifest {
  readonly version: string;
  readonly made_at: string;
  readonly files: readonly Stored[];
}

interface Stored {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

export class DamagedBackup extends Error {}

const MANIFEST = 'manifest.json';
const MOST_MANIFEST = 256 * 1024 * 1024;
/** Bytes that may be read without coming to a file, or to more of one. Honest headers have two kilobytes. */
const MOST_BETWEEN = 4 * 1024 * 1024;
/** Names within a data folder, which cannot lead out of it. */
const NAME = /^(?!.*(^|\/)\.{1,2}(\/|$))[^/\\\p{Cc}]+(\/[^/\\\p{Cc}]+)*$/u;

/** Checks the whole archive; writes its files below `target` where one is named. Resolves with what it says of itself. */
export async function readBackup(file: string, target?: string, signal?: AbortSignal): Promise<Manifest> {
  const { default: tar } = await import('tar-stream');
  const archive = tar.extract();
  const between = { bytes: 0 };
  // An error of the file or of its compression comes out of the archive, too.
  pipeline(createReadStream(file), createGunzip(), counting(between, signal), archive, () => {});
  const found: Stored[] = [];
  let manifest: string | undefined;
  try {
    for await (const entry of archive) {
      const name = nameOf(entry);
      if (manifest !== undefined) throw new DamagedBackup('there is data after its manifest');
      if (name === MANIFEST) manifest = await textOf(entry, between);
      else found.push({ name, ...(await kept(entry, between, target && join(target, name))) });
    }
    return checked(manifest, found);
  } catch (error) {
    if (signal?.aborted || error instanceof DamagedBackup || isOfWriting(error)) throw error;
    throw new DamagedBackup(`it cannot be read to its end (${error instanceof Error ? error.message : error})`);
  } finally {
    archive.destroy();
  }
}

const isOfWriting = (error: unknown) => error instanceof Error && 'syscall' in error && error.syscall === 'write';

/** The library holds a header whole, however long it says that it is: this ends it. */
const counting = (between: { bytes: number }, signal: AbortSignal | undefined) =>
  async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      signal?.throwIfAborted();
      between.bytes += chunk.length;
      if (between.bytes > MOST_BETWEEN) throw new DamagedBackup('a header in it is too long');
      yield chunk;
    }
  };

function nameOf({ header: { name, type } }: Entry): string {
  if (type !== 'file' || !NAME.test(name))
    throw new DamagedBackup(`it contains ${JSON.stringify(name)}, which does not belong into a backup`);
  return name;
}

async function kept(entry: Entry, between: { bytes: number }, path: string | undefined) {
  const hash = createHash('sha256');
  let size = 0;
  if (path) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = path === undefined ? undefined : openSync(path, 'wx', 0o600);
  try {
    for await (const chunk of entry) {
      between.bytes = 0;
      size += chunk.length;
      hash.update(chunk);
      // Everything: a disk that is nearly full may write only a part without an error.
      if (file !== undefined) appendFileSync(file, chunk);
    }
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return { size, sha256: hash.digest('hex') };
}

async function textOf(entry: Entry, between: { bytes: number }): Promise<string> {
  if (!((entry.header.size ?? 0) <= MOST_MANIFEST)) throw new DamagedBackup('its manifest is too long');
  const chunks: Buffer[] = [];
  for await (const chunk of entry) {
    between.bytes = 0;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function checked(text: string | undefined, found: readonly Stored[]): Manifest {
  if (text === undefined) throw new DamagedBackup('it is not whole: its manifest is missing');
  const manifest = JSON.parse(text) as Manifest & { readonly format?: unknown; readonly format_version?: unknown };
  if (manifest.format !== 'slm-backup' || manifest.format_version !== 1) {
    throw new DamagedBackup('it was made by a newer release: restore it with the slm of that release');
  }
  const shown = (files: readonly Stored[]) => files.map(({ name, size, sha256 }) => `${name} ${size} ${sha256}`);
  const wanted = new Set(shown(manifest.files));
  const wrong = shown(found).find((line) => !wanted.delete(line)) ?? [...wanted][0];
  if (wrong !== undefined) throw new DamagedBackup(`${wrong.split(' ')[0]} in it was changed or damaged`);
  return manifest;
}
