/** The rules of all kinds. */
import type { Clock, Tables } from '../../../lib/index.ts';
import { NumberedStore } from '../numbered-store.ts';
import { EVENTS, RULES } from '../tables.ts';
import { ruleKindOf } from './kinds.ts';
import type { Rule, RuleBody } from './rule.ts';

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
