/** Rules and targets. They are read from memory; a change is on the disk before memory shows it. */
import type { Rows, Secrets } from '../../lib/built-in.ts';
import { type Clock, GatewayError, SureChanges, type Table, type Tables } from '../../lib/index.ts';
import type { Target, TargetBody } from './delivery/target.ts';
import { ruleKindOf } from './rules/kinds.ts';
import type { Numbered, Rule, RuleBody } from './rules/rule.ts';
import { DELIVERIES, EVENTS, RULES, TARGETS } from './tables.ts';

interface NumberedRow<Body> extends Omit<Numbered, 'id'> {
  readonly id: number;
  readonly body: Body;
}

interface NumberedKind<Body> {
  readonly noun: 'rule' | 'target';
  readonly table: Table<NumberedRow<Body>>;
  /** The highest id that other rows still name: nothing new gets it. */
  readonly lastNamed: (rows: Rows) => Promise<number | undefined>;
  /** A body of an older data folder with the fields that it lacks. */
  readonly complete?: (body: Body) => Body;
}

class NumberedStore<Body extends object> {
  protected readonly tables: Tables;
  protected readonly changes: SureChanges;
  readonly #kind: NumberedKind<Body>;
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #kept = new Map<string, Body & Numbered>();
  #nextId = 1;
  #onChange = (_ids: readonly string[]): void => {};

  constructor(tables: Tables, clock: Pick<Clock, 'now' | 'after'>, kind: NumberedKind<Body>) {
    this.tables = tables;
    this.#clock = clock;
    this.#kind = kind;
    this.changes = new SureChanges(clock, () => this.look());
  }

  async load(): Promise<void> {
    const { table, lastNamed, complete = (body) => body } = this.#kind;
    const [all, last = 0] = await this.tables.read(
      async (rows) => [await rows.find(table, { order: { id: 'asc' } }), await lastNamed(rows)] as const,
    );
    await this.reading(all.map(({ id }) => String(id)));
    this.#nextId = Math.max(this.#nextId, last + 1);
    this.#kept.clear();
    for (const row of all) this.#keep({ ...row, body: complete(row.body) });
  }

  /** Runs before memory shows the rows that were read. If it fails, memory stays as it is. */
  protected async reading(_ids: readonly string[]): Promise<void> {}

  /** Calls with the ids of what is new, has changed or is gone. */
  onChange(listener: (ids: readonly string[]) => void): void {
    this.#onChange = listener;
  }

  list(): readonly (Body & Numbered)[] {
    return [...this.#kept.values()];
  }

  find(id: string): (Body & Numbered) | undefined {
    return this.#kept.get(id);
  }

  /** Errors: ALERT_NOT_FOUND. */
  get(id: string): Body & Numbered {
    const found = this.#kept.get(id);
    if (!found) throw new GatewayError('ALERT_NOT_FOUND', `There is no ${this.#kind.noun} ${id}.`);
    return found;
  }

  close(): void {
    this.changes.close();
  }

  /** All of them or, if the disk refuses, none. In the given order. `first` runs before a row is written. */
  protected add(bodies: readonly Body[], first?: (id: string) => Promise<void>): Promise<readonly (Body & Numbered)[]> {
    return this.changes.inTurn(async () => {
      const at = this.#clock.now();
      const rows = bodies.map((body) => ({ id: this.#nextId++, body, createdAt: at, changedAt: at }));
      for (const { id } of rows) await first?.(String(id));
      return this.#write(rows);
    });
  }

  /** Errors: ALERT_NOT_FOUND, STORAGE_FULL, STORAGE_FAILED. */
  protected replace(id: string, body: Body, first?: (present: Body) => Promise<void>): Promise<Body & Numbered> {
    return this.changes.inTurn(async () => {
      const present = this.get(id);
      await first?.(present);
      // Later than before, also if the wall clock was set back: this time tells versions apart.
      const changedAt = Math.max(this.#clock.now(), present.changedAt + 1);
      const [next] = await this.#write([{ id: Number(id), body, createdAt: present.createdAt, changedAt }]);
      return next ?? present;
    });
  }

  /** Errors: as `replace`. `also` is part of the transaction. */
  protected drop(id: string, also?: (rows: Rows) => Promise<unknown>): Promise<void> {
    return this.changes.inTurn(async () => {
      this.get(id);
      await this.tables.write(async (rows) => {
        await rows.remove(this.#kind.table, { id: Number(id) });
        await also?.(rows);
      });
      this.#kept.delete(id);
      this.#onChange([id]);
    });
  }

  /** After a change that the database did not answer. */
  protected async look(): Promise<void> {
    const before = new Map(this.#kept);
    await this.load();
    const ids = new Set([...before.keys(), ...this.#kept.keys()]);
    this.#onChange([...ids].filter((id) => before.get(id)?.changedAt !== this.#kept.get(id)?.changedAt));
  }

  async #write(rows: readonly NumberedRow<Body>[]): Promise<readonly (Body & Numbered)[]> {
    await this.tables.write((own) => own.put(this.#kind.table, rows));
    const all = rows.map((row) => this.#keep(row));
    this.#onChange(all.map(({ id }) => id));
    return all;
  }

  #keep({ id, body, createdAt, changedAt }: NumberedRow<Body>): Body & Numbered {
    const one = { ...body, id: String(id), createdAt, changedAt };
    this.#kept.set(one.id, one);
    this.#nextId = Math.max(this.#nextId, id + 1);
    return one;
  }
}

/** The rules of all kinds. */
export class RuleStore extends NumberedStore<RuleBody> {
  constructor(tables: Tables, clock: Pick<Clock, 'now' | 'after'>) {
    super(tables, clock, {
      noun: 'rule',
      table: RULES,
      async lastNamed(rows) {
        const [newest] = await rows.find(EVENTS, { order: { ruleId: 'desc' }, limit: 1 });
        return newest?.ruleId;
      },
      complete: (body) => ({ record: false, ...ruleKindOf(body.kind)?.formerly, ...body }),
    });
  }

  create(bodies: readonly RuleBody[]): Promise<readonly Rule[]> {
    return this.add(bodies);
  }

  change(id: string, body: RuleBody): Promise<Rule> {
    return this.replace(id, body);
  }

  remove(id: string): Promise<void> {
    return this.drop(id);
  }
}

const secretName = (id: string) => `target-${id}`;

/** Secrets can be set, but are never shown: the store of secrets keeps them encrypted. */
export class TargetStore extends NumberedStore<TargetBody> {
  readonly #secrets: Secrets;
  readonly #withSecret = new Set<string>();
  /** Targets whose removal goes on. Their secrets are removed after them. */
  readonly #leaving = new Set<string>();

  constructor(tables: Tables, clock: Pick<Clock, 'now' | 'after'>, secrets: Secrets) {
    super(tables, clock, {
      noun: 'target',
      table: TARGETS,
      async lastNamed(rows) {
        const [newest] = await rows.find(DELIVERIES, { order: { targetId: 'desc' }, limit: 1 });
        return newest?.targetId;
      },
    });
    this.#secrets = secrets;
  }

  protected override async reading(ids: readonly string[]): Promise<void> {
    const found: string[] = [];
    for (const id of ids) if (await this.secret(id)) found.push(id);
    this.#withSecret.clear();
    for (const id of found) this.#withSecret.add(id);
  }

  hasSecret(id: string): boolean {
    return this.#withSecret.has(id);
  }

  secret(id: string): Promise<string | undefined> {
    return this.#secrets.get(secretName(id));
  }

  /** Errors: STORAGE_FULL, STORAGE_FAILED. */
  async create(body: TargetBody, secret: string | undefined): Promise<Target> {
    // If the gateway ended during a removal, a secret with this id may be left.
    const [target] = await this.add([body], (id) => (secret === undefined ? this.#forget(id) : this.#put(id, secret)));
    return target as Target;
  }

  /** Without a secret the present secret stays, if the target is of the same kind. Errors: ALERT_NOT_FOUND, STORAGE_FULL, STORAGE_FAILED. */
  change(id: string, body: TargetBody, secret: string | undefined): Promise<Target> {
    return this.replace(id, body, async (present) => {
      if (present.kind !== body.kind) await this.#forget(id);
      if (secret !== undefined) await this.#put(id, secret);
    });
  }

  /** Its waiting messages are removed, too. Errors: as `change`. */
  async remove(id: string): Promise<void> {
    await this.drop(id, (rows) => {
      this.#leaving.add(id);
      return rows.remove(DELIVERIES, { targetId: Number(id), state: 'waiting' });
    });
    await this.changes.inTurn(() => this.#forgetGone());
  }

  protected override async look(): Promise<void> {
    await super.look();
    await this.#forgetGone();
  }

  async #forgetGone(): Promise<void> {
    for (const id of this.#leaving) {
      if (!this.find(id)) await this.#forget(id);
      this.#leaving.delete(id);
    }
  }

  async #forget(id: string): Promise<void> {
    await this.#secrets.remove(secretName(id));
    this.#withSecret.delete(id);
  }

  async #put(id: string, secret: string): Promise<void> {
    await this.#secrets.put(secretName(id), secret);
    this.#withSecret.add(id);
  }
}
