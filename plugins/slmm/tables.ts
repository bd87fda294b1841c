/** Rules as SLMM's clients wrote them, with the fields that the gateway does not have. */
import { defineTable, field, type Table, type TableMigration } from '../../lib/index.ts';
import type { SlmmRule } from './alert-rule.ts';

export interface SlmmRuleRow {
  /** The id of the gateway's rule. */
  readonly id: number;
  readonly body: SlmmRule;
}
/** By the id of the gateway's rule. */
export const SLMM_RULES: Table<SlmmRuleRow> = defineTable('slmm_rule', ['id'], {
  id: field<number>({ column: 'integer', fresh: 0, schema: {} }),
  body: field<SlmmRule>({ column: 'json', fresh: {} as SlmmRule, schema: {} }),
});

/** A stored text: a rule that was taken over, so that a second import finds it; or a unit in standby. */
export interface TakenRow {
  readonly key: string;
  /** The id of the gateway's rule; 0 for a unit in standby. */
  readonly id: number;
}
/** Data of earlier imports, so that an import can be repeated. */
export const TAKEN: Table<TakenRow> = defineTable('slmm_taken', ['key'], {
  key: field<string>({ column: 'text', fresh: '', schema: {} }),
  id: field<number>({ column: 'integer', fresh: 0, schema: {} }),
});

/** The migrations of this plugin's tables. */
export const SLMM_MIGRATIONS: readonly TableMigration[] = [
  {
    name: '0001-rules',
    statements: ['create table slmm_rule (id integer not null primary key, body json not null)'],
  },
  {
    name: '0002-taken-over',
    statements: ['create table slmm_taken (key text not null primary key, id integer not null)'],
  },
];
