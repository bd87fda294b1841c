/** The picture of the plan and the places of meters: read from memory; a change is on the disk before memory shows it. */
import { createHash } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ByteRange,
  isDiskFull,
  type KeptOfUnits,
  type PictureFacts,
  pictureFacts,
  type RecordOf,
  syncFolder,
} from '../../lib/built-in.ts';
import {
  type Clock,
  columns,
  defineTable,
  GatewayError,
  type TableMigration,
  type Tables,
  UnitChanges,
} from '../../lib/index.ts';

const { integer, real, text } = columns;

const PICTURE_FIELDS = {
  sha256: text(),
  mediaType: text<PictureFacts['mediaType']>(),
  bytes: integer(),
  width: integer(),
  height: integer(),
  /** ms since 1970 UTC. */
  changedAt: integer(),
};
/** Shares of width and height from the upper left corner, 0 to 1. */
const MARK_FIELDS = { unitId: text(), x: real(), y: real() };
/** There is at most one. */
export const PICTURES = defineTable('dashboard_picture', ['sha256'], PICTURE_FIELDS);
export const MARKS = defineTable('dashboard_mark', ['unitId'], MARK_FIELDS);
export type PictureRow = RecordOf<typeof PICTURE_FIELDS>;
export type Mark = RecordOf<typeof MARK_FIELDS>;

export const PLAN_MIGRATIONS: readonly TableMigration[] = [
  {
    name: '0001-plan',
    statements: [
      `create table dashboard_picture (
        sha256 text not null primary key, media_type text not null, bytes integer not null,
        width integer not null, height integer not null, changed_at integer not null
      )`,
      'create table dashboard_mark (unit_id text not null primary key, x real not null, y real not null)',
    ],
  },
];

/** One picture; marks are kept while it is replaced by a better one. */
export class PlanStore implements KeptOfUnits {
  readonly unitTables = [MARKS];
  readonly #tables: Tables;
  readonly #folder: string;
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #marks = new Map<string, Mark>();
  #picture: PictureRow | undefined;
  /** File, rows and memory always belong together. */
  readonly #changes: UnitChanges;

  constructor(tables: Tables, folder: string, clock: Pick<Clock, 'now' | 'after'>) {
    this.#tables = tables;
    this.#folder = folder;
    this.#clock = clock;
    this.#changes = new UnitChanges({
      clock,
      look: () => this.load(),
      remove: (unitIds) => this.#removeMarks(unitIds),
    });
  }

  /** Also removes files that a power cut or a failed change left. */
  async load(): Promise<void> {
    const [[picture], marks] = await this.#tables.read(async (rows) => [
      await rows.find(PICTURES),
      await rows.find(MARKS),
    ]);
    this.#picture = picture;
    this.#marks.clear();
    for (const mark of marks) this.#marks.set(mark.unitId, mark);
    for (const name of await readdir(this.#folder))
      if (name !== picture?.sha256) await rm(join(this.#folder, name), { force: true });
  }

  get picture(): PictureRow | undefined {
    return this.#picture;
  }

  marks(): readonly Mark[] {
    return [...this.#marks.values()];
  }

  mark(unitId: string): Mark | undefined {
    return this.#marks.get(unitId);
  }

  /** The picture, if there must be one. Errors: PLAN_NOT_FOUND. */
  needed(): PictureRow {
    if (!this.#picture)
      throw new GatewayError('PLAN_NOT_FOUND', 'There is no picture of a plan; PUT _plan/picture takes one.');
    return this.#picture;
  }

  open({ sha256 }: PictureRow, range?: ByteRange): ReadStream {
    return createReadStream(join(this.#folder, sha256), { ...range });
  }

  /** Errors: INVALID, STORAGE_FULL, STORAGE_FAILED. */
  replace(bytes: Buffer): Promise<PictureRow> {
    const facts = pictureFacts(bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return this.#changes.inTurn(async () => {
      const row = { ...facts, sha256, bytes: bytes.length, changedAt: this.#clock.now() };
      const old = this.#picture;
      if (old?.sha256 !== sha256) await this.#keep(sha256, bytes);
      await this.#tables.write(async (rows) => {
        await rows.remove(PICTURES, {});
        await rows.put(PICTURES, [row]);
      });
      this.#picture = row;
      if (old && old.sha256 !== sha256) await rm(join(this.#folder, old.sha256), { force: true });
      return row;
    });
  }

  /** Also removes all marks: on another picture they would be wrong. Errors: PLAN_NOT_FOUND, STORAGE_FULL, STORAGE_FAILED. */
  remove(): Promise<void> {
    return this.#changes.inTurn(async () => {
      const { sha256 } = this.needed();
      await this.#tables.write(async (rows) => {
        await rows.remove(PICTURES, {});
        await rows.remove(MARKS, {});
      });
      this.#picture = undefined;
      this.#marks.clear();
      await rm(join(this.#folder, sha256), { force: true });
    });
  }

  /** Errors: PLAN_NOT_FOUND, STORAGE_FULL, STORAGE_FAILED. */
  put(mark: Mark): Promise<void> {
    return this.#changes.inTurn(async () => {
      this.needed();
      await this.#tables.write((rows) => rows.put(MARKS, [mark]));
      this.#marks.set(mark.unitId, mark);
    });
  }

  /** False if the meter has no place on the plan. Errors: STORAGE_FULL, STORAGE_FAILED. */
  takeAway(unitId: string): Promise<boolean> {
    return this.#changes.inTurn(async () => {
      if (!this.#marks.has(unitId)) return false;
      await this.#removeMarks([unitId]);
      return true;
    });
  }

  /** Another meter may get the id of a removed unit later. Errors: STORAGE_FULL, STORAGE_FAILED; then it is done later. */
  forget(unitId: string): Promise<void> {
    return this.#changes.forget(unitId, this.#marks.delete(unitId));
  }

  /** Stops following changes. */
  close(): void {
    this.#changes.close();
  }

  async #removeMarks(unitIds: readonly string[]): Promise<void> {
    await this.#tables.write((rows) => rows.remove(MARKS, { unitId: unitIds }));
    for (const unitId of unitIds) this.#marks.delete(unitId);
  }

  /** The file is on the disk before a row has its name. Errors: STORAGE_FULL, STORAGE_FAILED. */
  async #keep(sha256: string, bytes: Buffer): Promise<void> {
    const path = join(this.#folder, sha256);
    try {
      await writeFile(path, bytes, { mode: 0o600, flush: true });
      await syncFolder(this.#folder);
    } catch (error) {
      await rm(path, { force: true });
      const cause = { cause: error };
      if (isDiskFull(error))
        throw new GatewayError('STORAGE_FULL', 'The disk is full; the picture was not kept.', cause);
      throw new GatewayError('STORAGE_FAILED', 'The picture could not be written.', cause);
    }
  }
}
