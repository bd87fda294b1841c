/**
 * A ZIP that is made while it is read: one file after another is opened at its turn and compressed. No file is held in
 * memory. If a file breaks off, the ZIP breaks off: a ZIP with its proper end is complete. When the reader leaves, the
 * open file is closed and no other is opened.
 */
import type { PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { ZipNames } from './names.ts';

export { safeName, ZipNames } from './names.ts';

/** A file of the ZIP. */
export interface ZipEntry {
  /** Path on the card; the name in the ZIP is made from it. */
  readonly path: string;
  /** Bytes, if known: a file of another length breaks off the ZIP. */
  readonly size?: number | undefined;
  /** Ms since 1970. A time in a ZIP has no zone. */
  readonly modifiedAt?: number | undefined;
  open(): Promise<Readable>;
}

/** Parts of the ZIP besides its files. */
export interface ZipOptions {
  /** The text of an entry `manifest.json`; `nameOf` returns the name in the ZIP for a path. */
  readonly manifest?: (nameOf: (path: string) => string) => string;
}

/** A stored file whose length follows it cannot be read as a stream: only deflate marks the end. The fastest level. */
const LEVEL = 1;
const MANIFEST = 'manifest.json';
/** Times in the format begin in 1980. */
const OLDEST = Date.UTC(1980, 0, 2);

/** The bytes of the ZIP. Destroying the stream closes the file that is open. */
export function zipStream(entries: Iterable<ZipEntry>, { manifest }: ZipOptions = {}): Readable {
  const zip = new ZipFile();
  const names = new ZipNames();
  if (manifest) names.reserve(MANIFEST);
  const output = zip.outputStream as PassThrough;
  const breakOff = (error: unknown) => void output.destroy(error instanceof Error ? error : new Error(String(error)));
  let current: Readable | undefined;
  // The reader gets the error; the process does not.
  output.on('error', () => {});
  output.once('close', () => current?.destroy());
  zip.on('error', breakOff);
  const begin = (stream: Readable) => {
    current = stream;
    stream.on('error', breakOff);
    if (output.destroyed) stream.destroy();
    return stream;
  };
  for (const { path, size, modifiedAt = OLDEST, open } of entries) {
    const mtime = new Date(Math.max(modifiedAt, OLDEST));
    const options = { mtime, mode: 0o100644, compressionLevel: LEVEL, ...(size !== undefined && { size }) };
    zip.addReadStreamLazy(names.of(path), options, (take) => {
      if (!output.destroyed) open().then((stream) => take(null, begin(stream)), breakOff);
    });
  }
  if (manifest) zip.addBuffer(Buffer.from(manifest((path) => names.of(path))), MANIFEST, { compress: true });
  zip.end();
  return output;
}
