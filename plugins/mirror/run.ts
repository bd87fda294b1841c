/** One run of the mirror over the card of one unit: lists, fetches what is new, and checks whether it has grown meanwhile. */
import {
  type CardFormat,
  type CardVisit,
  type DeviceConfig,
  type FileEntry,
  type Host,
  indices,
  isGatewayError,
  type JobRun,
} from '../../lib/index.ts';
import { byFolder, folderOf, type Listed, listAll, listedText, listFolder } from './card-listing.ts';
import { copyFileOf, dropHalf } from './copy.ts';
import { FtpSwitch } from './ftp-switch.ts';
import { Holdings } from './holdings.ts';
import { LimitReached, Limits } from './limits.ts';
import { Parsing } from './parsing.ts';
import { copyPlaceOf } from './places.ts';
import { Progress } from './progress.ts';
import type { MirrorStore } from './store.ts';
import type { FileRow, UnitRow } from './tables.ts';
import { whichCard } from './which-card.ts';

/** After so many files that did not come the card is left as it is. */
const MOST_FAILURES = 20;

export interface MirrorSettings {
  readonly min_free_mb: number;
}

/** The request of a run. */
export interface MirrorInput {
  /** A folder of the card: the result says which of its files are copied. */
  readonly folder?: string;
}

/** The copies of a folder and everything in it. */
export interface KeptFolder {
  readonly path: string;
  /** Number of files on the card, and bytes of their copies. */
  readonly files: number;
  readonly bytes: number;
  /** The first paths of files without a complete copy. */
  readonly incomplete: readonly string[];
}

export interface MirrorResult {
  readonly card: number;
  readonly listed: number;
  readonly fetched: number;
  readonly bytes: number;
  readonly growing: number;
  readonly gone: number;
  /** Files that became history. */
  readonly parsed: number;
  /** Why it ended early; null if it did not. */
  readonly stopped: string | null;
  /** If a folder was named. */
  readonly folder: KeptFolder | null;
}

interface Done {
  fetched: number;
  growing: number;
}

export class MirrorRun {
  readonly #host: Host<MirrorSettings>;
  readonly #store: MirrorStore;
  readonly #folder: string;
  readonly #job: JobRun<MirrorInput>;
  readonly #config: DeviceConfig;
  /** One login for all files; others who want the card go first. */
  readonly #card: CardVisit;
  readonly #format: CardFormat | undefined;
  #holdings = new Holdings();

  constructor(host: Host<MirrorSettings>, store: MirrorStore, folder: string, job: JobRun<MirrorInput>) {
    const config = host.configs.of(job.unitId ?? '');
    this.#host = host;
    this.#store = store;
    this.#folder = folder;
    this.#job = job;
    this.#config = config;
    this.#card = host.card(config.unitId).visit({ signal: job.signal, givesWay: true });
    this.#format = host.families.get(config.family).card;
  }

  readonly #isStore = (path: string): boolean => this.#format?.kindOf(path) !== undefined;

  async run(): Promise<MirrorResult> {
    const ftp = new FtpSwitch(this.#host, this.#job, this.#config);
    try {
      await ftp.on();
      return await this.#run();
    } finally {
      await this.#card.close();
      await ftp.asBefore();
    }
  }

  async #run(): Promise<MirrorResult> {
    const { unitId, mirror } = this.#config;
    const { log, say, clock } = this.#job;
    const parsing = new Parsing(this.#host, this.#store, this.#folder, this.#job, this.#config);
    if (mirror.parse) await parsing.readClock();
    say('Listing the card.');
    const listed = await listAll(this.#card, mirror.paths);
    const present = await this.#store.unit(unitId);
    this.#holdings = await Holdings.of(this.#store, unitId);
    const times = new Map(
      [...listed].map(([path, entry]) => [path, { size: entry.size, modified: listedText(entry) }]),
    );
    const card = whichCard(this.#holdings.seen, times, present.card, mirror.paths, this.#isStore);
    if (card !== present.card && present.card > 0) log.warn({ unit_id: unitId, card }, 'another card is in the meter');
    const day = indices.localDays(this.#config.timezone, { from: clock.now(), to: clock.now() + 1 })[0]?.date ?? '';
    const unit: UnitRow = {
      ...present,
      card,
      lastRun: clock.now(),
      day,
      dayBytes: present.day === day ? present.dayBytes : 0,
    };
    await this.#store.putUnit(unit);
    const gone = this.#holdings.gone(card, listed);
    await this.#store.markGone(gone);
    const limits = new Limits({
      folder: this.#folder,
      maxMbPerDay: mirror.maxMbPerDay,
      maxGb: mirror.maxGb,
      minFreeMb: this.#host.settings.min_free_mb,
      today: unit.dayBytes,
      kept: this.#holdings.bytes,
    });
    const progress = new Progress(
      this.#job,
      workIn(listed, (path) => mirror.parse && this.#format?.kindOf(path) === 'levels'),
    );
    const done: Done = { fetched: 0, growing: 0 };
    let stopped: string | null = null;
    try {
      await this.#fetchAll(listed, card, limits, progress, done);
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error;
      stopped = error.message;
    } finally {
      await this.#store.putUnit({ ...unit, dayBytes: unit.dayBytes + limits.fetched });
    }
    const parsed = mirror.parse ? await parsing.run(card, progress) : 0;
    if (stopped === null) progress.leave(0);
    say(stopped ?? `${done.fetched} of ${listed.size} files were fetched.`);
    return {
      card,
      listed: listed.size,
      ...done,
      bytes: limits.fetched,
      gone: gone.length,
      parsed,
      stopped,
      folder: await this.#kept(card),
    };
  }

  async #kept(card: number): Promise<KeptFolder | null> {
    const { folder } = this.#job.input;
    if (folder === undefined) return null;
    const rows: FileRow[] = [];
    for await (const page of this.#store.all(this.#config.unitId, card))
      rows.push(...page.filter(({ path, state }) => path.startsWith(`${folder}/`) && state !== 'gone_from_card'));
    const incomplete = rows.filter(({ state }) => state !== 'complete').map(({ path }) => path);
    const bytes = rows.reduce((sum, { kept }) => sum + kept, 0);
    return { path: folder, files: rows.length, bytes, incomplete: incomplete.slice(0, 20) };
  }

  async #fetchAll(listed: Listed, card: number, limits: Limits, progress: Progress, done: Done): Promise<void> {
    const failures: unknown[] = [];
    for (const entries of byFolder(listed)) {
      const fetched: FileRow[] = [];
      try {
        for (const entry of entries) {
          const row = await this.#fetch(entry, card, limits, progress).catch((error: unknown) => {
            // A file that cannot be fetched as listed does not stop the others; the job fails at the end.
            if (!isGatewayError(error, 'FTP_FAILED') || failures.length >= MOST_FAILURES) throw error;
            failures.push(error);
            return undefined;
          });
          if (row) fetched.push(row);
          progress.pass(entry.size);
        }
      } catch (error) {
        if (error instanceof LimitReached) await this.#lookAgain(fetched, done);
        throw error;
      }
      await this.#lookAgain(fetched, done);
      // Thousands of unchanged files need no waiting: give the process time for the meters.
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Undefined if there was nothing to do. */
  async #fetch(entry: FileEntry, card: number, limits: Limits, progress: Progress): Promise<FileRow | undefined> {
    const { unitId } = this.#config;
    const { path, size } = entry;
    const modified = listedText(entry);
    const held = this.#holdings.file(card, path);
    const same = held !== undefined && held.size === size && held.modified === modified;
    if (same && held.state === 'complete') return undefined;
    const place = copyPlaceOf(this.#folder, unitId, card, entry.path);
    const known = held && (await this.#store.file(place.id));
    if (same && known && known.sha256 !== null && known.kept === size && known.wholeModified === modified) {
      // The copy is complete already: the file is back on the card, or has not grown since the last run.
      await this.#store.putFile({ ...known, state: 'complete' });
      return undefined;
    }
    // With another time and the same size the bytes are others. A larger file may be the old one that has grown: its bytes show it.
    const anew = known !== undefined && !same && size <= known.size;
    // The complete copy is its beginning only while it grows; after an interrupted change it may have other bytes.
    const continues = !anew && known !== undefined && (size > known.kept || known.wholeModified === modified);
    const first = {
      sha256: null,
      kept: 0,
      wholeModified: null,
      fetchedAt: null,
      half: 0,
      parsed: null,
      rows: 0,
      problems: [],
    };
    let row: FileRow = { ...first, ...known, id: place.id, unitId, card, path, size, modified, state: 'growing' };
    if (anew) {
      await dropHalf(place);
      row = { ...row, half: 0 };
    }
    await this.#store.putFile(row);
    await limits.room(size - row.half);
    const save = async (half: number) => {
      row = { ...row, half };
      await this.#store.putFile(row);
    };
    try {
      const stillListed = async () => {
        const now = (await listFolder(this.#card, folderOf(path))).find((other) => other.path === path);
        return now !== undefined && listedText(now) === modified && now.size >= size;
      };
      const reached = (bytes: number) => progress.within(bytes);
      const parts = { card: this.#card, limits, reached, save, stillListed, signal: this.#job.signal };
      const sha256 = await copyFileOf(entry, place, { safe: row.half, anew, continues }, parts);
      row = { ...row, sha256, kept: size, wholeModified: modified, fetchedAt: this.#job.clock.now(), half: 0 };
      await this.#store.putFile(row);
      return row;
    } catch (error) {
      if (!isGatewayError(error, 'FILE_NOT_FOUND')) throw error;
      await this.#store.putFile({ ...row, state: 'gone_from_card' });
      return undefined;
    }
  }

  /** The second listing of a folder: a file that has the same size and time in it is complete. */
  async #lookAgain(fetched: readonly FileRow[], done: Done): Promise<void> {
    const [first] = fetched;
    if (!first) return;
    const entries = new Map((await listFolder(this.#card, folderOf(first.path))).map((entry) => [entry.path, entry]));
    for (const row of fetched) {
      const entry = entries.get(row.path);
      const isSame = entry?.size === row.size && listedText(entry) === row.modified;
      const state = isSame ? 'complete' : entry ? 'growing' : 'gone_from_card';
      done.fetched += 1;
      if (state === 'growing') done.growing += 1;
      await this.#store.putFile({ ...row, state });
      const { path, size, sha256, card } = row;
      this.#host.publish(row.unitId, 'file', { path, size, sha256, card, state });
    }
  }
}

/** Bytes to look at; the levels of a file are read after it has come. */
function workIn(listed: Listed, isRead: (path: string) => boolean): number {
  let bytes = 0;
  for (const { path, size } of listed.values()) bytes += isRead(path) ? 2 * size : size;
  return bytes;
}
