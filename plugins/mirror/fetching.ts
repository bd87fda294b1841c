/** Fetches the files of one card, folder by folder. Each folder is listed again to see whether its files have grown. */
import { rm } from 'node:fs/promises';
import type { CardVisit, FileEntry, JobRun } from '../../lib/built-in.ts';
import { type Host, isGatewayError } from '../../lib/index.ts';
import {
  beginsAs,
  byFolder,
  folderOf,
  type Holdings,
  type Listed,
  listedText,
  listFolder,
  matchOfTimes,
} from './card-listing.ts';
import { copyFileOf, dropHalf } from './copy.ts';
import {
  type CopyPlace,
  copyPlaceOf,
  isHere,
  LimitReached,
  type Limits,
  type Progress,
  pathOfCopy,
  storedAs,
} from './places.ts';
import { hashesOf, readSmall, SMALL_BYTES, SmallFiles } from './small-files.ts';
import { type MirrorStore, type NewCopy, replacedBy } from './store.ts';
import type { FileRow } from './tables.ts';

const MOST_FAILURES = 20;

interface FetchingParts {
  readonly store: MirrorStore;
  readonly root: string;
  readonly job: JobRun<unknown>;
  readonly publish: Host['publish'];
  readonly visit: CardVisit;
  readonly unitId: string;
  readonly card: number;
  readonly holdings: Holdings;
  /** Files whose levels are read in this run: their copies must be on this disk. */
  readonly unread: ReadonlySet<string>;
  readonly limits: Limits;
  readonly progress: Progress;
}

export interface Done {
  fetched: number;
  growing: number;
  replaced: number;
}

interface Wanted {
  readonly entry: FileEntry;
  readonly place: CopyPlace;
  /** The row of the file; undefined: it is new. */
  readonly known: FileRow | undefined;
  readonly row: FileRow;
  /** Another time and not larger: the bytes that are here do not belong to it. */
  readonly anew: boolean;
  /** The copy may be the beginning of the file. */
  readonly continues: boolean;
}

const NEW_FILE = {
  sha256: null,
  kept: 0,
  wholeModified: null,
  fetchedAt: null,
  half: 0,
  stored: '',
  parsed: null,
  rows: 0,
  problems: [],
};

export class Fetching {
  readonly #parts: FetchingParts;
  readonly #small: SmallFiles;
  /** Files whose listed year has changed, with the same bytes. */
  redated = 0;

  constructor(parts: FetchingParts) {
    this.#parts = parts;
    this.#small = new SmallFiles(parts.store, parts.job.clock, parts.root);
  }

  /** Throws `LimitReached`, and at the end the first error of a file that could not be fetched. */
  async all(listed: Listed, done: Done): Promise<void> {
    const failures: unknown[] = [];
    for (const entries of byFolder(listed)) {
      const fetched: NewCopy[] = [];
      try {
        for (const entry of entries) {
          const copy = await this.#fetch(entry).catch((error: unknown) => {
            // A file that cannot be fetched as listed does not stop the others; the job fails at the end.
            if (!isGatewayError(error, 'FTP_FAILED') || failures.length >= MOST_FAILURES) throw error;
            failures.push(error);
            return undefined;
          });
          if (copy) fetched.push(copy);
          this.#parts.progress.pass(entry.size);
        }
      } catch (error) {
        // Fetched files are kept, even if the card cannot be reached now.
        fetched.push(...(await this.#small.settle()));
        if (error instanceof LimitReached) await this.#lookAgain(fetched, done);
        throw error;
      }
      fetched.push(...(await this.#small.settle()));
      await this.#lookAgain(fetched, done);
      if (this.#small.failure) throw this.#small.failure;
      // Thousands of unchanged files need no waiting, so give other work time here.
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Undefined if there was nothing to do, or the copy is stored later together with others. */
  async #fetch(entry: FileEntry): Promise<NewCopy | undefined> {
    const { store, root, unitId, card, holdings, unread, limits } = this.#parts;
    const { path, size } = entry;
    const modified = listedText(entry);
    const held = holdings.file(card, path);
    const same = held !== undefined && held.size === size && isSameTime(held.modified, modified);
    if (same && held.state === 'complete' && !unread.has(path)) return undefined;
    const place = copyPlaceOf(root, unitId, card, path);
    const known = held && (await store.file(place.id));
    const isElsewhere = unread.has(path) && known?.sha256 != null && !(await isHere(root, known));
    if (same && held.state === 'complete' && !isElsewhere) return undefined;
    if (
      same &&
      !isElsewhere &&
      known &&
      known.sha256 !== null &&
      known.kept === size &&
      isSameTime(known.wholeModified, modified)
    ) {
      // The copy is complete already: the file is back on the card, or has not grown since the last run.
      await store.putFiles([{ ...known, state: 'complete' }]);
      return undefined;
    }
    if (known && !isElsewhere && (await this.#isRedated(known, size, modified))) {
      this.redated += 1;
      await store.putFiles([{ ...known, modified, wholeModified: modified, state: 'complete' }]);
      return undefined;
    }
    // Another time with the same size means other bytes. A larger file may be the grown old file: its bytes show it.
    const anew = known !== undefined && !same && size <= known.size;
    // The complete copy is its beginning only while it grows; after an interrupted change it may have other bytes.
    const continues = !anew && known !== undefined && (size > known.kept || isSameTime(known.wholeModified, modified));
    const row: FileRow = { ...NEW_FILE, ...known, id: place.id, unitId, card, path, size, modified, state: 'growing' };
    const wanted = { entry, place, known, row: anew ? { ...row, half: 0 } : row, anew, continues };
    const isSmall = size <= SMALL_BYTES && wanted.row.half === 0 && !(continues && row.sha256 !== null);
    try {
      if (isSmall) {
        await limits.room(size);
        await this.#fetchSmall(wanted);
        return undefined;
      }
      return await this.#fetchLarge(wanted);
    } catch (error) {
      if (isSmall) await store.putFiles([wanted.row]);
      if (!isGatewayError(error, 'FILE_NOT_FOUND')) throw error;
      await store.putFiles([{ ...wanted.row, state: 'gone_from_card' }]);
      return undefined;
    }
  }

  async #isRedated(known: FileRow, size: number, modified: string): Promise<boolean> {
    const { visit, root } = this.#parts;
    if (known.sha256 === null || known.kept !== size || known.wholeModified === null) return false;
    if (matchOfTimes(known.wholeModified, modified) !== 'other year') return false;
    return beginsAs(visit, known, root);
  }

  async #fetchSmall({ entry, place, known, row }: Wanted): Promise<void> {
    const { visit, limits, job } = this.#parts;
    const bytes = await readSmall(visit, entry, limits);
    const { sha256, contains } = hashesOf(bytes, known);
    await this.#small.add({
      row: whole(row, sha256, job.clock.now()),
      before: known,
      contains,
      place,
      bytes,
    });
  }

  async #fetchLarge({ entry, place, known, row: first, anew, continues }: Wanted): Promise<NewCopy> {
    const { store, root, visit, limits, progress, job } = this.#parts;
    const { path, size } = entry;
    let row = first;
    if (anew) await dropHalf(place);
    await store.putFiles([row]);
    await limits.room(size - row.half);
    const save = async (half: number) => {
      row = { ...row, half };
      await store.putFiles([row]);
    };
    const stillListed = async () => {
      const now = (await listFolder(visit, folderOf(path))).find((other) => other.path === path);
      return now !== undefined && isSameTime(row.modified, listedText(now)) && now.size >= size;
    };
    const reached = (bytes: number) => progress.within(bytes);
    const parts = { card: visit, limits, reached, save, stillListed };
    const held = known && known.sha256 !== null ? pathOfCopy(root, known) : undefined;
    const begun = { safe: row.half, anew, whole: continues ? held : undefined, kept: known?.kept ?? 0 };
    const { sha256, ofBeginning } = await copyFileOf(entry, place, begun, parts);
    const contains = known !== undefined && known.kept < size && ofBeginning === known.sha256;
    const copy = { row: whole(row, sha256, job.clock.now()), before: known, contains };
    for (const spare of await store.keep([copy], job.clock.now())) await rm(pathOfCopy(root, spare), { force: true });
    return copy;
  }

  /** The second listing of a folder: a file with the same size and time in both listings is complete. */
  async #lookAgain(fetched: readonly NewCopy[], done: Done): Promise<void> {
    const { store, visit, publish } = this.#parts;
    const [first] = fetched;
    if (!first) return;
    const entries = new Map((await listFolder(visit, folderOf(first.row.path))).map((entry) => [entry.path, entry]));
    const rows = fetched.map(({ row }): FileRow => {
      const entry = entries.get(row.path);
      const isSame = entry?.size === row.size && isSameTime(row.modified, listedText(entry));
      return { ...row, state: isSame ? 'complete' : entry ? 'growing' : 'gone_from_card' };
    });
    await store.putFiles(rows);
    for (const [index, copy] of fetched.entries()) {
      const { unitId, path, size, sha256, card, state } = rows[index] ?? copy.row;
      const replaced = replacedBy(copy);
      done.fetched += 1;
      if (state === 'growing') done.growing += 1;
      if (replaced !== null) done.replaced += 1;
      publish(unitId, 'file', { path, size, sha256, card, state, ...(replaced !== null && { replaced }) });
    }
  }
}

function isSameTime(known: string | null, listed: string): boolean {
  const match = known === null ? 'other' : matchOfTimes(known, listed);
  return match === 'same' || match === 'same day';
}

const whole = (row: FileRow, sha256: string, now: number): FileRow => ({
  ...row,
  sha256,
  kept: row.size,
  wholeModified: row.modified,
  fetchedAt: now,
  half: 0,
  stored: storedAs(sha256),
});
