/** The table of the log: one entry for each event at a unit. */
import { columns, defineTable, type Table, type TableMigration } from '../../lib/index.ts';

/** The subjects of entries. */
export const KINDS = ['command', 'connection', 'reachability', 'state', 'change', 'file', 'job', 'recording'] as const;
export type EntryKind = (typeof KINDS)[number];

const { integer, integerOrNull, text, textOrNull } = columns;

/** The entries of all units. */
export const ENTRIES = defineTable('log_entry', ['id'], {
  /** 1, 2, 3 ... over all units, in order of time. */
  id: integer(),
  unitId: text(),
  /** Ms since 1970 UTC. */
  at: integer(),
  kind: text<EntryKind>(),
  /** 1: a routine success. Such entries have a limit of their own, so that they do not replace others. */
  routine: integer(),
  text: text(),
  /** `ok`, or the code of the error; null if nothing could fail. */
  outcome: textOrNull(),
  /** The duration; null if it has no meaning. */
  ms: integerOrNull(),
  /** Name and role of the API key of the caller. */
  keyName: textOrNull(),
  role: textOrNull(),
});
export type EntryRow = typeof ENTRIES extends Table<infer Row> ? Row : never;
/** An entry before it has its number and time. */
export type LogEntry = Pick<EntryRow, 'kind' | 'text'> & Partial<Omit<EntryRow, 'id' | 'unitId' | 'at' | 'routine'>>;

/** The migrations of this table, oldest first. */
export const LOG_MIGRATIONS: readonly TableMigration[] = [
  {
    name: '0001-log',
    statements: [
      `create table log_entry (
        id integer not null primary key,
        unit_id text not null,
        at integer not null,
        kind text not null,
        routine integer not null,
        text text not null,
        outcome text null,
        ms integer null,
        key_name text null,
        role text null
      )`,
      'create index log_entry_unit on log_entry (unit_id, routine, id)',
      'create index log_entry_at on log_entry (at)',
    ],
  },
  { name: '0002-newest', statements: ['create index log_entry_newest on log_entry (unit_id, id)'] },
];
