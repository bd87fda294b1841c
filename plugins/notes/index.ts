/**
 * Notes and exclusions: knowledge of people about a time. Nothing is deleted; each change is a new version. Other
 * plugins use the notes, and leave excluded time out of their figures.
 */
import type { Plugin } from '../../lib/index.ts';
import type { Notes } from './contract.ts';
import { NOTE_VERSIONS, noteMigrations, openNotes } from './records.ts';
import { addNoteRoutes } from './routes.ts';

export {
  type AskedExclusions,
  type ExcludedTime,
  NOTE_REASONS,
  type Note,
  type NoteReason,
  type Notes,
  type WithNotes,
} from './contract.ts';
export {
  CUT_MINUTES,
  type ExcludingRow,
  edgeOf,
  excludedColumn,
  excludedSeconds,
  excludingColumns,
  NOTHING_EXCLUDED,
  queryExcluding,
  unionOf,
} from './excluded.ts';
export { EDGE, exclusionsSchema } from './schemas.ts';

const plugin: Plugin<unknown, Notes> = {
  name: 'notes',
  about: 'Notes about a time, and time that does not count',
  tablePrefix: 'note',
  async register(host) {
    const notes = await openNotes(await host.tables([NOTE_VERSIONS], noteMigrations), host.clock);
    host.onStop(() => notes.close());
    addNoteRoutes(host, notes);
    return notes;
  },
};
export default plugin;
