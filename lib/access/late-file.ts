/** A small file that only this process writes, replaced whole: soon after a change that matters, and at most once a minute for others. */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { replaceFile } from './replace-file.ts';

const WRITE_MS = 60_000;

/** What is written where. */
export interface LateFileParts {
  readonly path: string;
  /** For the log: `the last use of the API keys`. */
  readonly what: string;
  /** The content as it is now. */
  readonly content: () => object;
  readonly clock: Clock;
  readonly log: Log;
}

/** Never rejects: what cannot be written is in the log, and is written with the next change. */
export class LateFile {
  readonly #parts: LateFileParts;
  #cancel: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();
  #waits = false;

  constructor(parts: LateFileParts) {
    this.#parts = parts;
  }

  /** Writes within a minute. */
  later(): void {
    this.#cancel ??= this.#parts.clock.after(WRITE_MS, () => void this.now());
  }

  /** Resolves when what is so now is written. */
  now(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    // With a slow disk one write waits and takes everything that came meanwhile.
    if (this.#waits) return this.#writing;
    this.#waits = true;
    this.#writing = this.#writing.then(() => {
      this.#waits = false;
      return this.#save();
    });
    return this.#writing;
  }

  /** Writes what is pending. */
  close(): Promise<void> {
    return this.#cancel ? this.now() : this.#writing;
  }

  async #save(): Promise<void> {
    const { path, what, content, log } = this.#parts;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await replaceFile(path, `${JSON.stringify(content())}\n`);
    } catch (error) {
      log.warn({ reason: messageOf(error) }, `${what} cannot be written`);
    }
  }
}
