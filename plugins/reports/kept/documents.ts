/**
 * The documents on the disk: a folder for each run, `12/pdf`. It is written under another name first, and it is there when the run says
 * that it is done: what a process that was killed left behind is removed at the next start.
 */
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../../lib/built-in.ts';
import { GatewayError, type Host, type Tables } from '../../../lib/index.ts';
import type { ReportStore } from './store.ts';

/** What all parts of kept reports use. */
export interface KeptParts {
  readonly host: Host;
  readonly tables: Tables;
  readonly store: ReportStore;
  readonly folders: DocumentFolders;
}

/** Space on the disk that stays free, bytes. */
const FREE_BYTES = 500_000_000;
const DRAFT = '.draft';

export class DocumentFolders {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Removes what belongs to no run. `known`: runs that have documents. */
  async tidy(known: ReadonlySet<string>): Promise<void> {
    for (const name of await readdir(this.#folder))
      if (!known.has(name)) await rm(join(this.#folder, name), { force: true, recursive: true });
  }

  /** An empty folder for a run. Errors: STORAGE_FULL. */
  async draft(runId: number): Promise<string> {
    const { bavail, bsize } = await statfs(this.#folder);
    if (bavail * bsize < FREE_BYTES)
      throw new GatewayError(
        'STORAGE_FULL',
        'Less than 500 MB are free on the disk of the gateway: no report was made.',
      );
    await this.remove(runId);
    const draft = `${this.#at(runId)}${DRAFT}`;
    await mkdir(draft, { mode: 0o700 });
    return draft;
  }

  async write(draft: string, format: string, bytes: Uint8Array): Promise<void> {
    const file = await open(join(draft, format), 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  async keep(draft: string, runId: number): Promise<void> {
    await syncFolder(draft);
    await rename(draft, this.#at(runId));
    await syncFolder(this.#folder);
  }

  /** Also a draft. */
  async remove(runId: number): Promise<void> {
    for (const folder of [this.#at(runId), `${this.#at(runId)}${DRAFT}`])
      await rm(folder, { force: true, recursive: true });
  }

  /** All bytes of a document. Errors: FILE_NOT_FOUND, where somebody removed the file. */
  whole(runId: number, format: string): Promise<Uint8Array> {
    return readFile(join(this.#at(runId), format)).catch(noFile);
  }

  /** The bytes of a document, both ends included. Errors: FILE_NOT_FOUND, where somebody removed the file. */
  async read(runId: number, format: string, range?: { readonly start: number; readonly end: number }) {
    const path = join(this.#at(runId), format);
    const file = await open(path).catch(noFile);
    await file.close();
    return createReadStream(path, { ...range, highWaterMark: 262_144 });
  }

  #at = (runId: number) => join(this.#folder, String(runId));
}

function noFile(cause: unknown): never {
  throw new GatewayError('FILE_NOT_FOUND', 'The file of this document is not on the disk any more.', { cause });
}
