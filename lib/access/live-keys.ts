/**
 * The keys of a running gateway: the key file in memory. The file is checked once a second, whether anybody asks or not, so that a
 * key made or revoked on the command line counts soon and no request waits for the disk. Reading is synchronous: the file has some
 * kilobytes, and is read only after a change.
 */
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { stampOf } from '../http/file-stamp.ts';
import type { Log } from '../log.ts';
import { type KeyRecord, readKeyFile } from './key-file.ts';

const LOOK_MS = 1_000;

/** Whether a key opens. */
export type Standing = 'good' | 'expired' | 'revoked';

/** At `now`, ms since 1970. Revoked comes before expired. */
export function standingOf({ revoked_at, expires_at }: KeyRecord, now: number): Standing {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'good';
}

/** The keys of the file as they are now: changes by other processes are seen within a second. */
export class LiveKeys {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #log: Log;
  #keys: ReadonlyMap<string, KeyRecord>;
  #stamp: string;
  #ever: boolean;
  #cancel = () => {};

  /** Throws if the file exists and cannot be used. */
  constructor(path: string, clock: Clock, log: Log) {
    this.#path = path;
    this.#clock = clock;
    this.#log = log;
    this.#stamp = stampOf(path);
    this.#keys = byId(readKeyFile(path));
    this.#ever = this.#keys.size > 0;
  }

  /** From now on the file is checked once a second, until `close`. */
  watch(): void {
    this.#cancel = this.#clock.after(LOOK_MS, () => {
      this.look();
      this.watch();
    });
  }

  /** Stops watching the file; the keys stay as they are. */
  close(): void {
    this.#cancel();
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

  /** How many are valid now. */
  get good(): number {
    return [...this.#keys.values()].filter((key) => standingOf(key, this.#clock.now()) === 'good').length;
  }

  /** Reads the file again if it has changed. */
  look(): void {
    try {
      const stamp = stampOf(this.#path);
      if (stamp === this.#stamp) return;
      this.#stamp = stamp;
      this.#keys = byId(readKeyFile(this.#path));
      this.#ever ||= this.#keys.size > 0;
      this.#log.info({ keys: this.#keys.size }, 'the API keys have changed');
    } catch (error) {
      this.#log.error({ reason: messageOf(error) }, 'the API keys cannot be read again; the last ones stay valid');
    }
  }
}

const byId = (keys: readonly KeyRecord[]): ReadonlyMap<string, KeyRecord> => new Map(keys.map((key) => [key.id, key]));
