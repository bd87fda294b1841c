/** The shares are read from memory; a change is on the disk before memory shows it. */
import { createHash, randomBytes } from 'node:crypto';
import { invalid } from '../../lib/built-in.ts';
import { type Clock, GatewayError, SureChanges, type Tables } from '../../lib/index.ts';
import { MOST_SHARES, SHARES, type ShareRow } from './schemas.ts';

/** The most rows of revoked shares; beyond this the oldest are removed. */
const MOST_REVOKED = 1_000;
const TOKEN_BYTES = 16;

export type ShareBody = Omit<ShareRow, 'id' | 'hash' | 'createdAt' | 'views' | 'viewedAt' | 'revokedAt'>;

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** All shares that were not revoked, by id and by the hash of their token. */
export class ShareStore {
  readonly #tables: Tables;
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #byId = new Map<number, ShareRow>();
  readonly #byHash = new Map<string, number>();
  /** Shares that were opened, or lost a unit, since the last write. */
  readonly #unwritten = new Set<number>();
  readonly #changes: SureChanges;

  constructor(tables: Tables, clock: Pick<Clock, 'now' | 'after'>) {
    this.#tables = tables;
    this.#clock = clock;
    this.#changes = new SureChanges(clock, () => this.#look());
  }

  async load(): Promise<void> {
    for (const row of await this.#read()) this.#keep(row);
  }

  /** The oldest first. */
  list(): readonly ShareRow[] {
    return [...this.#byId.values()]
      .filter(({ revokedAt }) => revokedAt === null)
      .toSorted((one, other) => one.id - other.id);
  }

  /** By id. Errors: SHARE_NOT_FOUND. */
  needed(id: number): ShareRow {
    const row = this.#byId.get(id);
    if (!row || row.revokedAt !== null) throw new GatewayError('SHARE_NOT_FOUND', `There is no share ${id}.`);
    return row;
  }

  /** By the token of a link. `ended`: the token was right before. The time of the look-up does not help to guess a token. */
  find(token: string): ShareRow | 'ended' | undefined {
    const row = this.#byId.get(this.#byHash.get(hashOf(token)) ?? 0);
    return row && (this.lasts(row) ? row : 'ended');
  }

  lasts({ id }: ShareRow): boolean {
    const row = this.#byId.get(id);
    return row !== undefined && row.revokedAt === null && row.expiresAt > this.#clock.now();
  }

  /** Only the answer has the token. Errors: INVALID, STORAGE_FULL, STORAGE_FAILED. */
  add(body: ShareBody): Promise<{ readonly row: ShareRow; readonly token: string }> {
    return this.#changes.inTurn(async () => {
      if (this.list().filter((row) => this.lasts(row)).length >= MOST_SHARES)
        throw invalid([
          { path: '', message: `there are ${MOST_SHARES} shares already; revoke one that is not needed` },
        ]);
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const id = Math.max(0, ...this.#byId.keys()) + 1;
      const row = {
        ...body,
        id,
        hash: hashOf(token),
        createdAt: this.#clock.now(),
        views: 0,
        viewedAt: null,
        revokedAt: null,
      };
      await this.#tables.write((rows) => rows.put(SHARES, [row]));
      this.#keep(row);
      return { row, token };
    });
  }

  /** Errors: SHARE_NOT_FOUND, STORAGE_FULL, STORAGE_FAILED. */
  revoke(id: number): Promise<ShareRow> {
    return this.#changes.inTurn(async () => {
      const revoked = { ...this.needed(id), revokedAt: this.#clock.now() };
      const old = [...this.#byId.values()].filter((row) => row.revokedAt !== null);
      const forgotten = old
        .toSorted((one, other) => one.id - other.id)
        .slice(0, Math.max(0, old.length + 1 - MOST_REVOKED));
      await this.#tables.write(async (rows) => {
        await rows.put(SHARES, [revoked]);
        for (const row of forgotten) await rows.remove(SHARES, { id: row.id });
      });
      this.#keep(revoked);
      for (const row of forgotten) this.#forget(row);
      return revoked;
    });
  }

  /** Another meter may get this id later. Errors: STORAGE_FULL, STORAGE_FAILED. */
  takeOut(unitId: string): Promise<void> {
    // At once: a failed write must not show another meter. Then it is written with the counts.
    this.#dropUnit(unitId);
    return this.#changes.inTurn(() => {
      // A share may have been created meanwhile.
      this.#dropUnit(unitId);
      return this.#writeCounted();
    });
  }

  /** Counts one more reader. Only in memory, until `writeCounts`. */
  count({ id }: ShareRow): void {
    const row = this.#byId.get(id);
    if (!row) return;
    this.#keep({ ...row, views: row.views + 1, viewedAt: this.#clock.now() });
    this.#unwritten.add(id);
  }

  /** Errors: STORAGE_FULL, STORAGE_FAILED. */
  writeCounts(): Promise<void> {
    return this.#changes.inTurn(() => this.#writeCounted());
  }

  async #writeCounted(): Promise<void> {
    const counted = [...this.#unwritten].flatMap((id) => this.#byId.get(id) ?? []);
    // Readers during the write are counted by the next write.
    this.#unwritten.clear();
    if (counted.length === 0) return;
    try {
      await this.#tables.write((rows) => rows.put(SHARES, counted));
    } catch (error) {
      for (const { id } of counted) this.#unwritten.add(id);
      throw error;
    }
  }

  #dropUnit(unitId: string): void {
    for (const row of this.#byId.values()) {
      if (!row.units.includes(unitId)) continue;
      this.#keep({ ...row, units: row.units.filter((each) => each !== unitId) });
      this.#unwritten.add(row.id);
    }
  }

  #keep(row: ShareRow): void {
    this.#byId.set(row.id, row);
    this.#byHash.set(row.hash, row.id);
  }

  #forget({ id, hash }: ShareRow): void {
    this.#byId.delete(id);
    this.#byHash.delete(hash);
  }

  close(): void {
    this.#changes.close();
  }

  /** Reads the database, and keeps the values that are only in memory. */
  async #look(): Promise<void> {
    const found = await this.#read();
    const counted = [...this.#unwritten].flatMap((id) => this.#byId.get(id) ?? []);
    this.#byId.clear();
    this.#byHash.clear();
    for (const row of found) this.#keep(row);
    for (const { id, views, viewedAt, units } of counted) {
      const row = this.#byId.get(id);
      if (row) this.#keep({ ...row, views, viewedAt, units });
    }
  }

  #read = (): Promise<readonly ShareRow[]> => this.#tables.read((rows) => rows.find(SHARES));
}
