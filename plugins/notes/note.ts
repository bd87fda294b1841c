/**
 * A note of a person about a time at a meter, or an exclusion: excluded time does not count. Nothing is deleted: each
 * change is a new version, and old versions stay.
 */
import type { RecordOf, Versioned } from '../../lib/built-in.ts';
import { columns, defineTable, orNull, type Schema, type TableMigration, TIME } from '../../lib/index.ts';

/** A `note` explains a time; the levels of an `exclusion` do not count. */
const NOTE_KINDS = ['note', 'exclusion'] as const;
/** Why a time does not count, or what was heard. */
export const NOTE_REASONS = Object.freeze([
  'calibration',
  'rain',
  'wind',
  'own_noise',
  'intrusion',
  'fault',
  'other',
] as const);
export type NoteReason = (typeof NOTE_REASONS)[number];

export const KIND: Schema = {
  type: 'string',
  enum: NOTE_KINDS,
  description: 'note: explains a time; exclusion: the levels of this time do not count.',
};
export const REASON: Schema = {
  type: 'string',
  enum: NOTE_REASONS,
  description: 'own_noise: of the people who measure; intrusion: somebody at the microphone.',
};
const CHANNELS: Schema = {
  type: 'array',
  minItems: 1,
  maxItems: 8,
  uniqueItems: true,
  items: { type: 'string', pattern: '^[a-z][a-z0-9]{0,15}$' },
  description: 'channels of the meter in small letters, such as main or sub1; null: all',
};
export const CHANNELS_OR_ALL = orNull(CHANNELS);

const FIELDS = {
  ...columns.versioned,
  from: columns.integer(TIME),
  /** Null: it continues until somebody ends it. */
  to: columns.integerOrNull(TIME),
  kind: columns.text<(typeof NOTE_KINDS)[number]>(KIND),
  reason: columns.text<NoteReason>(REASON),
  /** May have several lines; may be empty. */
  text: columns.text({ type: 'string' }),
  channels: columns.jsonOrNull<readonly string[]>(CHANNELS),
  observed: columns.boolean({
    type: 'boolean',
    description: 'It comes from observations of stations: a rule wrote it, or a person accepted its proposal.',
  }),
} as const;

/** One version of a note. Times are ms since 1970 UTC. */
export interface Note extends RecordOf<typeof FIELDS> {}
export type NoteBody = Omit<Note, keyof Versioned>;

export const NOTE_VERSIONS = defineTable('note_version', ['id', 'version'], FIELDS);

export const noteMigrations: readonly TableMigration[] = [
  {
    name: '0001-notes',
    statements: [
      `create table note_version (
        id integer not null, version integer not null, unit_id text not null, "from" integer not null,
        "to" integer null, kind text not null, reason text not null, text text not null, channels json null,
        by text not null, changed_at integer not null, created_at integer not null, removed integer not null,
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
