/**
 * A ZIP that is made while it is read: one file after another is opened at its turn and compressed. No file is held in
 * memory. If a file breaks off, the ZIP breaks off: a ZIP with its proper end is complete. When the reader leaves, the
 * open file is closed and no other is opened.
 */

import type { PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';

const LONGEST_NAME = 200;
const DEVICES = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

/** Never empty, never `.` or `..`; without separators, controls and characters that Windows refuses. */
export function safeName(given: string): string {
  const plain = given
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD/\\:*?"<>|]/gu, '_');
  const cut = [...plain].slice(0, LONGEST_NAME).join('');
  const short = cut.replace(/[. ]+$/u, (end) => '_'.repeat(end.length));
  return short === '' ? '_' : DEVICES.test(short) ? `_${short}` : short;
}

/**
 * Names in a ZIP. They come from a card and are unpacked on any system: no name leaves its folder or is a device of
 * Windows. Two names that differ only in case or in the form of an accent become different files. Gives each path of
 * a card one path in the ZIP, and no two the same. A repeated path gets the same name.
 */
export class ZipNames {
  readonly #given = new Map<string, string>();
  readonly #taken = new Set<string>();

  /** `path` is `/`-separated; the answer has no slash at its beginning. */
  of(path: string): string {
    let source = '';
    let target = '';
    for (const segment of path.split('/').filter((name) => name !== '')) {
      source += `/${segment}`;
      const next = this.#given.get(source) ?? this.#free(target, safeName(segment));
      this.#given.set(source, next);
      target = next;
    }
    return target === '' ? this.#free('', '_') : target;
  }

  /** Keeps this name free: no path of a card gets it. */
  reserve(name: string): void {
    this.#taken.add(keyOf(name));
  }

  #free(folder: string, name: string): string {
    const dot = name.lastIndexOf('.');
    const [stem, end] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    for (let count = 1; ; count += 1) {
      const candidate = `${folder}${folder && '/'}${count === 1 ? name : `${stem} (${count})${end}`}`;
      if (this.#taken.has(keyOf(candidate))) continue;
      this.reserve(candidate);
      return candidate;
    }
  }
}

const keyOf = (name: string): string => name.normalize('NFKC').toLowerCase();

export interface ZipEntry {
  /** Path on the card; the name in the ZIP is made from it. */
  readonly path: string;
  /** Bytes, if known: a file of another length breaks off the ZIP. */
  readonly size?: number | undefined;
  /** Ms since 1970. A time in a ZIP has no zone. */
  readonly modifiedAt?: number | undefined;
  open(): Promise<Readable>;
}

interface ZipOptions {
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
