/**
 * Small files that all instances have, such as the API keys: who takes over lets the same callers in. What changes here goes to the
 * others, and what changes there comes here, with the next beat. Where both have changed, that of the store stays.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Clock, unlessAborted, within } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { SharedFile, SharedFiles } from './contract.ts';

/** What is shared. */
export interface SharedFilesParts {
  readonly store: SharedFiles;
  /** Their paths here; the names are the same everywhere. */
  readonly paths: readonly string[];
  /** Replaces a file so that no reader finds half of it. */
  readonly replace: (path: string, text: string) => Promise<void>;
  readonly log: Log;
}

/** What one instance last had in common with the others. */
interface Common {
  readonly version: number;
  readonly hash: string | undefined;
}

/** Larger ones are not shared, bytes. */
const MOST_BYTES = 4_000_000;
/** The database has so long for them, ms. */
const LONGEST_MS = 5_000;

/** The files of one instance. */
export class InstanceFiles {
  readonly #parts: SharedFilesParts;
  readonly #common = new Map<string, Common>();
  #running: Promise<void> | undefined;
  /** Whether the last exchange failed: it is logged once. */
  #isCut = false;

  constructor(parts: SharedFilesParts) {
    this.#parts = parts;
  }

  /** Brings and takes what has changed. Never rejects, and ends with its signal; one exchange at a time. */
  exchange(signal: AbortSignal): Promise<void> {
    this.#running ??= this.#untilAborted(signal).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** The same, and it ends in time: a database that does not answer keeps nobody from taking over. */
  exchangeInTime(clock: Clock, signal: AbortSignal): Promise<void> {
    const late = () => {
      this.#parts.log.warn(
        { ms: LONGEST_MS },
        'the database did not give the files that all instances have: the own ones stay',
      );
      return new Error('not in time');
    };
    return within(clock, LONGEST_MS, late, (own) => this.exchange(own), signal);
  }

  async #untilAborted(signal: AbortSignal): Promise<void> {
    try {
      await unlessAborted(this.#exchangeAll(signal), signal);
      this.#isCut = false;
    } catch (error) {
      if (!signal.aborted && !this.#isCut)
        this.#parts.log.warn({ reason: messageOf(error) }, 'files could not be exchanged with the other instances');
      this.#isCut = true;
    }
  }

  async #exchangeAll(signal: AbortSignal): Promise<void> {
    const { store, paths } = this.#parts;
    const versions = await store.versions(signal);
    for (const path of paths) {
      signal.throwIfAborted();
      await this.#exchangeOne(path, versions.get(basename(path)) ?? 0, signal);
    }
  }

  async #exchangeOne(path: string, latest: number, signal: AbortSignal): Promise<void> {
    const { store, replace, log } = this.#parts;
    const name = basename(path);
    const text = await textOf(path);
    const hash = hashOf(text);
    const common = this.#common.get(name);
    if (latest > (common?.version ?? 0)) {
      const file: SharedFile | undefined = await store.read(name, signal);
      if (!file) return;
      if (file.text !== text) {
        // Before it joined, or while it was alone, this instance had other ones: nobody loses them without a copy.
        if (text !== undefined && hash !== common?.hash) {
          await replace(`${path}.before-joining`, text);
          log.warn(
            { file: name },
            'this file was another one than that of the other instances, and was kept beside it',
          );
        }
        await replace(path, file.text);
      }
      this.#common.set(name, { version: file.version, hash: hashOf(file.text) });
    } else if (text !== undefined && hash !== common?.hash) {
      const version = latest + 1;
      if (await store.write({ name, version, text }, signal)) this.#common.set(name, { version, hash });
    }
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    return Buffer.byteLength(text) <= MOST_BYTES ? text : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

const hashOf = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : createHash('sha256').update(text).digest('hex');
