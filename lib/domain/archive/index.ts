/**
 * A ZIP that is made while it is read: one file after another is opened when its turn comes and compressed; no file is
 * held in memory. If a file breaks off, the ZIP breaks off: a ZIP with its proper end is whole. When the reader leaves, the file that is
 * open is closed and no other is opened.
 */
import type { PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { ZipNames } from './names.ts';

export { safeName, ZipNames } from './names.ts';

/** A file of the ZIP. */
export interface ZipEntry {
  /** On the card; the name in the ZIP is made from it. */
  readonly path: string;
  /** Bytes, where known: a file of another length breaks the ZIP. */
  readonly size?: number | undefined;
  /** Ms since 1970. In a ZIP a time has no zone. */
  readonly modifiedAt?: number | undefined;
  open(): Promise<Readable>;
}

/** What the ZIP has besides its files. */
export interface ZipOptions {
  /** The text of an entry `manifest.json`; `nameOf` gives the name in the ZIP of each path. */
  readonly manifest?: (nameOf: (path: string) => string) => string;
}

/** Stored as it is, a file whose length follows it cannot be read as a stream: only deflate says where it ends. The fastest level. */
const LEVEL = 1;
const MANIFEST = 'manifest.json';
/** The format begins in 1980. */
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
