/** One run of the mirror over the card of one unit: lists, fetches what is new, and looks again whether it has grown. */
import {
  type Card,
  type DeviceConfig,
  type FileEntry,
  GatewayError,
  type Host,
  indices,
  isGatewayError,
  type JobRun,
  unknownUnit,
} from '../../lib/index.ts';
import { copyFileOf, dropHalf } from './copy.ts';
import { LimitReached, Limits } from './limits.ts';
import { Parsing } from './parsing.ts';
import { placeOf } from './places.ts';
import type { MirrorStore } from './store.ts';
import type { FileRow, UnitRow } from './tables.ts';
import { whichCard } from './which-card.ts';

const MOST_FILES = 100_000;
const MOST_FOLDERS = 5_000;
/** After so many files that did not come the card is left alone. */
const MOST_FAILURES = 20;

export interface MirrorSettings {
  readonly min_free_mb: number;
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
  /** Why it ended before it was through; null where it was. */
  readonly stopped: string | null;
}

interface Done {
  fetched: number;
  growing: number;
}

type Listed = ReadonlyMap<string, FileEntry>;

export class MirrorRun {
  readonly #host: Host<MirrorSettings>;
  readonly #store: MirrorStore;
  readonly #folder: string;
  readonly #job: JobRun;
  readonly #config: DeviceConfig;
  readonly #card: Card;

  constructor(host: Host<MirrorSettings>, store: MirrorStore, folder: string, job: JobRun) {
    const config = host.configs.get(job.unitId ?? '');
    if (!config) throw unknownUnit(job.unitId ?? '');
    this.#host = host;
    this.#store = store;
    this.#folder = folder;
    this.#job = job;
    this.#config = config;
    this.#card = host.card(config.unitId);
  }

  async run(): Promise<MirrorResult> {
    const { unitId, mirror } = this.#config;
    const { log, say, clock } = this.#job;
    const parsing = new Parsing(this.#host, this.#store, this.#folder, this.#job, this.#config);
    if (mirror.parse) await parsing.readClock();
    say('The card is being listed.');
    const listed = await this.#listAll();
    const present = await this.#store.unit(unitId);
    const seen = await this.#store.seen(unitId);
    const times = new Map([...listed].map(([path, entry]) => [path, { size: entry.size, modified: timeOf(entry) }]));
    const card = whichCard(seen, times, present.card);
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
    const gone = await this.#store.markGone(unitId, card, new Set(listed.keys()));
    const limits = new Limits({
      folder: this.#folder,
      maxMbPerDay: mirror.maxMbPerDay,
      maxGb: mirror.maxGb,
      minFreeMb: this.#host.settings.min_free_mb,
      today: unit.dayBytes,
      kept: await this.#store.bytes(unitId),
    });
    const done: Done = { fetched: 0, growing: 0 };
    let stopped: string | null = null;
    try {
      await this.#fetchAll(listed, card, limits, done);
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error;
      stopped = error.message;
    } finally {
      await this.#store.putUnit({ ...unit, dayBytes: unit.dayBytes + limits.fetched });
    }
    const parsed = mirror.parse ? await parsing.run(card) : 0;
    say(stopped ?? `${done.fetched} of ${listed.size} files were fetched.`);
    return { card, listed: listed.size, ...done, bytes: limits.fetched, gone, parsed, stopped };
  }

  async #listAll(): Promise<Listed> {
    const listed = new Map<string, FileEntry>();
    const waiting = [...this.#config.mirror.paths];
    const visited = new Set<string>();
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      if (visited.has(path)) continue;
      visited.add(path);
      if (visited.size > MOST_FOLDERS || listed.size > MOST_FILES)
        throw new GatewayError(
          'FTP_FAILED',
          `There are more than ${MOST_FILES} files or ${MOST_FOLDERS} folders on the card.`,
        );
      for (const entry of await this.#list(path)) {
        if (entry.isDir) waiting.push(entry.path);
        else listed.set(entry.path, entry);
      }
    }
    return listed;
  }

  /** A folder that is not there has nothing in it: another card may have another one. */
  async #list(path: string): Promise<readonly FileEntry[]> {
    try {
      return await this.#card.list(path, this.#job.signal);
    } catch (error) {
      if (isGatewayError(error, 'FILE_NOT_FOUND')) return [];
      throw error;
    }
  }

  async #fetchAll(listed: Listed, card: number, limits: Limits, done: Done): Promise<void> {
    let looked = 0;
    const failures: unknown[] = [];
    for (const entries of byFolder(listed)) {
      const fetched: FileRow[] = [];
      try {
        for (const entry of entries) {
          const row = await this.#fetch(entry, card, limits).catch((error: unknown) => {
            // One file that does not come as it was listed keeps no other one back; the job fails in the end.
            if (!isGatewayError(error, 'FTP_FAILED') || failures.length >= MOST_FAILURES) throw error;
            failures.push(error);
            return undefined;
          });
          if (row) fetched.push(row);
          looked += 1;
          this.#job.progress(looked, listed.size, 'files');
        }
      } catch (error) {
        if (error instanceof LimitReached) await this.#lookAgain(fetched, done);
        throw error;
      }
      await this.#lookAgain(fetched, done);
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Undefined where there was nothing to do. */
  async #fetch(entry: FileEntry, card: number, limits: Limits): Promise<FileRow | undefined> {
    const { unitId } = this.#config;
    const place = placeOf(this.#folder, unitId, card, entry.path);
    const { path, size } = entry;
    const modified = timeOf(entry);
    const known = await this.#store.file(place.id);
    const same = known !== undefined && known.size === size && known.modified === modified;
    if (same && known.state === 'complete') return undefined;
    if (same && known.sha256 !== null && known.kept === size) {
      // Whole here already: back on the card, or grown no more since the run before.
      await this.#store.putFile({ ...known, state: 'complete' });
      return undefined;
    }
    // As many bytes of another time are other bytes. A file with more may be the old one that has grown: its bytes tell.
    const anew = known !== undefined && !same && size <= known.size;
    const first = { sha256: null, kept: 0, fetchedAt: null, half: 0, parsed: null, rows: 0, problems: [] };
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
      const parts = { card: this.#card, limits, save, signal: this.#job.signal };
      const sha256 = await copyFileOf(entry, place, { safe: row.half, anew }, parts);
      row = { ...row, sha256, kept: size, fetchedAt: this.#job.clock.now(), half: 0 };
      await this.#store.putFile(row);
      return row;
    } catch (error) {
      if (!isGatewayError(error, 'FILE_NOT_FOUND')) throw error;
      await this.#store.putFile({ ...row, state: 'gone_from_card' });
      return undefined;
    }
  }

  /** The second listing of a folder: a file that has the same size in it is complete. */
  async #lookAgain(fetched: readonly FileRow[], done: Done): Promise<void> {
    const [first] = fetched;
    if (!first) return;
    const entries = new Map((await this.#list(folderOf(first.path))).map((entry) => [entry.path, entry]));
    for (const row of fetched) {
      const entry = entries.get(row.path);
      const state = entry?.size === row.size ? 'complete' : entry ? 'growing' : 'gone_from_card';
      done.fetched += 1;
      if (state === 'growing') done.growing += 1;
      await this.#store.putFile({ ...row, state });
      const { path, size, sha256, card } = row;
      this.#host.publish(row.unitId, 'file', { path, size, sha256, card, state });
    }
  }
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

const timeOf = ({ modified, modifiedAt }: FileEntry): string => modifiedAt ?? modified;

function* byFolder(listed: Listed): Generator<readonly FileEntry[]> {
  const folders = Map.groupBy(listed.values(), ({ path }) => folderOf(path));
  yield* folders.values();
}
