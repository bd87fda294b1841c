/** The state of the mirror, in its tables. */
import type { Rows } from '../../lib/built-in.ts';
import type { Tables } from '../../lib/index.ts';
import type { Copy } from './places.ts';
import {
  CLOCKS,
  type ClockRow,
  FILES,
  type FileRow,
  HOURS,
  type HourRow,
  RECORDINGS,
  type RecordingRow,
  UNITS,
  type UnitRow,
  VERSIONS,
  type VersionRow,
} from './tables.ts';

const PAGE = 500;

export interface NewCopy {
  readonly row: FileRow;
  readonly before: FileRow | undefined;
  /** Whether the new bytes begin with those of the copy before. */
  readonly contains: boolean;
}

/** The bytes that a new copy replaces and does not contain. */
export const replacedBy = ({ row, before, contains }: NewCopy): string | null =>
  before && before.sha256 !== row.sha256 && !contains ? before.sha256 : null;

/** The filters of recordings, ms since 1970 UTC; `after`: the last recording of the page before. */
interface RecordingSpan {
  readonly from?: number;
  readonly to?: number;
  readonly after: { readonly began: number; readonly id: string } | undefined;
  readonly limit: number;
}

export class MirrorStore {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  #find: Rows['find'] = (table, selection) => this.#tables.read((rows) => rows.find(table, selection));

  async unit(unitId: string): Promise<UnitRow> {
    const [row] = await this.#find(UNITS, { where: { unitId } });
    return row ?? { unitId, card: 0, lastRun: null, day: '', dayBytes: 0 };
  }

  putUnit = (row: UnitRow): Promise<void> => this.#tables.write((rows) => rows.put(UNITS, [row]));
  putFiles = (files: readonly FileRow[]): Promise<void> => this.#tables.write((rows) => rows.put(FILES, files));

  /**
   * Stores whole copies in one commit; the earlier bytes stay as versions. Returns copies that are no longer needed:
   * the same bytes under another name.
   */
  async keep(copies: readonly NewCopy[], now: number): Promise<(Copy & { readonly id: string })[]> {
    return this.#tables.write(async (rows) => {
      const spare: (Copy & { readonly id: string })[] = [];
      const replaced: VersionRow[] = [];
      for (const { row, before, contains } of copies) {
        const { id, unitId, card, path, sha256 } = row;
        if (before === undefined || before.sha256 === null || sha256 === null) continue;
        if (before.sha256 === sha256) spare.push(before);
        else
          replaced.push({
            id,
            sha256: before.sha256,
            unitId,
            card,
            path,
            size: before.kept,
            modified: before.wholeModified,
            fetchedAt: before.fetchedAt,
            replacedAt: now,
            stored: before.stored,
            contained: contains,
          });
        const [same] = await rows.find(VERSIONS, { where: { id, sha256 } });
        if (same) spare.push(same);
        if (same) await rows.remove(VERSIONS, { id, sha256 });
      }
      await rows.put(VERSIONS, replaced);
      await rows.put(
        FILES,
        copies.map(({ row }) => row),
      );
      const present = new Map(copies.map(({ row }) => [row.id, row.stored]));
      return spare.filter((copy) => present.get(copy.id) !== copy.stored);
    });
  }

  /** The last run of a card, ms since 1970; undefined: no run. If a clock was ahead, the next run corrects it, unlike the times of versions. */
  async lastRunAt(): Promise<number | undefined> {
    const query = { where: { lastRun: { atLeast: 0 } }, order: { lastRun: 'desc' }, limit: 1 } as const;
    const [unit] = await this.#find(UNITS, query);
    return unit?.lastRun ?? undefined;
  }

  /** Replaced versions of a unit: those that newer copies contain, and those replaced before this time (ms since 1970). */
  unneeded = (unitId: string, before: number): Promise<VersionRow[]> =>
    this.#tables.read(async (rows) => [
      ...(await rows.find(VERSIONS, { where: { unitId, contained: true } })),
      ...(await rows.find(VERSIONS, { where: { unitId, contained: false, replacedAt: { below: before } } })),
    ]);

  dropVersion = ({ id, sha256 }: VersionRow): Promise<number> =>
    this.#tables.write((rows) => rows.remove(VERSIONS, { id, sha256 }));

  /** For all cards, the last copy of each and the copies that it replaced, the newest first. */
  async versions(
    unitId: string,
    path: string,
  ): Promise<{ readonly files: FileRow[]; readonly replaced: VersionRow[] }> {
    return this.#tables.read(async (rows) => ({
      files: await rows.find(FILES, { where: { unitId, path }, order: { card: 'desc' } }),
      replaced: await rows.find(VERSIONS, {
        where: { unitId, path, contained: false },
        order: { replacedAt: 'desc', card: 'desc' },
      }),
    }));
  }

  /** The copy of a path with these bytes, of `card`, or else of the newest card that has it. */
  async copyOf(unitId: string, path: string, sha256: string, card?: number): Promise<FileRow | VersionRow | undefined> {
    const { files, replaced } = await this.versions(unitId, path);
    const isIt = (one: FileRow | VersionRow) => one.sha256 === sha256 && (card === undefined || one.card === card);
    return files.find(isIt) ?? replaced.find(isIt);
  }

  async countVersions(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    if (ids.length === 0) return counts;
    const found = await this.#find(VERSIONS, { where: { id: ids, contained: false } });
    for (const { id } of found) counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts;
  }

  async bytesOfVersions(unitId: string): Promise<number> {
    const found = await this.#find(VERSIONS, { where: { unitId } });
    return found.reduce((sum, { size }) => sum + size, 0);
  }

  putClock = (row: ClockRow): Promise<void> => this.#tables.write((rows) => rows.put(CLOCKS, [row]));
  putHour = (row: HourRow): Promise<void> => this.#tables.write((rows) => rows.put(HOURS, [row]));

  clocks = (unitId: string): Promise<ClockRow[]> => this.#find(CLOCKS, { where: { unitId }, order: { at: 'asc' } });

  /** From one time to another, ms since 1970; neither is part of it. */
  clocksWithin = (unitId: string, after: number, before: number, limit: number): Promise<ClockRow[]> =>
    this.#find(CLOCKS, { where: { unitId, at: { above: after, below: before } }, order: { at: 'asc' }, limit });

  /** From one hour up to, not including, another; seconds since 1970. */
  hours = (unitId: string, from: number, to: number, limit = 10_000): Promise<HourRow[]> =>
    this.#find(HOURS, {
      where: { unitId, hour: { atLeast: from, below: to } },
      order: { hour: 'asc' },
      limit,
    });

  putRecording = (row: RecordingRow): Promise<void> => this.#tables.write((rows) => rows.put(RECORDINGS, [row]));
  recordingsOf = (unitId: string): Promise<RecordingRow[]> => this.#find(RECORDINGS, { where: { unitId } });

  /** Recordings that may overlap the span, the newest first. `units` undefined: of all. */
  async recordings(units: readonly string[] | undefined, span: RecordingSpan): Promise<RecordingRow[]> {
    const { from, to, after, limit } = span;
    const where = {
      ...(units && { unitId: units }),
      // A recording without a time ends before everything.
      latest: { above: from ?? 0 },
      ...(to !== undefined && { earliest: { below: to } }),
    };
    const order = { began: 'desc', id: 'desc' } as const;
    return this.#tables.read(async (rows) => {
      if (!after) return rows.find(RECORDINGS, { where, order, limit });
      const { began, id } = after;
      const tied = await rows.find(RECORDINGS, { where: { ...where, began, id: { below: id } }, order, limit });
      const earlier = await rows.find(RECORDINGS, { where: { ...where, began: { below: began } }, order, limit });
      return [...tied, ...earlier].slice(0, limit);
    });
  }

  countUntimed = (units: readonly string[] | undefined): Promise<number> =>
    this.#tables.read((rows) => rows.count(RECORDINGS, { ...(units && { unitId: units }), began: null }));

  async file(id: string): Promise<FileRow | undefined> {
    const [row] = await this.#find(FILES, { where: { id } });
    return row;
  }

  /** Files of a card in the order of their paths, after one of them. */
  page = (unitId: string, card: number, after: string | undefined, limit: number): Promise<FileRow[]> =>
    this.#find(FILES, {
      where: { unitId, card, ...(after !== undefined && { path: { above: after } }) },
      order: { path: 'asc' },
      limit,
    });

  async *all(unitId: string, card?: number): AsyncGenerator<readonly FileRow[]> {
    for (let after = ''; ; ) {
      const where = { unitId, ...(card !== undefined && { card }), id: { above: after } };
      const page = await this.#find(FILES, { where, order: { id: 'asc' }, limit: PAGE });
      if (page.length > 0) yield page;
      if (page.length < PAGE) return;
      // Database calls do not yield: without this a large card would block all other work.
      await new Promise((resolve) => setImmediate(resolve));
      after = page.at(-1)?.id ?? '';
    }
  }

  async markGone(ids: readonly string[]): Promise<void> {
    for (let at = 0; at < ids.length; at += PAGE) {
      const id = ids.slice(at, at + PAGE);
      await this.#tables.write((rows) => rows.change(FILES, { id }, { state: 'gone_from_card' }));
    }
  }
}
