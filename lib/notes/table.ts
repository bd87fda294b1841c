/** Versions of notes as rows. */
import { integer, integerOrNull, jsonOrNull, text } from '../domain/fields/columns.ts';
import type { RecordOf } from '../domain/fields/field.ts';
import { defineTable } from '../domain/fields/table.ts';
import type { TableMigration } from '../store/contract.ts';
import type { Note, NoteKind, NoteReason } from './contract.ts';

const FIELDS = {
  id: integer(),
  version: integer(),
  unitId: text(),
  from: integer(),
  to: integerOrNull(),
  kind: text<NoteKind>(),
  reason: text<NoteReason>(),
  text: text(),
  channels: jsonOrNull<readonly string[]>(),
  by: text(),
  changedAt: integer(),
  createdAt: integer(),
  removed: integer(),
  observed: integer(),
} as const;

type NoteRow = RecordOf<typeof FIELDS>;

/** Each version of each note. */
export const NOTE_VERSIONS = defineTable('note_version', ['id', 'version'], FIELDS);

/** Migrations of the table. */
export const noteMigrations: readonly TableMigration[] = [
  {
    name: '0001-notes',
    statements: [
      `create table note_version (
        id integer not null,
        version integer not null,
        unit_id text not null,
        "from" integer not null,
        "to" integer null,
        kind text not null,
        reason text not null,
        text text not null,
        channels json null,
        by text not null,
        changed_at integer not null,
        created_at integer not null,
        removed integer not null,
        primary key (id, version)
      )`,
      'create index note_version_unit on note_version (unit_id, id)',
    ],
  },
  {
    name: '0002-observed',
    statements: [
      'alter table note_version add column observed integer not null default 0',
      // Notes of rules from before this column; for proposals that people accepted it is unknown.
      `update note_version set observed = 1 where by = 'auto_exclude'`,
    ],
  },
];

/** A row as a version of a note. */
export const noteOf = ({ removed, observed, ...row }: NoteRow): Note =>
  Object.freeze({ ...row, removed: removed !== 0, observed: observed !== 0 });
/** The row of a version. */
export const rowOf = ({ removed, observed, ...note }: Note): NoteRow => ({
  ...note,
  removed: removed ? 1 : 0,
  observed: observed ? 1 : 0,
});
