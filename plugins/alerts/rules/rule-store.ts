/** The rules: read from memory, on the disk before memory shows a change. */
import { GatewayError, type Tables } from '../../../lib/index.ts';
import { EVENTS, RULES } from '../tables.ts';
import type { RuleKind } from './kind.ts';
import type { Rule, RuleBody } from './rule.ts';

/** The rules of all kinds, by id. */
export class RuleStore {
  readonly #tables: Tables;
  readonly #kinds: readonly RuleKind[];
  readonly #now: () => number;
  readonly #rules = new Map<string, Rule>();
  readonly #onChange: () => void;
  #nextId = 1;

  constructor(tables: Tables, kinds: readonly RuleKind[], now: () => number, onChange: () => void) {
    this.#tables = tables;
    this.#kinds = kinds;
    this.#now = now;
    this.#onChange = onChange;
  }

  async load(): Promise<void> {
    const [rules, [newest]] = await this.#tables.read(async (rows) => [
      await rows.find(RULES, { order: { id: 'asc' } }),
      await rows.find(EVENTS, { order: { ruleId: 'desc' }, limit: 1 }),
    ]);
    // An id is never given again while events of its first rule are kept.
    this.#nextId = (newest?.ruleId ?? 0) + 1;
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
    const at = this.#now();
    return this.#write({ ...body, id: String(this.#nextId++), createdAt: at, changedAt: at });
  }

  /** All of them or, if the disk refuses, none. In their order. */
  async createAll(bodies: readonly RuleBody[]): Promise<readonly Rule[]> {
    const at = this.#now();
    const rules = bodies.map((body) => ({ ...body, id: String(this.#nextId++), createdAt: at, changedAt: at }));
    await this.#tables.write((rows) => rows.put(RULES, rules.map(rowOf)));
    for (const rule of rules) this.#keep(rule);
    this.#onChange();
    return rules;
  }

  change(id: string, body: RuleBody): Promise<Rule> {
    const { createdAt, changedAt } = this.get(id);
    // Later than before, also where the wall clock was set back: it tells versions apart.
    return this.#write({ ...body, id, createdAt, changedAt: Math.max(this.#now(), changedAt + 1) });
  }

  async remove(id: string): Promise<Rule> {
    const rule = this.get(id);
    await this.#tables.write((rows) => rows.remove(RULES, { id: Number(id) }));
    this.#rules.delete(id);
    this.#onChange();
    return rule;
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
