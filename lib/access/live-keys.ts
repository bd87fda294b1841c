/** The keys of a running gateway: the key file in memory. */

import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { type KeyRecord, readKeyFile } from './key-file.ts';
import { sameName } from './people/person-file.ts';
import { WatchedFile } from './watched-file.ts';

/** Whether a key opens. */
export type Standing = 'good' | 'expired' | 'revoked';

/** At `now`, ms since 1970. Revoked comes before expired. */
export function standingOf({ revoked_at, expires_at }: KeyRecord, now: number): Standing {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'good';
}

/** The keys of the file as they are now: changes by other processes are seen within a second. */
export class LiveKeys {
  readonly #clock: Clock;
  readonly #file: WatchedFile<readonly KeyRecord[]>;
  #keys: ReadonlyMap<string, KeyRecord> = new Map();
  #ever = false;
  #told = () => {};

  /** Throws if the file exists and cannot be used. */
  constructor(path: string, clock: Clock, log: Log) {
    this.#clock = clock;
    const changed = (keys: readonly KeyRecord[]) => {
      this.#keys = new Map(keys.map((key) => [key.id, key]));
      this.#ever ||= keys.length > 0;
      this.#told();
    };
    this.#file = new WatchedFile({ path, what: 'API keys', read: readKeyFile, changed, log });
  }

  /** `told` is called after each change. */
  whenChanged(told: () => void): void {
    this.#told = told;
  }

  /** Whether a key was ever made. Revoked keys count, so that revoking the last key does not open the gateway. */
  get ever(): boolean {
    return this.#ever;
  }

  find(id: string): KeyRecord | undefined {
    return this.#keys.get(id);
  }

  /** Keys of this name, revoked and expired ones too. */
  named(name: string): readonly KeyRecord[] {
    return [...this.#keys.values()].filter((key) => key.name === name);
  }

  /** Whether a key is called so, also one that was revoked: the audit log has its name. Capitals do not count. */
  isName(name: string): boolean {
    return [...this.#keys.values()].some((key) => sameName(key.name) === sameName(name));
  }

  /** How many are valid now. */
  get good(): number {
    return [...this.#keys.values()].filter((key) => standingOf(key, this.#clock.now()) === 'good').length;
  }

  /** Reads the file again if it has changed. */
  look(): void {
    this.#file.look();
  }
}
