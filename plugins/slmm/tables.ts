/** Rules as SLMM's clients wrote them, with the fields that the gateway does not have. */
import { defineTable, field, type Table, type TableMigration } from '../../lib/index.ts';
import type { SlmmRule } from './alert-rule.ts';

/** One rule. */
export interface SlmmRuleRow {
  /** Of the rule of the gateway. */
  readonly id: number;
  readonly body: SlmmRule;
}
/** By the id of the gateway's rule. */
export const SLMM_RULES: Table<SlmmRuleRow> = defineTable('slmm_rule', ['id'], {
  id: field<number>({ column: 'integer', fresh: 0, schema: {} }),
  body: field<SlmmRule>({ column: 'json', fresh: {} as SlmmRule, schema: {} }),
});

/** What is to be remembered by a text: rules that were taken over, so that a second import finds them; units in standby. */
export interface TakenRow {
  readonly key: string;
  /** Of the rule of the gateway; 0 of a unit in standby. */
  readonly id: number;
}
/** What was taken over before, so that an import can be repeated. */
export const TAKEN: Table<TakenRow> = defineTable('slmm_taken', ['key'], {
  key: field<string>({ column: 'text', fresh: '', schema: {} }),
  id: field<number>({ column: 'integer', fresh: 0, schema: {} }),
});

/** How the tables of this plugin came to be. */
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
