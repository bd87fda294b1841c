/** When each key was last used. Written later, at most once a minute; a lost minute does no harm. */
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Tables } from '../store/contract.ts';
import type { KeyRecord } from './live-keys.ts';
import { KEYS } from './tables.ts';

const WRITE_MS = 60_000;

/** Keeps when each key was last used. */
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

  /** UTC, ISO 8601; null: never. */
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
