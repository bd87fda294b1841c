/**
 * Records of units with all their versions: a change is a new version, and so is a removal. The present versions are in
 * memory; a change is on the disk before memory shows it.
 */
import type { Clock } from '../clock.ts';
import type { Table } from '../domain/fields/field.ts';
import { type ErrorCode, GatewayError } from '../errors.ts';
import type { Tables, Versioned, Where } from './contract.ts';
import { SureChanges } from './sure-changes.ts';

type SaidBy<Kept extends Versioned> = Omit<Kept, keyof Versioned>;

/** One kind of records. */
interface VersionedKind<Kept extends Versioned> {
  readonly table: Table<Kept>;
  /** For messages: `note`. */
  readonly noun: string;
  readonly notFound: ErrorCode;
  /** Limits per unit and for all units, with removed records; limit of versions per record. */
  readonly most: { readonly ofUnit: number; readonly ofAll: number; readonly versions: number };
  /** Refuses content that conflicts with others of the unit. Errors: INVALID. */
  check(body: SaidBy<Kept>, others: readonly Kept[]): void;
}

/** The records of one kind, of all units. Records of a removed unit stay, like its levels. */
export class VersionedRecords<Kept extends Versioned> {
  readonly #tables: Tables;
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #kind: VersionedKind<Kept>;
  /** The present versions, also of removed records. */
  readonly #present = new Map<number, Kept>();
  readonly #ofUnit = new Map<string, Map<number, Kept>>();
  /** Existing records of each unit, the newest first; made at the first use, until one of them changes. */
  readonly #listed = new Map<string, readonly Kept[]>();
  #last = 0;
  readonly #changes: SureChanges;

  constructor(tables: Tables, clock: Pick<Clock, 'now' | 'after'>, kind: VersionedKind<Kept>) {
    this.#tables = tables;
    this.#clock = clock;
    this.#kind = kind;
    this.#changes = new SureChanges(clock, () => this.load());
  }

  async load(): Promise<void> {
    const order = { id: 'asc', version: 'asc' } as const;
    for (const version of await this.#tables.read((rows) => rows.find(this.#kind.table, { order })))
      this.#take(Object.freeze(version));
  }

  /**
   * The last version of each record, of one unit or of all, the newest record first; `removed`: with removed records.
   * Without removed records a unit has the same list until one of its records changes.
   */
  list(unitId?: string, { removed = false } = {}): readonly Kept[] {
    if (unitId === undefined || removed) return this.#all(unitId, removed);
    const listed = this.#listed.get(unitId) ?? this.#all(unitId, false);
    if (listed.length > 0) this.#listed.set(unitId, listed);
    return listed;
  }

  #all(unitId: string | undefined, removed: boolean): readonly Kept[] {
    const all = unitId === undefined ? this.#present : (this.#ofUnit.get(unitId) ?? new Map<number, Kept>());
    return [...all.values()].filter((record) => removed || !record.removed).reverse();
  }

  find(id: number): Kept | undefined {
    const record = this.#present.get(id);
    return record?.removed ? undefined : record;
  }

  /** All versions of these records, the newest record first, its oldest version first. */
  async versions(ids: readonly number[]): Promise<readonly Kept[]> {
    if (ids.length === 0) return [];
    const selection = { where: { id: ids } as Where<Kept>, order: { id: 'desc', version: 'asc' } as const };
    return this.#tables.read((rows) => rows.find(this.#kind.table, selection));
  }

  /** Errors: INVALID above a limit, and as `check`. */
  add(unitId: string, body: SaidBy<Kept>, by: string): Promise<Kept> {
    return this.#changes.inTurn(async () => {
      const { most, noun, check } = this.#kind;
      if (this.#present.size >= most.ofAll) throw refused('', `there are ${most.ofAll} ${noun}s, which is the limit`);
      if ((this.#ofUnit.get(unitId)?.size ?? 0) >= most.ofUnit)
        throw refused('', `there are ${most.ofUnit} ${noun}s of ${unitId}, which is the limit`);
      check(body, this.list(unitId));
      const at = this.#clock.now();
      const made = { id: this.#last + 1, unitId, version: 1, by, changedAt: at, createdAt: at, removed: false };
      return this.#keep({ ...body, ...made } as Kept);
    });
  }

  /** Changes the properties in `body`. Errors: as `add`; `notFound`. */
  change(id: number, body: SaidBy<Kept>, by: string): Promise<Kept> {
    return this.#changes.inTurn(async () => {
      const present = this.#of(id);
      const { most, noun, check } = this.#kind;
      if (present.version >= most.versions)
        throw refused('', `the ${noun} ${id} has ${most.versions} versions, which is the limit: make a new one`);
      const others = this.list(present.unitId).filter((other) => other.id !== id);
      check(body, others);
      return this.#keep({ ...present, ...body, ...this.#next(present), by });
    });
  }

  remove(id: number, by: string): Promise<Kept> {
    return this.#changes.inTurn(async () => {
      const present = this.#of(id);
      return this.#keep({ ...present, ...this.#next(present), by, removed: true });
    });
  }

  /** Ends the automatic look-ups. */
  close(): void {
    this.#changes.close();
  }

  #of(id: number): Kept {
    const record = this.find(id);
    if (!record) throw new GatewayError(this.#kind.notFound, `There is no ${this.#kind.noun} ${id}.`);
    return record;
  }

  #next({ id, unitId, version, createdAt, removed }: Kept) {
    return { id, unitId, version: version + 1, changedAt: this.#clock.now(), createdAt, removed };
  }

  async #keep(version: Kept): Promise<Kept> {
    await this.#tables.write((rows) => rows.add(this.#kind.table, [version]));
    return this.#take(Object.freeze(version));
  }

  #take(record: Kept): Kept {
    this.#last = Math.max(this.#last, record.id);
    this.#present.set(record.id, record);
    const own = this.#ofUnit.get(record.unitId) ?? new Map<number, Kept>();
    this.#ofUnit.set(record.unitId, own.set(record.id, record));
    this.#listed.delete(record.unitId);
    return record;
  }
}

/** INVALID for one place in the request; the sentence of the error is made from `message`. */
export function refused(path: string, message: string): GatewayError {
  const detail = `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`;
  return new GatewayError('INVALID', detail, { errors: [{ path, message }] });
}
