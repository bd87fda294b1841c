/** Versions of notes as rows. */
import { columns, defineTable, type Table, type TableMigration } from '../../lib/index.ts';
import type { Note, NoteKind, NoteReason } from './contract.ts';

interface NoteRow extends Omit<Note, 'removed' | 'observed'> {
  readonly removed: number;
  readonly observed: number;
}

/** Each version of each note. */
export const NOTE_VERSIONS: Table<NoteRow> = defineTable('note_version', ['id', 'version'], {
  id: columns.integer(),
  version: columns.integer(),
  unitId: columns.text(),
  from: columns.integer(),
  to: columns.integerOrNull(),
  kind: columns.text<NoteKind>(),
  reason: columns.text<NoteReason>(),
  text: columns.text(),
  channels: columns.jsonOrNull<readonly string[]>(),
  by: columns.text(),
  changedAt: columns.integer(),
  createdAt: columns.integer(),
  removed: columns.integer(),
  observed: columns.integer(),
});

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
