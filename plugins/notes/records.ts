/** The notes of all units, and the time that they exclude. Notes of a removed unit stay, like its levels. */
import { MAIN_CHANNEL } from '../../lib/built-in.ts';
import { type Clock, type Range, refused, type Tables, VersionedRecords } from '../../lib/index.ts';
import { type ExcludedTime, Exclusions } from './excluded.ts';
import { NOTE_VERSIONS, type Note, type NoteBody } from './note.ts';

/** Most notes of a unit, with removed ones: twice a day for fourteen years. They are in memory. */
export const MOST_NOTES = 10_000;
export const MOST_OF_ALL = 50_000;
export const MOST_VERSIONS = 100;

export class NoteRecords extends VersionedRecords<Note> {
  constructor(tables: Tables, clock: Pick<Clock, 'now' | 'after'>) {
    super(tables, clock, {
      table: NOTE_VERSIONS,
      noun: 'note',
      notFound: 'NOTE_NOT_FOUND',
      most: { ofUnit: MOST_NOTES, ofAll: MOST_OF_ALL, versions: MOST_VERSIONS },
      check: refuseNeedless,
    });
  }

  /**
   * Excluded time of a channel (default: the main channel), in a span (ms since 1970 UTC, widened to full seconds). An
   * exclusion without an end reaches to the end of the span.
   */
  excluded(unitId: string, span: Range, channel?: string | null): ExcludedTime {
    return exclusionsOf(this.list(unitId), channel ?? MAIN_CHANNEL).within(span);
  }
}

export type Notes = Pick<NoteRecords, 'list' | 'find' | 'versions' | 'add' | 'change' | 'remove' | 'excluded'>;

export interface WithNotes {
  readonly notes: Notes;
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
