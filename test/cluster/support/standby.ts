/** A standby of the store in memory, which is behind it by some time. */
import type { MemoryClusterStore, StoreState } from './memory-store.ts';

/** Of changes that can be lost, ms. */
const LAG_MS = 10_000;

export class Standby {
  readonly #store: MemoryClusterStore;
  /** What there was before each of the last changes. */
  #kept: { readonly at: number; readonly state: StoreState }[] = [];

  constructor(store: MemoryClusterStore) {
    this.#store = store;
  }

  /** To be called before each change. */
  note(now: number): void {
    this.#kept = this.#kept.filter(({ at }) => at > now - LAG_MS);
    this.#kept.push({ at: now, state: this.#store.state });
  }

  /** It becomes the database. `part`: how much of the time it is behind, from 0 to 1; undefined: it has all. True if changes are lost. */
  takeOver(now: number, part: number | undefined): boolean {
    const since = part === undefined ? now : now - part * LAG_MS;
    const lost = part === undefined ? undefined : this.#kept.find(({ at }) => at >= since);
    this.#kept = this.#kept.filter(({ at }) => at < since);
    this.#store.failOver(lost?.state);
    return lost !== undefined;
  }
}
