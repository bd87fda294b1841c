/** Reads a backup: a compressed tar archive whose last file, manifest.json, says what each of the others has to be. */
import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, createReadStream, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

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

/** The message says what is wrong with the file. */
export class DamagedBackup extends Error {}

const BLOCK = 512;
const MANIFEST = 'manifest.json';
const MOST_MANIFEST = 256 * 1024 * 1024;
/** Names within a data folder, which cannot lead out of it. */
const NAME = /^(?!.*(^|\/)\.{1,2}(\/|$))[^/\\\p{Cc}]+(\/[^/\\\p{Cc}]+)*$/u;

/** Checks the whole archive; writes its files below `target` where one is named. Resolves with what it says of itself. */
export async function readBackup(file: string, target?: string, signal?: AbortSignal): Promise<Manifest> {
  // Errors of the file are reported where its bytes are read.
  const unpacked = pipeline(createReadStream(file), createGunzip(), () => {});
  const bytes = new ByteReader(unpacked, signal);
  const found: Stored[] = [];
  let manifest: string | undefined;
  try {
    for (let header = await bytes.take(BLOCK); header.some((byte) => byte !== 0); header = await bytes.take(BLOCK)) {
      const { name, size } = headed(header);
      if (manifest !== undefined) throw new DamagedBackup('there is data after its manifest');
      if (name === MANIFEST) manifest = await textOf(bytes, size);
      else found.push({ name, size, sha256: await kept(bytes, size, target && join(target, name)) });
      await bytes.take((BLOCK - (size % BLOCK)) % BLOCK);
    }
    return checked(manifest, found);
  } catch (error) {
    if (signal?.aborted || error instanceof DamagedBackup || isOfWriting(error)) throw error;
    throw new DamagedBackup(`it cannot be read to its end (${error instanceof Error ? error.message : error})`);
  } finally {
    unpacked.destroy();
  }
}

const isOfWriting = (error: unknown) => error instanceof Error && 'syscall' in error && error.syscall === 'write';

function headed(header: Buffer): { readonly name: string; readonly size: number } {
  const text = (offset: number, length: number) =>
    header.toString('utf8', offset, offset + length).replace(/\0[\s\S]*$/, '');
  if (!text(257, 6).startsWith('ustar')) throw new DamagedBackup('it is not a backup of a gateway');
  const name = [text(345, 155), text(0, 100)].filter((part) => part !== '').join('/');
  // From 8 GiB on the number is written in bytes, after a mark.
  const size = header[124] === 0x80 ? Number(header.readBigUInt64BE(128)) : Number.parseInt(text(124, 12), 8);
  if (!NAME.test(name) || text(156, 1) !== '0' || !(size >= 0))
    throw new DamagedBackup(`it contains ${JSON.stringify(name)}, which does not belong into a backup`);
  return { name, size };
}

/** The SHA-256 of the next bytes, which are written to a new file on the way. */
async function kept(bytes: ByteReader, size: number, path: string | undefined): Promise<string> {
  const hash = createHash('sha256');
  if (path) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = path === undefined ? undefined : openSync(path, 'wx', 0o600);
  try {
    for await (const chunk of bytes.pieces(size)) {
      hash.update(chunk);
      // Everything: a disk that is nearly full may write only a part without an error.
      if (file !== undefined) appendFileSync(file, chunk);
    }
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return hash.digest('hex');
}

async function textOf(bytes: ByteReader, size: number): Promise<string> {
  if (size > MOST_MANIFEST) throw new DamagedBackup('its manifest is too long');
  return (await bytes.take(size)).toString('utf8');
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

/** Reads given numbers of bytes from a stream, one after the other. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #signal: AbortSignal | undefined;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>, signal: AbortSignal | undefined) {
    this.#chunks = stream[Symbol.asyncIterator]();
    this.#signal = signal;
  }

  async take(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.pieces(length)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  async *pieces(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      this.#signal?.throwIfAborted();
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next();
        if (next.done) throw new DamagedBackup('it is not whole: it ends too early');
        this.#rest = next.value;
      }
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      if (piece.length > 0) yield piece;
    }
  }
}
