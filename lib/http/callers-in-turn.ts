/** Waiting items of several callers. The callers get turns one after the other, however many items each has. */
export class CallersInTurn<Item> {
  /** By caller; the caller with the next turn is first. Items of a caller are in the order of their arrival. */
  readonly #waiting = new Map<string, Set<Item>>();
  #size = 0;

  /** Number of items of all callers. */
  get size(): number {
    return this.#size;
  }

  countOf(caller: string): number {
    return this.#waiting.get(caller)?.size ?? 0;
  }

  add(caller: string, item: Item): void {
    this.#waiting.set(caller, (this.#waiting.get(caller) ?? new Set()).add(item));
    this.#size += 1;
  }

  /** The first item of each caller, in the order of their turns. */
  *firsts(): Generator<readonly [caller: string, item: Item]> {
    for (const [caller, items] of this.#waiting)
      for (const item of items) {
        yield [caller, item];
        break;
      }
  }

  /** Removes an item. Its caller then goes to the end of the row. */
  take(caller: string, item: Item): void {
    const own = this.#waiting.get(caller);
    this.remove(caller, item);
    if (!own || own.size === 0) return;
    this.#waiting.delete(caller);
    this.#waiting.set(caller, own);
  }

  /** False if the item does not wait. */
  remove(caller: string, item: Item): boolean {
    const own = this.#waiting.get(caller);
    if (!own?.delete(item)) return false;
    if (own.size === 0) this.#waiting.delete(caller);
    this.#size -= 1;
    return true;
  }
}

/** The caller for whom turns are counted: a person, an API key, or the address of a caller without a key. */
export const callerOf = ({ owner, keyId, address }: CountedCaller): string => owner ?? keyId ?? address;

interface CountedCaller {
  readonly owner?: string;
  readonly keyId: string | null;
  readonly address: string;
}
