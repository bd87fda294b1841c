/** The rules are read from memory; a change is on the disk before memory shows it. */
import { type Clock, GatewayError, SureChanges, type Tables } from '../../../lib/index.ts';
import { EVENTS, RULES } from '../tables.ts';
import type { RuleKind } from './kind.ts';
import type { Rule, RuleBody } from './rule.ts';

/** The rules of all kinds, by id. */
export class RuleStore {
  readonly #tables: Tables;
  readonly #kinds: readonly RuleKind[];
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #rules = new Map<string, Rule>();
  readonly #onChange: () => void;
  readonly #changes: SureChanges;
  #nextId = 1;

  constructor(tables: Tables, kinds: readonly RuleKind[], clock: Pick<Clock, 'now' | 'after'>, onChange: () => void) {
    this.#tables = tables;
    this.#kinds = kinds;
    this.#clock = clock;
    this.#onChange = onChange;
    this.#changes = new SureChanges(clock, async () => {
      await this.load();
      onChange();
    });
  }

  async load(): Promise<void> {
    const [rules, [newest]] = await this.#tables.read(async (rows) => [
      await rows.find(RULES, { order: { id: 'asc' } }),
      await rows.find(EVENTS, { order: { ruleId: 'desc' }, limit: 1 }),
    ]);
    // No new rule gets an id while events of an old rule with this id are kept.
    this.#nextId = Math.max(this.#nextId, (newest?.ruleId ?? 0) + 1);
    this.#rules.clear();
    for (const { id, body, createdAt, changedAt } of rules)
      this.#keep({ record: false, ...this.#formerly(body.kind), ...body, id: String(id), createdAt, changedAt });
  }

  #formerly(kind: string): object {
    return this.#kinds.find(({ name }) => name === kind)?.formerly ?? {};
  }

  list(): readonly Rule[] {
    return [...this.#rules.values()];
  }

  find(id: string): Rule | undefined {
    return this.#rules.get(id);
  }

  /** Errors: ALERT_NOT_FOUND. */
  get(id: string): Rule {
    const rule = this.#rules.get(id);
    if (!rule) throw new GatewayError('ALERT_NOT_FOUND', `There is no rule ${id}.`);
    return rule;
  }

  create(body: RuleBody): Promise<Rule> {
    return this.#changes.inTurn(() => this.#write(this.#fresh(body)));
  }

  /** All of them or, if the disk refuses, none. In the given order. */
  createAll(bodies: readonly RuleBody[]): Promise<readonly Rule[]> {
    return this.#changes.inTurn(async () => {
      const rules = bodies.map((body) => this.#fresh(body));
      await this.#tables.write((rows) => rows.put(RULES, rules.map(rowOf)));
      for (const rule of rules) this.#keep(rule);
      this.#onChange();
      return rules;
    });
  }

  /** Errors: ALERT_NOT_FOUND, STORAGE_FULL, STORAGE_FAILED. */
  change(id: string, body: RuleBody): Promise<Rule> {
    return this.#changes.inTurn(() => {
      const { createdAt, changedAt } = this.get(id);
      // Later than before, also if the wall clock was set back: this time tells versions apart.
      return this.#write({ ...body, id, createdAt, changedAt: Math.max(this.#clock.now(), changedAt + 1) });
    });
  }

  /** Errors: ALERT_NOT_FOUND, STORAGE_FULL, STORAGE_FAILED. */
  remove(id: string): Promise<Rule> {
    return this.#changes.inTurn(async () => {
      const rule = this.get(id);
      await this.#tables.write((rows) => rows.remove(RULES, { id: Number(id) }));
      this.#rules.delete(id);
      this.#onChange();
      return rule;
    });
  }

  /** Stops following changes. */
  close(): void {
    this.#changes.close();
  }

  #fresh(body: RuleBody): Rule {
    const at = this.#clock.now();
    return { ...body, id: String(this.#nextId++), createdAt: at, changedAt: at };
  }

  async #write(rule: Rule): Promise<Rule> {
    await this.#tables.write((rows) => rows.put(RULES, [rowOf(rule)]));
    this.#keep(rule);
    this.#onChange();
    return rule;
  }

  #keep(rule: Rule): void {
    this.#rules.set(rule.id, rule);
    this.#nextId = Math.max(this.#nextId, Number(rule.id) + 1);
  }
}

const rowOf = ({ id, createdAt, changedAt, ...body }: Rule) => ({ id: Number(id), body, createdAt, changedAt });
