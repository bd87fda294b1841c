/**
 * Writes a package of evidence while it is read: one part after another is taken when its turn comes, hashed once, and packed. The manifest and
 * its signature come last, when all hashes are known. The same parts give the same bytes, but for the signature.
 */
import { createHash } from 'node:crypto';
import { type PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { NATIVE_TEXT_HASHES } from './native-hashes.ts';
import {
  CHECKS_SUFFIX,
  ENVELOPE,
  isPlainPath,
  MANIFEST,
  type ManifestFile,
  manifestText,
  type PackageFields,
  PUBLIC_KEY,
  TIMESTAMP,
} from './verify/manifest.ts';
import { checksText, TableChecks } from './verify/tables.ts';

export interface PackagePart {
  /** With `/` between folders. */
  readonly path: string;
  readonly content: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /** CSV with a header line: a file with its checks follows it. */
  readonly table?: true;
}

/** What makes the package provable: texts and bytes of the entries in `signature/`. */
export interface Signed {
  readonly envelope: string;
  /** PEM. */
  readonly publicKey: string;
  readonly timestamp?: Uint8Array | undefined;
}

/** Pieces of this many bytes go to the packer. */
const PIECE = 16_384;
/** As of every file of a card: sound packs badly, and fast is enough. */
const FAST = 1;
const USUAL = 6;

/**
 * The bytes of the ZIP. Parts come sorted by path (as strings compare), each once; others break it off with an error. Destroying the
 * stream ends the part that is read and takes no other. It holds one piece of one part, the list of files, and the checks of one table.
 */
export function evidenceArchive(
  parts: AsyncIterable<PackagePart> | Iterable<PackagePart>,
  fields: PackageFields,
  sign: (manifest: Buffer) => Promise<Signed>,
): Readable {
  const mtime = new UtcDate(fields.query.to);
  if (Number.isNaN(mtime.getTime())) throw new RangeError('query.to of a package must be a time');
  const zip = new ZipFile();
  const output = zip.outputStream as PassThrough;
  const breakOff = (error: unknown) => void output.destroy(error instanceof Error ? error : new Error(String(error)));
  // The reader gets the error; the process does not.
  output.on('error', () => {});
  zip.on('error', breakOff);
  const writeAll = async () => {
    const files: ManifestFile[] = [];
    for await (const { path, content, table } of parts) {
      checkPath(path, files.at(-1)?.path);
      const checks = table && new TableChecks(undefined, NATIVE_TEXT_HASHES);
      files.push(await writeEntry(zip, mtime, path, content, checks));
      if (checks) files.push(await writeEntry(zip, mtime, path + CHECKS_SUFFIX, checksText(checks)));
    }
    const manifest = Buffer.from(manifestText(fields, files));
    const { envelope, publicKey, timestamp } = await sign(manifest);
    await writeEntry(zip, mtime, MANIFEST, manifest);
    await writeEntry(zip, mtime, ENVELOPE, envelope);
    await writeEntry(zip, mtime, PUBLIC_KEY, publicKey);
    if (timestamp) await writeEntry(zip, mtime, TIMESTAMP, timestamp);
  };
  void writeAll().then(() => zip.end(), breakOff);
  return output;
}

/** Resolves when its last byte has gone to the packer. */
async function writeEntry(
  zip: ZipFile,
  mtime: Date,
  path: string,
  content: PackagePart['content'],
  checks?: TableChecks,
): Promise<ManifestFile> {
  const output = zip.outputStream as PassThrough;
  const hash = createHash('sha256');
  let bytes = 0;
  const seen = (piece: Buffer) => {
    hash.update(piece);
    checks?.add(piece);
    bytes += piece.length;
  };
  const stream = Readable.from(inPieces(content, seen), { objectMode: false, highWaterMark: PIECE });
  const turn = new Turn(stream);
  const leave = () => void stream.destroy(new Error('the package is no longer read'));
  output.once('close', leave);
  const compressionLevel = path.startsWith('files/') ? FAST : USUAL;
  zip.addReadStreamLazy(path, { mtime, mode: 0o100644, compressionLevel }, turn.take);
  if (output.destroyed) leave();
  try {
    await finished(stream);
  } finally {
    turn.end();
    output.off('close', leave);
  }
  return { path, bytes, sha256: hash.digest('hex') };
}

/**
 * The packer keeps this function of every entry until the end of the package: the stream, with the text and the checks behind it, is let go when
 * it was read.
 */
class Turn {
  #stream: Readable | undefined;

  constructor(stream: Readable) {
    this.#stream = stream;
  }

  readonly take = (give: (error: null, stream: Readable) => void): void => {
    if (this.#stream) give(null, this.#stream);
  };

  end(): void {
    this.#stream = undefined;
  }
}

/** The fields of a ZIP's time have no zone and are made from local ones: here these are UTC, wherever the gateway runs. */
class UtcDate extends Date {
  override getFullYear = () => this.getUTCFullYear();
  override getMonth = () => this.getUTCMonth();
  override getDate = () => this.getUTCDate();
  override getHours = () => this.getUTCHours();
  override getMinutes = () => this.getUTCMinutes();
  override getSeconds = () => this.getUTCSeconds();
}

/** A table comes line by line: a packer that got each line alone would be ten times as slow. */
async function* inPieces(content: PackagePart['content'], seen: (piece: Buffer) => void): AsyncGenerator<Buffer> {
  const whole = typeof content === 'string' || content instanceof Uint8Array;
  let lines: string[] = [];
  let length = 0;
  const joined = () => {
    const piece = Buffer.from(lines.join(''));
    lines = [];
    length = 0;
    seen(piece);
    return piece;
  };
  for await (const piece of whole ? [content] : content) {
    if (typeof piece === 'string') {
      lines.push(piece);
      length += piece.length;
      if (length >= PIECE) yield joined();
      continue;
    }
    if (length > 0) yield joined();
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    seen(bytes);
    yield bytes;
  }
  if (length > 0) yield joined();
}

/** What a verifier would refuse is not written. */
function checkPath(path: string, last: string | undefined): void {
  if (!isPlainPath(path)) throw new RangeError(`a package cannot hold a file of the name ${JSON.stringify(path)}`);
  if (path === MANIFEST || path.startsWith('signature/'))
    throw new RangeError(`${path} is written by the package itself`);
  if (last !== undefined && path <= last) throw new RangeError(`parts must be sorted by path: ${path} after ${last}`);
}
