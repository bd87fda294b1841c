/** The notes: read from memory, on the disk before memory shows a change. */
import { type Clock, MAIN_CHANNEL, refused, type Tables, VersionedRecords } from '../../lib/index.ts';
import type { Note, NoteBody, Notes } from './contract.ts';
import { Exclusions } from './excluded.ts';
import { NOTE_VERSIONS, noteOf, rowOf } from './table.ts';

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
