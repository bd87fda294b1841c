/**
 * Small files are written to the disk and into the table together: a sync and a commit for each would take ten times as
 * long as the transfer. Until then a file is only in memory; if the process ends, it is fetched again.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type CardVisit, type FileEntry, isDiskFull, moveOver, syncFolder } from '../../lib/built-in.ts';
import { type Clock, isGatewayError, releaseChunk } from '../../lib/index.ts';
import { diskFull, write } from './copy.ts';
import { type CopyPlace, type Limits, makeRoom, pathOfCopy, storedAs } from './places.ts';
import type { MirrorStore, NewCopy } from './store.ts';

/** The largest file that is kept in memory as a whole, bytes. */
export const SMALL_BYTES = 65_536;
/** After so many files or bytes, or after this time (ms), waiting files are written. */
const MOST_FILES = 128;
const MOST_BYTES = 4 * 1_048_576;
const LONGEST_MS = 2_000;
/** How often other requests for the card may go first. */
const MOST_TRIES = 100;

interface SmallFile extends NewCopy {
  readonly place: CopyPlace;
  readonly bytes: Buffer;
}

/** All bytes of a small file. Errors: those of the card, and `LimitReached`. */
export async function readSmall(card: CardVisit, { path, size }: FileEntry, limits: Limits): Promise<Buffer> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await readOnce(card, path, size, limits);
    } catch (error) {
      if (!isGatewayError(error, 'DEVICE_BUSY') || tries >= MOST_TRIES) throw error;
    }
  }
}

async function readOnce(card: CardVisit, path: string, size: number, limits: Limits): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  if (size === 0) return bytes;
  const { stream } = await card.open(path, { from: 0, to: size });
  let at = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      limits.take(chunk.length);
      at += chunk.copy(bytes, at);
      releaseChunk(chunk);
    }
  } finally {
    stream.destroy();
  }
  return bytes;
}

/** The hash of these bytes, and whether they begin with the copy that they replace. */
export function hashesOf(
  bytes: Buffer,
  before: NewCopy['before'],
): { readonly sha256: string; readonly contains: boolean } {
  const hash = (part: Buffer) => createHash('sha256').update(part).digest('hex');
  const contains =
    before !== undefined && before.kept < bytes.length && hash(bytes.subarray(0, before.kept)) === before.sha256;
  return { sha256: hash(bytes), contains };
}

export class SmallFiles {
  readonly #store: MirrorStore;
  readonly #clock: Clock;
  readonly #root: string;
  #waiting: SmallFile[] = [];
  #bytes = 0;
  #since = 0;
  #writing: Promise<void> = Promise.resolve();
  #kept: SmallFile[] = [];
  #failure: unknown;
  readonly #folders = new Set<string>();

  constructor(store: MirrorStore, clock: Clock, root: string) {
    this.#store = store;
    this.#clock = clock;
    this.#root = root;
  }

  get failure(): unknown {
    return this.#failure;
  }

  /** Returns when there is room for the next file. Throws the error of an earlier batch. */
  async add(file: SmallFile): Promise<void> {
    if (this.#waiting.length === 0) this.#since = this.#clock.elapsed();
    this.#waiting.push(file);
    this.#bytes += file.bytes.length;
    const isLate = this.#clock.elapsed() - this.#since >= LONGEST_MS;
    if (this.#waiting.length >= MOST_FILES || this.#bytes >= MOST_BYTES || isLate) await this.#begin();
    if (this.#failure) throw this.#failure;
  }

  /** Writes waiting files. Returns the files that were stored since the last call; never rejects. */
  async settle(): Promise<readonly NewCopy[]> {
    await this.#begin();
    await this.#writing;
    const kept = this.#kept;
    this.#kept = [];
    return kept;
  }

  /** One batch is written at a time, so that at most two are in memory. */
  async #begin(): Promise<void> {
    await this.#writing;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    if (batch.length === 0 || this.#failure) return;
    this.#writing = this.#write(batch).catch((error: unknown) => {
      this.#failure = error;
    });
  }

  async #write(batch: readonly SmallFile[]): Promise<void> {
    const open: { readonly file: SmallFile; readonly handle: FileHandle }[] = [];
    let failure: unknown;
    try {
      // In their order: a full disk stores the first files.
      for (const file of batch) {
        await this.#makeRoom(file.place);
        open.push({ file, handle: await writeHalf(file) });
      }
    } catch (error) {
      failure = isDiskFull(error) ? diskFull() : error;
    }
    await Promise.all(open.map(({ file, handle }) => name(file, handle)));
    const folders = new Set(open.map(({ file }) => dirname(file.place.whole)));
    await Promise.all([...folders].map((folder) => syncFolder(folder)));
    const files = open.map(({ file }) => file);
    if (files.length > 0) {
      for (const spare of await this.#store.keep(files, this.#clock.now()))
        await rm(pathOfCopy(this.#root, spare), { force: true });
      this.#kept.push(...files);
    }
    if (failure) throw failure;
  }

  async #makeRoom(place: CopyPlace): Promise<void> {
    const folder = dirname(place.whole);
    if (this.#folders.has(folder)) return;
    await makeRoom(place);
    this.#folders.add(folder);
  }
}

async function writeHalf({ place, bytes }: SmallFile): Promise<FileHandle> {
  const handle = await open(place.half, 'w', 0o600);
  try {
    await write(handle, bytes, 0);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Gives a file its name, when its bytes are on the disk. */
async function name({ place, row }: SmallFile, handle: FileHandle): Promise<void> {
  await handle.datasync().finally(() => handle.close());
  await moveOver(place.half, place.whole + storedAs(row.sha256 ?? ''));
}
