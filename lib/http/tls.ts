/** Certificate and key files, read again after a change. If the new pair does not fit, the old one stays in use. */
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';

/** A text that changes when the file is replaced or written to; `none` while the file is missing. */
export function stampOf(path: string): string {
  const about = statSync(path, { throwIfNoEntry: false, bigint: true });
  return about ? `${about.ino}:${about.size}:${about.mtimeNs}:${about.ctimeNs}` : 'none';
}

/** Two PEM files. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** PEM. */
export interface Pair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

const LOOK_MS = 5_000;

/** Throws an error that names the wrong file. */
export function readPair({ certFile, keyFile }: TlsFiles): Pair {
  const pair = { cert: readFile('certificate', certFile), key: readFile('key', keyFile) };
  try {
    createSecureContext(pair);
  } catch (error) {
    throw new Error(`certificate ${certFile} and key ${keyFile} do not work together: ${messageOf(error)}`);
  }
  return pair;
}

function readFile(what: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Error(`the ${what} file ${path} cannot be read: ${messageOf(error)}`);
  }
}

/** Calls `use` with every new pair. Returns a function that ends it. */
export function watchPair(files: TlsFiles, clock: Clock, log: Log, use: (pair: Pair) => void): () => void {
  let seen = stamp(files);
  let cancel = () => {};
  const look = () => {
    const now = stamp(files);
    if (now !== seen) takeUp();
    seen = now;
    cancel = clock.after(LOOK_MS, look);
  };
  const takeUp = () => {
    try {
      use(readPair(files));
      log.info({ certificate: files.certFile }, 'the certificate was read again');
    } catch (error) {
      log.error({ reason: messageOf(error) }, 'the new certificate cannot be used; the old one stays');
    }
  };
  cancel = clock.after(LOOK_MS, look);
  return () => cancel();
}

const stamp = ({ certFile, keyFile }: TlsFiles): string => [certFile, keyFile].map(stampOf).join(' ');
