/**
 * Seals the local days of all units: an hour after its end the stored rows of a day become one hash, which goes into the audit chain. A
 * day that changes later (a card, an import, a removal, a stated weighting) gets a new version that names the root of the one before;
 * each version is kept.
 */
import { type StoredKind, unlessAborted, type Weighting, zones } from '../../../lib/built-in.ts';
import {
  columns,
  type DeviceConfig,
  defineTable,
  type Host,
  sleep,
  type Table,
  type TableMigration,
  type Tables,
} from '../../../lib/index.ts';
import { NATIVE_HASHES } from '../native-hashes.ts';
import { dayRoot, type KindRoot, MerkleTree } from '../verify/merkle.ts';

const { integer, json, text, textOrNull } = columns;

export const DAY_SEALS = defineTable('evidence_seal', ['unitId', 'day', 'version'], {
  unitId: text(),
  day: text(),
  version: integer(),
  root: text(),
  rows: integer(),
  replaces: textOrNull(),
  kinds: json<readonly KindRoot[]>(),
  /** Of the levels when they were sealed: it changes with them, and costs little to ask for. */
  digest: text(),
  sealedAt: integer(),
  record: json<Awaited<ReturnType<Host['audit']['seal']>>>(),
});

export type SealRow = typeof DAY_SEALS extends Table<infer Row> ? Row : never;

/** The steps in the life of the table. It was one of a plugin `seals`, and takes over what that has. */
export const sealMigrations: readonly TableMigration[] = [
  // Made the table of the keys, which `lib/signing` has taken over.
  { name: '0001-keys', statements: [] },
  {
    name: '0002-seals',
    statements: [
      `create table if not exists seals_day (
        unit_id text not null,
        day text not null,
        version integer not null,
        root text not null,
        rows integer not null,
        replaces text null,
        kinds text not null,
        digest text not null,
        sealed_at integer not null,
        record text not null,
        primary key (unit_id, day, version)
      )`,
      'alter table seals_day rename to evidence_seal',
    ],
  },
];

/** Rows of a card or of a slow disk may come late; those that come later are told (`late`). */
const AFTER_MS = 3_600_000;
/** How often it is looked for days that are over. */
const LOOK_MS = 300_000;
const FIRST_LOOK_MS = 60_000;
const DAY_MS = 86_400_000;
/** Days that are older than this are neither sealed nor compared again: their seconds may be gone by their age. */
const OLDEST_MS = 29 * DAY_MS;
const KINDS: readonly StoredKind[] = ['intervals', 'minutes', 'seconds'];

/** Times in ms since 1970 UTC. */
type Day = zones.CalendarSpan;

interface Begun {
  readonly seal: Omit<SealRow, 'sealedAt' | 'record'>;
  readonly record?: SealRow['record'];
}

/** One for all units: they follow each other, so that it costs one at a time. */
export class DaySealer {
  readonly #host: Host;
  readonly #tables: Tables;
  /** Until when the days of a unit are done, ms. */
  readonly #done = new Map<string, number>();
  /** Units whose sealed days are compared with what is stored now: all of them after a start. */
  readonly #doubted = new Set<string>();
  /** Seals by unit that the audit log may have, and the database may not: they are finished as they are before anything else of the unit. */
  readonly #begun = new Map<string, Begun>();
  /** The time zone in which the days of a unit were looked at last. */
  readonly #zones = new Map<string, string>();
  /** The work of the sealer until now: one look follows the other. */
  #work: Promise<void> = Promise.resolve();

  constructor(host: Host, tables: Tables) {
    this.#host = host;
    this.#tables = tables;
    host.on('late', ({ unitId, data: { from } }) => {
      if (from * 1_000 < (this.#done.get(unitId) ?? 0)) this.#doubted.add(unitId);
    });
    host.on('request', ({ unitId, data: { route } }) => {
      if (route.includes('/history')) this.#doubted.add(unitId);
    });
    host.on('job', ({ unitId, data: { state } }) => {
      if (state === 'done') this.#doubted.add(unitId);
    });
    host.on('removal', ({ unitId }) => {
      this.#done.delete(unitId);
      this.#doubted.delete(unitId);
      this.#zones.delete(unitId);
    });
    for (const { unitId } of host.configs.list()) this.#doubted.add(unitId);
  }

  /** Looks now and then until `signal` ends it. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, configs } = this.#host;
    for (let pause = FIRST_LOOK_MS; ; pause = LOOK_MS) {
      await sleep(clock, pause, signal).catch(() => {});
      if (signal.aborted) return;
      const units = configs.list();
      for (const config of units) await this.#tried(config.unitId, () => this.#look(config, signal), signal);
      // Seals stay when their unit is removed, and the audit log may have these.
      const removed = [...this.#begun.keys()].filter((unitId) => !units.some((config) => config.unitId === unitId));
      for (const unitId of removed) await this.#tried(unitId, () => this.#finish(unitId), signal);
    }
  }

  /** Seals what has changed since the last look, so that a package has the newest seals. Rejects only if the signal aborts. */
  async renew(unitId: string, signal: AbortSignal): Promise<void> {
    const config = this.#host.configs.get(unitId);
    if (config && (this.#doubted.has(unitId) || this.#isZoneNew(config)))
      await unlessAborted(
        this.#tried(unitId, () => this.#look(config, signal), signal),
        signal,
      );
  }

  #tried(unitId: string, work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      if (!signal.aborted) this.#host.log.warn({ unit: unitId, err: error }, 'the days of a unit could not be sealed');
    });
    return this.#work;
  }

  /** With another time zone the same days have other rows. */
  #isZoneNew({ unitId, timezone }: DeviceConfig): boolean {
    return (this.#zones.get(unitId) ?? timezone) !== timezone;
  }

  async #look(config: DeviceConfig, signal: AbortSignal): Promise<void> {
    const { unitId, timezone } = config;
    const until = this.#host.clock.now() - AFTER_MS;
    await this.#finish(unitId);
    const newest = await this.#newest(unitId);
    const isZoneNew = this.#isZoneNew(config);
    if (this.#doubted.delete(unitId) || isZoneNew)
      await this.#compare(config, newest, isZoneNew ? 0 : until - OLDEST_MS, signal).catch((error: unknown) => {
        this.#doubted.add(unitId);
        throw error;
      });
    this.#zones.set(unitId, timezone);
    const from = this.#done.get(unitId) ?? until - OLDEST_MS;
    const isEmpty = await this.#emptiness(unitId, signal);
    for (const day of zones.calendarSpans(timezone, { from, to: until }, 'day')) {
      if (day.to > until || day.to <= from) continue;
      if (!newest.has(day.name) && !isEmpty(day)) await this.#seal(unitId, day, undefined, signal);
      this.#done.set(unitId, day.to);
    }
  }

  async #newest(unitId: string): Promise<ReadonlyMap<string, SealRow>> {
    const rows = await this.#tables.read((kept) =>
      kept.find(DAY_SEALS, { where: { unitId }, order: { day: 'asc', version: 'asc' } }),
    );
    return new Map(rows.map((row) => [row.day, row]));
  }

  /** Which days have no levels for sure. */
  async #emptiness(unitId: string, signal: AbortSignal): Promise<(day: Day) => boolean> {
    const { first, last } = await this.#host.history.extent(unitId, {}, signal);
    return (day) => first === null || last === null || day.to <= first * 1_000 || day.from > last * 1_000;
  }

  /** Days whose levels are others than those that were sealed, and days that had none when they were over. */
  async #compare(
    { unitId, timezone }: DeviceConfig,
    newest: ReadonlyMap<string, SealRow>,
    earliest: number,
    signal: AbortSignal,
  ) {
    const done = this.#done.get(unitId) ?? 0;
    const isEmpty = await this.#emptiness(unitId, signal);
    const { first } = await this.#host.history.extent(unitId, {}, signal);
    const from = Math.max(earliest, (first ?? 0) * 1_000 - DAY_MS);
    for (const day of zones.calendarSpans(timezone, { from, to: this.#host.clock.now() }, 'day')) {
      if (day.from < from) continue;
      const sealed = newest.get(day.name);
      const isOther = sealed
        ? (await this.#digest(unitId, day, signal)) !== sealed.digest
        : day.to <= done && !isEmpty(day);
      if (isOther) await this.#seal(unitId, day, sealed, signal);
    }
  }

  /** Nothing where the day has no rows, or those that were sealed already. */
  async #seal(unitId: string, day: Day, before: SealRow | undefined, signal: AbortSignal) {
    const digest = await this.#digest(unitId, day, signal);
    const kinds: KindRoot[] = [];
    for (const kind of KINDS) kinds.push(await this.#rootOf(unitId, kind, day, signal));
    const rows = kinds.reduce((sum, each) => sum + each.rows, 0);
    const root = dayRoot(kinds);
    if (rows === 0 || root === before?.root) return;
    const version = (before?.version ?? 0) + 1;
    const seal = { unitId, day: day.name, version, root, rows, replaces: before?.root ?? null, kinds, digest };
    this.#begun.set(unitId, { seal });
    await this.#finish(unitId);
  }

  async #finish(unitId: string): Promise<void> {
    const begun = this.#begun.get(unitId);
    if (!begun) return;
    const { seal } = begun;
    const { day, version, root, rows, replaces } = seal;
    const record =
      begun.record ?? (await this.#host.audit.seal({ unit_id: unitId, day, version, root, rows, replaces }));
    this.#begun.set(unitId, { seal, record });
    const sealedAt = Date.parse(record.at);
    await this.#tables.write((kept) => kept.put(DAY_SEALS, [{ ...seal, sealedAt, record }]));
    this.#begun.delete(unitId);
  }

  async #rootOf(unitId: string, kind: StoredKind, { from, to }: Day, signal: AbortSignal): Promise<KindRoot> {
    const tree = new MerkleTree(NATIVE_HASHES);
    const span = { unitId, kind, from: from / 1_000, to: to / 1_000 };
    for await (const lines of this.#host.stored.lines(span, signal)) for (const line of lines) tree.add(line);
    return { kind, root: tree.root(), rows: tree.count };
  }

  async #digest(unitId: string, { from, to }: Day, signal: AbortSignal): Promise<string> {
    const over = { ranges: [{ from: from / 1_000, to: to / 1_000 }] };
    const ask = async (weighting?: Weighting) => {
      const answer = await this.#host.history.query(
        { unitId, over, digest: true, ...(weighting && { weighting }) },
        signal,
      );
      // Leaving the loop ends the question.
      for await (const _ of answer.rows) break;
      return answer;
    };
    const { digest, otherWeightings } = await ask();
    const others = [];
    for (const weighting of otherWeightings) others.push((await ask(weighting)).digest);
    return [digest, ...others].join(' ');
  }
}
