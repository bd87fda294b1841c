/** Notes and exclusions of people. Other plugins leave excluded time out of their figures. */
import type { Plugin } from '../../lib/index.ts';
import { NOTE_VERSIONS, noteMigrations } from './note.ts';
import { NoteRecords, type Notes } from './records.ts';
import { addNoteRoutes } from './routes.ts';

export {
  type AskedExclusions,
  CUT_MINUTES,
  EDGE,
  type ExcludedTime,
  type ExcludingRow,
  edgeOf,
  excludedColumn,
  excludedSeconds,
  excludingColumns,
  exclusionsSchema,
  NOTHING_EXCLUDED,
  queryExcluding,
  unionOf,
} from './excluded.ts';
export { NOTE_REASONS, type Note, type NoteReason } from './note.ts';
export type { Notes, WithNotes } from './records.ts';

const plugin: Plugin<unknown, Notes> = {
  name: 'notes',
  about: 'Notes about a time, and time that does not count',
  tablePrefix: 'note',
  async register(host) {
    const notes = new NoteRecords(await host.tables([NOTE_VERSIONS], noteMigrations), host.clock);
    await notes.load();
    host.onStop(() => notes.close());
    addNoteRoutes(host, notes);
    return notes;
  },
};
export default plugin;
