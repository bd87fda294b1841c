/** Phones (and other browsers) that get alerts by Web Push. Address and keys of a subscription are secrets, and are not in this table. */
import { columns, defineTable, type Table } from '../../../../lib/index.ts';

const { integer, integerOrNull, json, text } = columns;

/** A phone gets no messages about this rule at this unit until then, ms since 1970 UTC. */
export interface Quiet {
  readonly ruleId: number;
  readonly unitId: string;
  readonly until: number;
}

/** A subscription; times in ms since 1970 UTC. */
export interface PhoneRow {
  readonly id: number;
  /** The owner, as `Host.rightsOf` knows people and API keys. */
  readonly owner: string;
  /** The owner's name at the time of the subscription. */
  readonly person: string;
  /** The name that the owner gave the phone. */
  readonly name: string;
  /** Origin of the push service. */
  readonly service: string;
  /** SHA-256 of the whole address: a second subscription of the same browser is the same phone. */
  readonly digest: string;
  readonly createdAt: number;
  /** When the push service last accepted a message. */
  readonly takenAt: number | null;
  readonly quiet: readonly Quiet[];
}
/** The subscriptions of all people. */
export const PHONES: Table<PhoneRow> = defineTable('alerts_phone', ['id'], {
  id: integer(),
  owner: text(),
  person: text(),
  name: text(),
  service: text(),
  digest: text(),
  createdAt: integer(),
  takenAt: integerOrNull(),
  quiet: json<readonly Quiet[]>(),
});
