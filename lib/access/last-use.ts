/**
 * When each key was last used, in a file of its own: only the gateway writes it, so it cannot undo a
 * change of the keys made on the command line. Written later, at most once a minute; a lost minute does no harm.
 */
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { USE_FILE } from './key-file.ts';
import { replaceFile } from './replace-file.ts';

const WRITE_MS = 60_000;

/** The file with the last use of each key of a data folder. */
export const useFileIn = (dataDir: string): string => join(dataDir, USE_FILE);

/** Key id to time (UTC, ISO 8601). What cannot be read counts as never used. */
export function readUse(path: string): Readonly<Record<string, string>> {
  try {
    const { used } = JSON.parse(readFileSync(path, 'utf8')) as { used: Record<string, string> };
    return Object.fromEntries(Object.entries(used).filter(([, at]) => !Number.isNaN(Date.parse(at))));
  } catch {
    return {};
  }
}

/** Keeps when each key was last used, and writes it at most once a minute. */
export class LastUse {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #log: Log;
  /** ms UTC. */
  readonly #used: Map<string, number>;
  #cancel: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();
  #waits = false;

  constructor(path: string, clock: Clock, log: Log) {
    this.#path = path;
    this.#clock = clock;
    this.#log = log;
    this.#used = new Map(Object.entries(readUse(path)).map(([id, at]) => [id, Date.parse(at)]));
  }

  /** UTC, ISO 8601; null: never. */
  of(id: string): string | null {
    const at = this.#used.get(id);
    return at === undefined ? null : new Date(at).toISOString();
  }

  note(id: string): void {
    this.#used.set(id, this.#clock.now());
    this.#cancel ??= this.#clock.after(WRITE_MS, () => this.#write());
  }

  /** Writes what is pending. */
  async close(): Promise<void> {
    if (this.#cancel) this.#write();
    await this.#writing;
  }

  #write(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    // With a slow disk one write waits and takes everything that came meanwhile.
    if (this.#waits) return;
    this.#waits = true;
    this.#writing = this.#writing.then(() => {
      this.#waits = false;
      return this.#save();
    });
  }

  async #save(): Promise<void> {
    try {
      const used = Object.fromEntries([...this.#used].map(([id, at]) => [id, new Date(at).toISOString()]));
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      await replaceFile(this.#path, `${JSON.stringify({ version: 1, used })}\n`);
    } catch (error) {
      this.#log.warn({ reason: messageOf(error) }, 'the last use of the API keys cannot be written');
    }
  }
}
