/** The copies of a unit, read once for each run: a card may have a hundred thousand files, most of them unchanged. */
import type { MirrorStore } from './store.ts';
import type { FileState } from './tables.ts';
import type { SeenFile } from './which-card.ts';

/** The fields of a copy that a run needs. */
export interface HeldFile {
  readonly id: string;
  readonly size: number;
  readonly modified: string;
  readonly state: FileState;
  /** Whether its levels are in the history. */
  readonly isRead: boolean;
}

/** The copies of one unit. */
export class Holdings {
  /** Files of all cards that were whole once. */
  readonly seen: SeenFile[] = [];
  /** Bytes on this disk. */
  bytes = 0;
  readonly #cards = new Map<number, Map<string, HeldFile>>();

  static async of(store: MirrorStore, unitId: string): Promise<Holdings> {
    const holdings = new Holdings();
    holdings.bytes = await store.bytesOfVersions(unitId);
    for await (const page of store.all(unitId))
      for (const { id, card, path, size, modified, sha256, kept, half, state, parsed } of page) {
        if (sha256 !== null) holdings.seen.push({ card, path, size, modified });
        holdings.bytes += kept + half;
        const files = holdings.#cards.get(card) ?? new Map<string, HeldFile>();
        holdings.#cards.set(
          card,
          files.set(path, { id, size, modified, state, isRead: parsed !== null && parsed === sha256 }),
        );
      }
    return holdings;
  }

  file(card: number, path: string): HeldFile | undefined {
    return this.#cards.get(card)?.get(path);
  }

  /** Ids of files that are newly gone: files of other cards, and unlisted files of this card. */
  gone(present: number, listed: { has(path: string): boolean }): string[] {
    const ids: string[] = [];
    for (const [card, files] of this.#cards)
      for (const [path, { id, state }] of files)
        if (state !== 'gone_from_card' && (card !== present || !listed.has(path))) ids.push(id);
    return ids;
  }
}
