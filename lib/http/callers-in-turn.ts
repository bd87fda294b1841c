/** What waits, of several callers: they have their turns one after the other, however much each of them waits for. */
export class CallersInTurn<Item> {
  /** By caller, first the one whose turn it is; of each in the order in which it came. */
  readonly #waiting = new Map<string, Set<Item>>();
  #size = 0;

  /** Of all callers. */
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

  /** The first one of each caller, in the order of their turns. */
  *firsts(): Generator<readonly [caller: string, item: Item]> {
    for (const [caller, items] of this.#waiting)
      for (const item of items) {
        yield [caller, item];
        break;
      }
  }

  /** It has had its turn: the other callers are before its own now. */
  take(caller: string, item: Item): void {
    const own = this.#waiting.get(caller);
    this.remove(caller, item);
    if (!own || own.size === 0) return;
    this.#waiting.delete(caller);
    this.#waiting.set(caller, own);
  }

  /** False where it does not wait. */
  remove(caller: string, item: Item): boolean {
    const own = this.#waiting.get(caller);
    if (!own?.delete(item)) return false;
    if (own.size === 0) this.#waiting.delete(caller);
    this.#size -= 1;
    return true;
  }
}

/** Whom turns are counted for: a person, an API key, or the address of somebody who needs none. */
export const callerOf = ({ owner, keyId, address }: CountedCaller): string => owner ?? keyId ?? address;

interface CountedCaller {
  readonly owner?: string;
  readonly keyId: string | null;
  readonly address: string;
}
