/** The notes, a row for each version: read from memory, on the disk before memory shows a change. */
import {
  type Clock,
  columns,
  defineTable,
  MAIN_CHANNEL,
  refused,
  type Table,
  type TableMigration,
  type Tables,
  VersionedRecords,
} from '../../lib/index.ts';
import type { Note, NoteBody, NoteKind, NoteReason, Notes } from './contract.ts';
import { Exclusions } from './excluded.ts';

interface NoteRow extends Omit<Note, 'removed' | 'observed'> {
  readonly removed: number;
  readonly observed: number;
}

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
const noteOf = ({ removed, observed, ...row }: NoteRow): Note =>
  Object.freeze({ ...row, removed: removed !== 0, observed: observed !== 0 });
/** The row of a version. */
export const rowOf = ({ removed, observed, ...note }: Note): NoteRow => ({
  ...note,
  removed: removed ? 1 : 0,
  observed: observed ? 1 : 0,
});

/** Most notes of a unit, with removed ones: twice a day for fourteen years. They are in memory. */
export const MOST_NOTES = 10_000;
/** Most notes of all units together. */
export const MOST_OF_ALL = 50_000;
/** Most versions of one note. */
export const MOST_VERSIONS = 100;

/** Notes and their versions on these tables. */
export async function openNotes(
  tables: Tables,
  clock: Pick<Clock, 'now' | 'after'>,
): Promise<Notes & { close(): void }> {
  const notes = await VersionedRecords.open<Note>(
    {
      noun: 'note',
      notFound: 'NOTE_NOT_FOUND',
      most: { ofUnit: MOST_NOTES, ofAll: MOST_OF_ALL, versions: MOST_VERSIONS },
      async readAll() {
        const order = { id: 'asc', version: 'asc' } as const;
        return (await tables.read((rows) => rows.find(NOTE_VERSIONS, { order }))).map(noteOf);
      },
      async readSome(ids) {
        const order = { id: 'desc', version: 'asc' } as const;
        return (await tables.read((rows) => rows.find(NOTE_VERSIONS, { where: { id: ids }, order }))).map(noteOf);
      },
      keep: (note) => tables.write((rows) => rows.add(NOTE_VERSIONS, [rowOf(note)])),
      check: refuseNeedless,
    },
    clock,
  );
  return {
    list: (unitId, options) => notes.list(unitId, options),
    find: (id) => notes.find(id),
    versions: (ids) => notes.versions(ids),
    add: (unitId, body, by) => notes.add(unitId, body, by),
    change: (id, body, by) => notes.change(id, body, by),
    remove: (id, by) => notes.remove(id, by),
    close: () => notes.close(),
    excluded: (unitId, span, channel) => exclusionsOf(notes.list(unitId), channel ?? MAIN_CHANNEL).within(span),
  };
}

/**
 * Exclusions may overlap if their reasons differ: rain and wind come together. A second exclusion with the same reason
 * is sent by mistake. Errors: INVALID.
 */
function refuseNeedless(body: NoteBody, others: readonly Note[]): void {
  if (body.kind !== 'exclusion') return;
  const endOf = ({ to }: NoteBody) => to ?? Number.POSITIVE_INFINITY;
  const channelsOf = ({ channels }: NoteBody) => JSON.stringify(channels);
  const same = others.find(
    (other) =>
      other.kind === 'exclusion' &&
      other.reason === body.reason &&
      channelsOf(other) === channelsOf(body) &&
      other.from < endOf(body) &&
      endOf(other) > body.from,
  );
  if (same)
    throw refused('/from', `the exclusion ${same.id} has the same reason and some of this time: change that exclusion`);
}

/** For a list that does not change, by channel. */
const exclusions = new WeakMap<readonly Note[], Map<string, Exclusions>>();

function exclusionsOf(notes: readonly Note[], channel: string): Exclusions {
  const ofChannels = exclusions.get(notes) ?? new Map<string, Exclusions>();
  exclusions.set(notes, ofChannels);
  const known = ofChannels.get(channel) ?? new Exclusions(notes, channel);
  ofChannels.set(channel, known);
  return known;
}
