/** The tables of alerts. Times are in ms since 1970 UTC, values in dB or in the unit of the condition. */
import type { MailReach, Sentence } from '../../lib/built-in.ts';
import { columns, defineTable, type Table, type TableMigration } from '../../lib/index.ts';
import type { TargetBody } from './delivery/target.ts';
import type { RuleBody } from './rules/rule.ts';

const { integer, integerOrNull, json, jsonOrNull, realOrNull, text, textOrNull } = columns;

const numbered = <Body>() => ({ id: integer(), body: json<Body>(), createdAt: integer(), changedAt: integer() });

export const RULES = defineTable('alerts_rule', ['id'], numbered<RuleBody>());
/** The targets, without their secrets. */
export const TARGETS = defineTable('alerts_target', ['id'], numbered<TargetBody>());

/** The windows of the clock that an event covers. */
interface EventWindows {
  readonly count: number;
  readonly worstFrom: number;
  readonly worstTo: number;
  /** The worst value may lie beside that window: the true value is at most this. Absent: it is certain. */
  readonly isBound?: boolean;
}

/** The sound of an event over all its windows. Levels dB. */
export interface EventSound {
  /** Sound exposure level; null: the levels are not A-weighted. */
  readonly lae: number | null;
  /** Seconds with levels. */
  readonly measuredS: number;
  readonly loudest: { readonly level: number; readonly at: number } | null;
}

/** The note of a person about an event. */
export interface EventNote {
  readonly by: string;
  readonly at: number;
  readonly note: string;
}

/** The first answer of a person, and the notes of further answers, the oldest first. */
interface Acknowledgement extends EventNote {
  readonly later?: readonly EventNote[];
}

/** The events of all rules, also of removed rules. */
export const EVENTS = defineTable('alerts_event', ['id'], {
  id: integer(),
  ruleId: integer(),
  unitId: text(),
  /** The name of the rule at that time: the event stays readable when the rule is gone. */
  ruleName: text(),
  severity: text(),
  /** The kind of the rule. */
  kind: text(),
  /** `leq` ... of a level rule, the condition of a device rule. */
  what: text(),
  limitValue: realOrNull(),
  windowFrom: integerOrNull(),
  /** End of the last window that it covers. */
  windowTo: integerOrNull(),
  /** Windows of the clock: how many in a row, and which has the worst value. Null: no windows, or only one. */
  windows: jsonOrNull<EventWindows>(),
  openedAt: integer(),
  closedAt: integerOrNull(),
  worst: realOrNull(),
  worstAt: integerOrNull(),
  detail: text(),
  /** When the targets of `escalate_to` got their messages. */
  escalatedAt: integerOrNull(),
  ack: jsonOrNull<Acknowledgement>(),
  /** The value after late levels, and the value before; null: the event was not noticed before. */
  revised: jsonOrNull<{ readonly value: number; readonly was: number | null; readonly at: number }>(),
  /** Null while the event is open, and if its levels are not known. */
  sound: jsonOrNull<EventSound>(),
  /** The channel whose level the event is about. Null: about no channel, or the event is older than channels (`main`). */
  channel: textOrNull(),
  /** Source of the noise, in the words of a person. */
  cause: textOrNull(),
  /** Texts of the event by the names of their fields in the API. Null: of an event from before them. */
  sentences: jsonOrNull<Readonly<Record<string, Sentence>>>(),
});
export type EventRow = typeof EVENTS extends Table<infer Row> ? Row : never;

/** `opened`, `critical`, `closed`, `revised` and `escalated` of an event, or a `test`. */
export type MessageType = 'opened' | 'critical' | 'closed' | 'revised' | 'escalated' | 'test';

/** The outbox of all targets: one row for each message to each target or phone. */
export const DELIVERIES = defineTable('alerts_delivery', ['id'], {
  id: integer(),
  targetId: integer(),
  /** The phone that gets the message, where the target has phones. Null: the message is for the target. */
  phone: integerOrNull(),
  eventId: integerOrNull(),
  type: text<MessageType>(),
  /** The event as the API showed it when the message was made. */
  event: json<Readonly<Record<string, unknown>>>(),
  state: text<'waiting' | 'done' | 'failed'>(),
  tries: integer(),
  createdAt: integer(),
  /** The next try is not before this time (after a failure, or in quiet hours). */
  notBefore: integer(),
  endedAt: integerOrNull(),
  outcome: text(),
  /** The id of the first message of the mail with this message: a further try sends the same messages. Null: not tried yet. */
  batch: integerOrNull(),
  /** How far a mail has come; null: no address has got it. */
  reach: jsonOrNull<MailReach>(),
});
export type DeliveryRow = typeof DELIVERIES extends Table<infer Row> ? Row : never;

/** A phone gets no messages about this rule at this unit until then. */
export interface Quiet {
  readonly ruleId: number;
  readonly unitId: string;
  readonly until: number;
}

/** Phones (and other browsers) that get alerts by Web Push. Address and keys of a subscription are secrets, and are not here. */
export const PHONES = defineTable('alerts_phone', ['id'], {
  id: integer(),
  /** As `Host.rightsOf` knows people and API keys. */
  owner: text(),
  /** The owner's name at the time of the subscription. */
  person: text(),
  name: text(),
  /** Origin of the push service. */
  service: text(),
  /** SHA-256 of the whole address: a second subscription of the same browser is the same phone. */
  digest: text(),
  createdAt: integer(),
  /** When the push service last accepted a message. */
  takenAt: integerOrNull(),
  quiet: json<readonly Quiet[]>(),
  /** The language of the page that it was subscribed with. Null: that of its target. */
  language: textOrNull(),
});
export type PhoneRow = typeof PHONES extends Table<infer Row> ? Row : never;

export const ALERT_TABLES = [RULES, EVENTS, TARGETS, DELIVERIES, PHONES];

/** How these tables came to be, oldest first. */
export const ALERT_MIGRATIONS: readonly TableMigration[] = [
  {
    name: '0001-rules-and-events',
    statements: [
      `create table alerts_rule (
        id integer not null primary key, body json not null, created_at integer not null, changed_at integer not null
      )`,
      `create table alerts_event (
        id integer not null primary key, rule_id integer not null, unit_id text not null, rule_name text not null,
        severity text not null, kind text not null, what text not null, limit_value real null, window_from integer null,
        window_to integer null, opened_at integer not null, closed_at integer null, worst real null, worst_at integer null,
        detail text not null, ack json null, revised json null
      )`,
      'create index alerts_event_open on alerts_event (closed_at)',
      'create index alerts_event_unit on alerts_event (unit_id, opened_at)',
    ],
  },
  {
    name: '0002-deliveries',
    statements: [
      `create table alerts_target (
        id integer not null primary key, body json not null, created_at integer not null, changed_at integer not null
      )`,
      `create table alerts_delivery (
        id integer not null primary key, target_id integer not null, event_id integer null, type text not null, event json not null,
        state text not null, tries integer not null, created_at integer not null, not_before integer not null,
        ended_at integer null, outcome text not null
      )`,
      'create index alerts_delivery_waiting on alerts_delivery (target_id, state, id)',
      'alter table alerts_event add column escalated_at integer null',
    ],
  },
  { name: '0003-windows', statements: ['alter table alerts_event add column windows json null'] },
  { name: '0004-newest-events', statements: ['create index alerts_event_opened on alerts_event (opened_at, id)'] },
  { name: '0005-sound', statements: ['alter table alerts_event add column sound json null'] },
  {
    name: '0006-phones',
    statements: [
      `create table alerts_phone (
        id integer not null primary key, owner text not null, person text not null, name text not null, service text not null,
        digest text not null, created_at integer not null, taken_at integer null, quiet json not null
      )`,
      'alter table alerts_delivery add column phone integer null',
      'create index alerts_delivery_phone on alerts_delivery (phone, state, id)',
    ],
  },
  { name: '0007-channel', statements: ['alter table alerts_event add column channel text null'] },
  {
    name: '0008-reach-of-a-mail',
    statements: [
      'alter table alerts_delivery add column batch integer null',
      'alter table alerts_delivery add column reach json null',
    ],
  },
  {
    name: '0009-cause-of-an-event',
    statements: [
      'alter table alerts_event add column cause text null',
      'create index alerts_event_cause on alerts_event (unit_id, opened_at) where cause is not null',
      'create index alerts_delivery_event on alerts_delivery (event_id)',
    ],
  },
  {
    name: '0010-languages',
    statements: [
      'alter table alerts_event add column sentences json null',
      'alter table alerts_phone add column language text null',
    ],
  },
];
