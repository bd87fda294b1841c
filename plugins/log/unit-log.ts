/**
 * The log of each unit, on the disk. Entries are added in memory and written later in batches, so no meter and no caller
 * waits for the disk. If the disk cannot be written, the oldest entries are lost, and the log says how many.
 */
import { agesCountFrom, type KeptOfUnits } from '../../lib/built-in.ts';
import {
  type Clock,
  columns,
  defineTable,
  type Log,
  messageOf,
  rest,
  type Table,
  type TableMigration,
  type Tables,
  UnitChanges,
} from '../../lib/index.ts';

export const KINDS = ['command', 'connection', 'reachability', 'state', 'change', 'file', 'job', 'recording'] as const;
export type EntryKind = (typeof KINDS)[number];

const { integer, integerOrNull, text, textOrNull } = columns;

export const ENTRIES = defineTable('log_entry', ['id'], {
  /** 1, 2, 3 ... over all units, in order of time. */
  id: integer(),
  unitId: text(),
  /** Ms since 1970 UTC. */
  at: integer(),
  kind: text<EntryKind>(),
  /** 1: a routine success. Such entries have a limit of their own, so that they do not replace others. */
  routine: integer(),
  text: text(),
  /** `ok`, or the code of the error; null if nothing could fail. */
  outcome: textOrNull(),
  /** The duration; null if it has no meaning. */
  ms: integerOrNull(),
  /** Name and role of the API key of the caller. */
  keyName: textOrNull(),
  role: textOrNull(),
});
export type EntryRow = typeof ENTRIES extends Table<infer Row> ? Row : never;
/** An entry before it has its number and time. */
export type LogEntry = Pick<EntryRow, 'kind' | 'text'> & Partial<Omit<EntryRow, 'id' | 'unitId' | 'at' | 'routine'>>;

export const LOG_MIGRATIONS: readonly TableMigration[] = [
  {
    name: '0001-log',
    statements: [
      `create table log_entry (
        id integer not null primary key,
        unit_id text not null,
        at integer not null,
        kind text not null,
        routine integer not null,
        text text not null,
        outcome text null,
        ms integer null,
        key_name text null,
        role text null
      )`,
      'create index log_entry_unit on log_entry (unit_id, routine, id)',
      'create index log_entry_at on log_entry (at)',
    ],
  },
  { name: '0002-newest', statements: ['create index log_entry_newest on log_entry (unit_id, id)'] },
];

const isRoutine = ({ kind, outcome }: LogEntry): boolean =>
  outcome === 'ok' && (kind === 'command' || kind === 'connection' || kind === 'file');

interface UnitLogParts {
  readonly tables: Tables;
  readonly clock: Clock;
  readonly log: Log;
  /** For each unit: the most routine entries, and as many other entries. */
  readonly limit: number;
  readonly keepDays: number;
  /** The most entries that wait while the disk cannot be written; beyond it the oldest are lost. Default 10,000. */
  readonly mostWaiting?: number;
}

export interface EntryFilter {
  readonly kinds?: readonly EntryKind[] | undefined;
  /** Ms since 1970 UTC; `to` does not belong to it. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Lower case; part of the text. */
  readonly part?: string | undefined;
  readonly outcome?: 'ok' | 'failed' | undefined;
  /** Only older entries. */
  readonly before?: number | undefined;
}

const WRITE_MS = 5_000;
/** More entries than this are written at once. */
const BATCH = 100;
const MOST_WAITING = 10_000;
const LONGEST_TEXT = 1_000;
const PAGE = 500;
/** When so many entries are above the limit, they are removed together. */
const SLACK = 100;
const LOST = 'entries of the log of the units were lost';
const DAY_MS = 86_400_000;
const RETIRE_MS = 3_600_000;

/** Adding never fails and never waits; reading writes what is pending first. */
export class UnitLog implements KeptOfUnits {
  readonly unitTables = [ENTRIES];
  readonly #parts: UnitLogParts;
  /** Entries on the disk of each unit, routine and others. A unit that is missing here was not counted yet. */
  readonly #counts = new Map<string, number>();
  /** Entries of removed units up to these ids are still on the disk; nobody sees them. */
  readonly #removed = new Map<string, number>();
  readonly #changes: UnitChanges;
  #waiting: EntryRow[] = [];
  #lastId = 0;
  #agesFrom = (): number => 0;
  #lost = 0;
  /** The last try to write failed: the next try waits for its time, and only the first failure is logged. */
  #isFailing = false;
  #writing: Promise<void> | undefined;
  #retiring: Promise<void> | undefined;
  #isClosed = false;
  #disarm = () => {};
  #disarmRetiring = () => {};

  constructor(parts: UnitLogParts) {
    this.#parts = parts;
    this.#changes = new UnitChanges({
      clock: parts.clock,
      look: async () => {},
      remove: (unitIds) => this.#remove(unitIds),
    });
  }

  async load(): Promise<void> {
    const [newest] = await this.#parts.tables.read((rows) => rows.find(ENTRIES, { order: { id: 'desc' }, limit: 1 }));
    this.#lastId = newest?.id ?? 0;
    this.#agesFrom = agesCountFrom(this.#parts.clock, newest?.at);
    this.#retireLater();
  }

  add(unitId: string, at: number, entry: LogEntry): void {
    const { text, outcome = null, ms = null, keyName = null, role = null } = entry;
    const routine = isRoutine(entry) ? 1 : 0;
    this.#lastId += 1;
    const row = { id: this.#lastId, unitId, at, kind: entry.kind, routine, outcome, ms, keyName, role };
    this.#waiting.push({ ...row, text: text.slice(0, LONGEST_TEXT) });
    if (this.#waiting.length > (this.#parts.mostWaiting ?? MOST_WAITING)) {
      this.#waiting.shift();
      this.#lost += 1;
    }
    if (this.#writing) return;
    if (this.#waiting.length >= BATCH && !this.#isFailing) this.#write();
    else if (this.#waiting.length === 1) this.#arm();
  }

  /** The newest first. */
  async *find(unitId: string, filter: EntryFilter): AsyncGenerator<EntryRow> {
    const { kinds, from = 0, to = Number.MAX_SAFE_INTEGER, before = Number.MAX_SAFE_INTEGER } = filter;
    // Waiting entries may be on the disk a moment later. So the read from the disk begins below them.
    const waiting = this.#waiting.filter((row) => row.unitId === unitId && row.id < before).reverse();
    for (const row of waiting)
      if ((!kinds || kinds.includes(row.kind)) && row.at >= from && row.at < to && fits(row, filter)) yield row;
    for (let below = Math.min(before, waiting.at(-1)?.id ?? before); ; ) {
      const id = { above: this.#removed.get(unitId) ?? 0, below };
      await rest();
      const where = { unitId, ...(kinds && { kind: kinds }), at: { atLeast: from, below: to }, id };
      const page = await this.#parts.tables.read((rows) =>
        rows.find(ENTRIES, { where, order: { id: 'desc' }, limit: PAGE }),
      );
      for (const row of page) if (fits(row, filter)) yield row;
      if (page.length < PAGE) return;
      below = page.at(-1)?.id ?? 0;
    }
  }

  /** Another meter may get the id of a removed unit later. Errors: STORAGE_FULL, STORAGE_FAILED; then it is done later. */
  forget(unitId: string): Promise<void> {
    this.#waiting = this.#waiting.filter((row) => row.unitId !== unitId);
    this.#removed.set(unitId, this.#lastId);
    return this.#changes.forget(unitId, true);
  }

  async #remove(unitIds: readonly string[]): Promise<void> {
    const upTo = unitIds.map((unitId) => ({ unitId, id: this.#removed.get(unitId) ?? 0 }));
    await this.#parts.tables.write(async (rows) => {
      for (const { unitId, id } of upTo) await rows.remove(ENTRIES, { unitId, id: { atMost: id } });
    });
    for (const { unitId, id } of upTo) {
      for (const routine of [0, 1]) this.#counts.delete(keyOf({ unitId, routine }));
      if (this.#removed.get(unitId) === id) this.#removed.delete(unitId);
    }
  }

  /** Writes waiting entries once: if this fails, they are lost. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#changes.close();
    this.#disarmRetiring();
    this.#disarm();
    await this.settled();
    if (this.#waiting.length > 0) await this.#writeAll(() => this.#disarm());
    const lost = this.#lost + this.#waiting.length;
    if (lost > 0) this.#parts.log.warn({ lost }, LOST);
  }

  async settled(): Promise<void> {
    await this.#writing;
    await this.#retiring;
  }

  #arm(): void {
    this.#disarm();
    if (this.#isClosed) return;
    this.#disarm = this.#parts.clock.after(WRITE_MS, () => this.#write());
  }

  #write(): void {
    this.#disarm();
    this.#writing ??= this.#writeAll(() => this.#arm()).finally(() => {
      this.#writing = undefined;
      if (this.#waiting.length > 0) this.#arm();
    });
  }

  async #writeAll(later: () => void): Promise<void> {
    const { tables, log } = this.#parts;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH);
      try {
        // The entries of an earlier try may be there: a database that did not answer may have stored them.
        await this.#changes.inTurn(() =>
          tables.write((rows) => (this.#isFailing ? rows.put(ENTRIES, batch) : rows.add(ENTRIES, batch))),
        );
      } catch (error) {
        if (!this.#isFailing) log.warn({ reason: messageOf(error) }, 'the logs of the units cannot be written');
        this.#isFailing = true;
        return later();
      }
      const last = batch.at(-1)?.id ?? 0;
      this.#waiting = this.#waiting.filter(({ id }) => id > last);
      await this.#trim(batch).catch((error: unknown) =>
        log.warn({ reason: messageOf(error) }, 'old entries of the log of the units stay'),
      );
    }
    if (this.#lost > 0) log.warn({ lost: this.#lost }, LOST);
    else if (this.#isFailing) log.info({}, 'the logs of the units can be written again');
    this.#lost = 0;
    this.#isFailing = false;
  }

  async #trim(batch: readonly EntryRow[]): Promise<void> {
    const { tables, limit } = this.#parts;
    for (const [key, added] of Map.groupBy(batch, keyOf)) {
      const [{ unitId, routine }] = added as [EntryRow];
      const where = { unitId, routine };
      const known = this.#counts.get(key);
      const count =
        known === undefined ? await tables.read((rows) => rows.count(ENTRIES, where)) : known + added.length;
      this.#counts.set(key, count);
      if (count <= limit + SLACK) continue;
      await tables.write(async (rows) => {
        const [oldest] = await rows.find(ENTRIES, { where, order: { id: 'desc' }, offset: limit, limit: 1 });
        if (oldest) await rows.remove(ENTRIES, { ...where, id: { atMost: oldest.id } });
      });
      this.#counts.set(key, limit);
    }
  }

  #retireLater(): void {
    this.#disarmRetiring = this.#parts.clock.after(RETIRE_MS, () => {
      this.#retireLater();
      this.#retiring ??= this.#retire()
        .catch((error: unknown) =>
          this.#parts.log.warn({ reason: messageOf(error) }, 'old entries of the log of the units stay'),
        )
        .finally(() => {
          this.#retiring = undefined;
        });
    });
  }

  /** In small parts, so that other writes can run between them. */
  async #retire(): Promise<void> {
    const { tables, keepDays } = this.#parts;
    if (keepDays === 0) return;
    const at = { below: this.#agesFrom() - keepDays * DAY_MS };
    for (let more = true; more; ) {
      more = await tables.write(async (rows) => {
        const old = await rows.find(ENTRIES, { where: { at }, order: { at: 'asc' }, limit: PAGE });
        if (old.length > 0) await rows.remove(ENTRIES, { id: old.map(({ id }) => id) });
        for (const row of old) this.#counts.delete(keyOf(row));
        return old.length === PAGE;
      });
    }
  }
}

const keyOf = ({ unitId, routine }: Pick<EntryRow, 'unitId' | 'routine'>): string => `${routine} ${unitId}`;

const fits = ({ text, outcome }: EntryRow, { part, outcome: wanted }: EntryFilter): boolean =>
  (part === undefined || text.toLowerCase().includes(part)) &&
  (wanted === undefined || (outcome !== null && (outcome === 'ok') === (wanted === 'ok')));
