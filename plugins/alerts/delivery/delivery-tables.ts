/** Targets, and the outbox. The outbox has one row for each message to each target. */
import { columns, defineTable, type MailReach, type Table, type TableMigration } from '../../../lib/index.ts';
import type { TargetBody } from './target.ts';

const { integer, integerOrNull, json, jsonOrNull, text } = columns;

/** A target; times in ms since 1970 UTC. */
interface TargetRow {
  readonly id: number;
  readonly body: TargetBody;
  readonly createdAt: number;
  readonly changedAt: number;
}
/** Secrets are not in this table. */
export const TARGETS: Table<TargetRow> = defineTable('alerts_target', ['id'], {
  id: integer(),
  body: json<TargetBody>(),
  createdAt: integer(),
  changedAt: integer(),
});

/** `opened`, `critical`, `closed`, `revised` and `escalated` of an event, or a `test`. */
export type MessageType = 'opened' | 'critical' | 'closed' | 'revised' | 'escalated' | 'test';

/** A message to one target; times in ms since 1970 UTC. */
export interface DeliveryRow {
  readonly id: number;
  readonly targetId: number;
  /** The phone that gets the message, where the target has phones. Null: the message is for the target. */
  readonly phone: number | null;
  readonly eventId: number | null;
  readonly type: MessageType;
  /** The event as the API showed it when the message was made. */
  readonly event: Readonly<Record<string, unknown>>;
  readonly state: 'waiting' | 'done' | 'failed';
  readonly tries: number;
  readonly createdAt: number;
  /** The next try is not before this time (after a failure, or in quiet hours), ms since 1970 UTC. */
  readonly notBefore: number;
  readonly endedAt: number | null;
  /** The result of the last try, for people. */
  readonly outcome: string;
  /** The id of the first message of the mail with this message: a further try sends the same messages. Null: not tried yet. */
  readonly batch: number | null;
  /** How far a mail has come; null: no address has got it. */
  readonly reach: MailReach | null;
}
/** The outbox of all targets. */
export const DELIVERIES: Table<DeliveryRow> = defineTable('alerts_delivery', ['id'], {
  id: integer(),
  targetId: integer(),
  phone: integerOrNull(),
  eventId: integerOrNull(),
  type: text<MessageType>(),
  event: json<Readonly<Record<string, unknown>>>(),
  state: text<'waiting' | 'done' | 'failed'>(),
  tries: integer(),
  createdAt: integer(),
  notBefore: integer(),
  endedAt: integerOrNull(),
  outcome: text(),
  batch: integerOrNull(),
  reach: jsonOrNull<MailReach>(),
});

/** How these tables came to be, oldest first. */
export const deliveryMigrations: readonly TableMigration[] = [
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

/**
 * A message as programs get it: its JSON, and an id that is the same at each try. Pure. `msg_...`, as Standard
 * Webhooks names it.
 */
export const messageIdOf = ({ id, createdAt }: Pick<DeliveryRow, 'id' | 'createdAt'>): string =>
  `msg_${createdAt}_${id}`;

/** The JSON of the message; the same bytes at each try. */
export const bodyOf = ({ type, createdAt, event }: Pick<DeliveryRow, 'type' | 'createdAt' | 'event'>): string =>
  JSON.stringify({ type: `alert.${type}`, timestamp: new Date(createdAt).toISOString(), data: event });
