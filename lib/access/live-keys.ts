import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Tables } from '../store/contract.ts';
import { sameName } from './people/live-people.ts';
import { KEYS, type KeyRecord } from './tables.ts';

/** Name of a key, as a regular expression with the flag `u`. */
export const NAME = '^[\\p{L}\\p{N}][\\p{L}\\p{N} ._@-]{0,63}$';

type Standing = 'good' | 'expired' | 'revoked';

/** At `now`, ms since 1970. A key that is revoked and expired counts as revoked. */
export function standingOf(
  { revoked_at, expires_at }: Pick<KeyRecord, 'revoked_at' | 'expires_at'>,
  now: number,
): Standing {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'good';
}

export class LiveKeys {
  readonly #clock: Clock;
  #keys: ReadonlyMap<string, KeyRecord> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(keys: readonly KeyRecord[]): void {
    this.#keys = new Map(keys.map((key) => [key.id, key]));
  }

  get all(): readonly KeyRecord[] {
    return [...this.#keys.values()];
  }

  find(id: string): KeyRecord | undefined {
    return this.#keys.get(id);
  }

  /** Keys of this name, revoked and expired ones too. */
  named(name: string): readonly KeyRecord[] {
    return this.all.filter((key) => key.name === name);
  }

  /** Whether a key has this name, also a revoked key: the audit log has its name. Capitals are ignored. */
  isName(name: string): boolean {
    return this.all.some((key) => sameName(key.name) === sameName(name));
  }

  get good(): number {
    return this.all.filter((key) => standingOf(key, this.#clock.now()) === 'good').length;
  }
}

const WRITE_MS = 60_000;

/** When each key was last used. Written later, at most once a minute; a lost minute does no harm. */
export class LastUse {
  readonly #tables: Tables;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #used = new Map<string, string>();
  readonly #unwritten = new Set<string>();
  #cancel: (() => void) | undefined;

  constructor(tables: Tables, clock: Clock, log: Log) {
    this.#tables = tables;
    this.#clock = clock;
    this.#log = log;
  }

  of({ id, used_at }: Pick<KeyRecord, 'id' | 'used_at'>): string | null {
    return this.#used.get(id) ?? used_at;
  }

  note(id: string): void {
    this.#used.set(id, new Date(this.#clock.now()).toISOString());
    this.#unwritten.add(id);
    this.#cancel ??= this.#clock.after(WRITE_MS, () => void this.flush());
  }

  /** Writes pending data. Never rejects: after a failed write, the next use writes the data. */
  async flush(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    const ids = [...this.#unwritten];
    if (ids.length === 0) return;
    this.#unwritten.clear();
    try {
      await this.#tables.write(async (rows) => {
        for (const id of ids) await rows.change(KEYS, { id }, { used_at: this.#used.get(id) ?? null });
      });
    } catch (error) {
      for (const id of ids) this.#unwritten.add(id);
      this.#log.warn({ reason: messageOf(error) }, 'the last use of the API keys cannot be written');
    }
  }
}
