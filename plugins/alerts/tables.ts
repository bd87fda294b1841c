/** The tables of alerts: rules, events, targets, deliveries. */
import { columns, defineTable, type Sentence, type Table, type TableMigration } from '../../lib/index.ts';
import type { RuleBody } from './rules/rule.ts';

const { integer, integerOrNull, json, jsonOrNull, realOrNull, text, textOrNull } = columns;

/** A rule; times in ms since 1970 UTC. */
export interface RuleRow {
  readonly id: number;
  readonly body: RuleBody;
  readonly createdAt: number;
  readonly changedAt: number;
}
/** The rules of all kinds. */
export const RULES: Table<RuleRow> = defineTable('alerts_rule', ['id'], {
  id: integer(),
  body: json<RuleBody>(),
  createdAt: integer(),
  changedAt: integer(),
});

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
  /** The highest level; `at` in ms since 1970 UTC. */
  readonly loudest: { readonly level: number; readonly at: number } | null;
}

/** The note of a person about an event; `at` in ms since 1970 UTC. */
export interface EventNote {
  readonly by: string;
  readonly at: number;
  readonly note: string;
}

/** The first answer of a person. */
interface Acknowledgement extends EventNote {
  /** Notes of further answers, the oldest first. */
  readonly later?: readonly EventNote[];
}

/** Times in ms since 1970 UTC, values in dB or in the unit of the condition. */
export interface EventRow {
  readonly id: number;
  readonly ruleId: number;
  readonly unitId: string;
  /** The name of the rule at that time: the event stays readable when the rule is gone. */
  readonly ruleName: string;
  readonly severity: string;
  /** The kind of the rule. */
  readonly kind: string;
  /** `leq` ... of a level rule, the condition of a device rule. */
  readonly what: string;
  readonly limitValue: number | null;
  readonly windowFrom: number | null;
  /** End of the last window that it covers. */
  readonly windowTo: number | null;
  /** Windows of the clock: how many in a row, and which has the worst value. Null: no windows, or only one. */
  readonly windows: EventWindows | null;
  readonly openedAt: number;
  readonly closedAt: number | null;
  readonly worst: number | null;
  readonly worstAt: number | null;
  readonly detail: string;
  /** Texts of the event by the names of their fields in the API. Null: of an event from before them. */
  readonly sentences: Readonly<Record<string, Sentence>> | null;
  readonly ack: Acknowledgement | null;
  /** Source of the noise, in the words of a person. */
  readonly cause: string | null;
  /** When the targets of `escalate_to` got their messages. */
  readonly escalatedAt: number | null;
  /** The value after late levels, and the value before; null: the event was not noticed before. */
  readonly revised: { readonly value: number; readonly was: number | null; readonly at: number } | null;
  /** Null while the event is open, and if its levels are not known. */
  readonly sound: EventSound | null;
  /** The channel whose level the event is about. Null: about no channel, or the event is older than channels (`main`). */
  readonly channel: string | null;
}
/** The events of all rules, also of removed rules. */
export const EVENTS: Table<EventRow> = defineTable('alerts_event', ['id'], {
  id: integer(),
  ruleId: integer(),
  unitId: text(),
  ruleName: text(),
  severity: text(),
  kind: text(),
  what: text(),
  limitValue: realOrNull(),
  windowFrom: integerOrNull(),
  windowTo: integerOrNull(),
  windows: jsonOrNull<EventWindows>(),
  openedAt: integer(),
  closedAt: integerOrNull(),
  worst: realOrNull(),
  worstAt: integerOrNull(),
  detail: text(),
  escalatedAt: integerOrNull(),
  ack: jsonOrNull<Acknowledgement>(),
  revised: jsonOrNull<{ readonly value: number; readonly was: number | null; readonly at: number }>(),
  sound: jsonOrNull<EventSound>(),
  channel: textOrNull(),
  cause: textOrNull(),
  sentences: jsonOrNull<Readonly<Record<string, Sentence>>>(),
});

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
];
