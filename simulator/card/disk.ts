/** The card as a disk: a tree with a limited size. Knows what fits, nothing of stores. Sizes in bytes. */
import { type Content, GrowingText } from './content.ts';
import { bytesUnder, emptyFolder, type FileNode, type FolderNode, find, makeFolder, putFile, remove } from './tree.ts';

export const MB = 1_048_576;

/** Nothing can be written: there is no card, or no room on it. */
export class CardProblem extends Error {
  readonly reason: 'missing' | 'full';

  constructor(reason: 'missing' | 'full') {
    super(reason === 'missing' ? 'there is no card' : 'the card is full');
    this.name = 'CardProblem';
    this.reason = reason;
  }
}

/** A file that gets a row at a time. `at`: device time. */
export interface GrowingFile {
  write(row: string, at: number): void;
  close(): void;
}

export class Disk {
  readonly root: FolderNode;
  /** Device time at which it was first used. */
  readonly madeAt: number;
  readonly #total: number;
  #taken = 0;
  /** Space that is used without a file. */
  #blocked = 0;
  #lostRows = 0;
  inserted = true;

  constructor(total: number, madeAt: number) {
    this.#total = total;
    this.madeAt = madeAt;
    this.root = emptyFolder(madeAt);
  }

  get totalMb(): number {
    return this.#total / MB;
  }

  get free(): number {
    return Math.max(0, this.#total - this.#taken - this.#blocked);
  }

  get lostRows(): number {
    return this.#lostRows;
  }

  leaveFree(bytes: number): void {
    this.#blocked = Math.max(0, this.#total - this.#taken - bytes);
  }

  folder(path: string, modifiedAt: number): void {
    this.#mustBeIn();
    makeFolder(this.root, path, modifiedAt);
  }

  /** Puts a file, in place of an older file. Throws a CardProblem, and then changes nothing. */
  file(path: string, content: Content, modifiedAt: number): FileNode {
    this.#mustBeIn();
    const before = bytesUnder(find(this.root, path));
    if (content.size - before > this.free) throw new CardProblem('full');
    const file = putFile(this.root, path, content, modifiedAt);
    this.#taken += content.size - before;
    return file;
  }

  /**
   * A file of rows that grows by `write`; a row that cannot be written is counted and gone. `sectors`: until it is closed, only its
   * full sectors are there.
   */
  rows(path: string, head: string, modifiedAt: number, sectors = false): GrowingFile {
    const text = new GrowingText(sectors);
    text.append(head);
    const file = this.file(path, text, modifiedAt);
    return {
      write: (row, at) => {
        if (!this.grow(row.length)) return;
        text.append(row);
        file.modifiedAt = at;
      },
      close: () => text.close(),
    };
  }

  /** Takes room for rows that are about to be written. Without room: false, and the rows are counted. */
  grow(bytes: number): boolean {
    if (!this.inserted || bytes > this.free) {
      this.#lostRows++;
      return false;
    }
    this.#taken += bytes;
    return true;
  }

  lose(): void {
    this.#lostRows++;
  }

  remove(path: string): void {
    this.#mustBeIn();
    this.#taken -= bytesUnder(find(this.root, path));
    remove(this.root, path);
  }

  #mustBeIn(): void {
    if (!this.inserted) throw new CardProblem('missing');
  }
}
