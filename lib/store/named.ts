/** Rows that people name, such as permits: read from memory; a change is on the disk before memory shows it. */
import type { Clock } from '../clock.ts';
import type { Table } from '../domain/fields/field.ts';
import type { GatewayError } from '../errors.ts';
import type { Tables, Where } from './contract.ts';
import { SureChanges } from './sure-changes.ts';

interface Named {
  readonly name: string;
  /** ms since 1970 UTC. */
  readonly changedAt: number;
}

/** One kind of named rows. */
interface NamedKind<Row> {
  readonly table: Table<Row>;
  /** The rows of this kind, if the table has others, too. */
  readonly where?: Where<Row>;
  readonly most: number;
  /** The error for one more. */
  readonly full: () => GatewayError;
}

/** The rows of one kind. */
export class NamedRows<Row extends Named> {
  readonly #tables: Tables;
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #kind: NamedKind<Row>;
  readonly #rows = new Map<string, Row>();
  readonly #changes: SureChanges;

  constructor(tables: Tables, clock: Pick<Clock, 'now' | 'after'>, kind: NamedKind<Row>) {
    this.#tables = tables;
    this.#clock = clock;
    this.#kind = kind;
    this.#changes = new SureChanges(clock, () => this.load());
  }

  async load(): Promise<void> {
    const { table, where = {} } = this.#kind;
    const found = await this.#tables.read((rows) => rows.find(table, { where }));
    this.#rows.clear();
    for (const row of found) this.#rows.set(row.name, row);
  }

  /** By name. */
  list(): readonly Row[] {
    return [...this.#rows.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  find(name: string): Row | undefined {
    return this.#rows.get(name);
  }

  /** Errors: as `full`; STORAGE_FULL, STORAGE_FAILED. */
  put(content: Omit<Row, 'changedAt'>): Promise<Row> {
    return this.#changes.inTurn(async () => {
      const { table, most, full } = this.#kind;
      const row = { ...content, changedAt: this.#clock.now() } as Row;
      if (!this.#rows.has(row.name) && this.#rows.size >= most) throw full();
      await this.#tables.write((rows) => rows.put(table, [row]));
      this.#rows.set(row.name, row);
      return row;
    });
  }

  /** Errors: STORAGE_FULL, STORAGE_FAILED. */
  remove(name: string): Promise<void> {
    return this.#changes.inTurn(async () => {
      const { table, where } = this.#kind;
      await this.#tables.write((rows) => rows.remove(table, { ...where, name } as Where<Row>));
      this.#rows.delete(name);
    });
  }

  /** Ends the automatic look-ups. */
  close(): void {
    this.#changes.close();
  }
}
