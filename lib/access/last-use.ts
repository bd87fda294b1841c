/**
 * When each key was last used, in a file of its own: only the gateway writes it, so it cannot undo a
 * change of the keys made on the command line. Written later, at most once a minute; a lost minute does no harm.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { USE_FILE } from './key-file.ts';
import { LateFile } from './late-file.ts';

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
  readonly #clock: Clock;
  readonly #file: LateFile;
  /** ms UTC. */
  readonly #used: Map<string, number>;

  constructor(path: string, clock: Clock, log: Log) {
    this.#clock = clock;
    this.#used = new Map(Object.entries(readUse(path)).map(([id, at]) => [id, Date.parse(at)]));
    const content = () => {
      const used = Object.fromEntries([...this.#used].map(([id, at]) => [id, new Date(at).toISOString()]));
      return { version: 1, used };
    };
    this.#file = new LateFile({ path, what: 'the last use of the API keys', content, clock, log });
  }

  /** UTC, ISO 8601; null: never. */
  of(id: string): string | null {
    const at = this.#used.get(id);
    return at === undefined ? null : new Date(at).toISOString();
  }

  note(id: string): void {
    this.#used.set(id, this.#clock.now());
    this.#file.later();
  }

  /** Writes what is pending. */
  close(): Promise<void> {
    return this.#file.close();
  }
}
