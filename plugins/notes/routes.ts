/** The routes of notes and exclusions. */
import {
  CLOCKS_DIFFER_MS,
  invalid,
  MOMENT,
  momentOf,
  openSpanOf,
  PLAIN_LINES,
  type VersionedThings,
  versionedSchema,
} from '../../lib/built-in.ts';
import { addVersionedRoutes, type DeviceConfig, type Host, type Schema } from '../../lib/index.ts';
import { CHANNELS_OR_ALL, KIND, NOTE_VERSIONS, type Note, type NoteBody, REASON } from './note.ts';
import type { NoteRecords } from './records.ts';

/** A request: absent fields do not change. */
type NoteInput = Partial<
  Omit<NoteBody, 'from' | 'to' | 'observed'> & { readonly from: string; readonly to: string | null }
>;
const GIVEN: Readonly<Record<keyof NoteInput, Schema>> = {
  from: { ...MOMENT, description: `${MOMENT.description}; default: now` },
  to: { ...MOMENT, type: ['string', 'null'], description: `${MOMENT.description}; null: it goes on until you end it` },
  kind: KIND,
  reason: REASON,
  text: {
    type: 'string',
    maxLength: 2_000,
    pattern: PLAIN_LINES,
    description:
      'text of up to 2,000 characters, without control characters and marks that turn the direction of letters',
  },
  channels: CHANNELS_OR_ALL,
};

type NoteFilters = Partial<Pick<NoteBody, 'kind' | 'reason'> & { readonly from: string; readonly to: string }>;
const FILTERS: Readonly<Record<keyof NoteFilters, Schema>> = {
  from: { ...MOMENT, description: `only notes that end later: ${MOMENT.description}` },
  to: { ...MOMENT, description: `only notes that begin earlier: ${MOMENT.description}` },
  kind: KIND,
  reason: REASON,
};

const WORDS = {
  list: { operation: 'listNotes', summary: 'List the notes and exclusions of a unit, the newest first' },
  listAll: {
    operation: 'listAllNotes',
    summary: 'List the notes and exclusions of all units, the newest first',
    description: 'Of the units that the API key may see.',
  },
  create: {
    operation: 'createNote',
    summary: 'Write a note, or exclude a time',
    description:
      'The levels of an exclusion stay in the history and do not count in indices and reports. Without `to` it goes on until a PUT gives it an end.',
  },
  change: {
    summary: 'Change a note or an exclusion',
    description: 'An absent field does not change. The change is a new version; `versions=true` of the list shows all.',
  },
  remove: {
    summary: 'Remove a note or an exclusion',
    description: 'Its levels count again. All its versions stay and are shown with `versions=true`.',
  },
};

export function addNoteRoutes(host: Host, records: NoteRecords): void {
  addVersionedRoutes(host, {
    records,
    path: 'notes',
    noun: 'note',
    notFound: 'NOTE_NOT_FOUND',
    fields: NOTE_VERSIONS.fields,
    schema: versionedSchema('Note', NOTE_VERSIONS.fields),
    given: GIVEN,
    required: ['kind'],
    examples: {
      create: {
        from: '2026-11-21T10:00:00Z',
        to: '2026-11-21T11:30:00Z',
        kind: 'exclusion',
        reason: 'own_noise',
        text: 'We cut the hedge.',
      },
      change: { to: '2026-11-21T12:00:00Z' },
    },
    filters: FILTERS,
    filtered(notes, query) {
      const { kind, reason } = query;
      const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = openSpanOf(query);
      return notes.filter(
        (note) =>
          (kind === undefined || note.kind === kind) &&
          (reason === undefined || note.reason === reason) &&
          note.from < to &&
          (note.to ?? Number.POSITIVE_INFINITY) > from,
      );
    },
    contentOf(given, present, { config }) {
      const about = { kind: 'note', reason: 'other', text: '', channels: null, observed: false } as const;
      return checkedBody(config, host, present ?? { from: host.clock.now(), to: null, ...about }, given);
    },
    titleOf: ({ id, kind }) => `The ${kind} ${id}`,
    made: 'written',
    words: WORDS,
  } satisfies VersionedThings<Note, NoteInput, NoteFilters>);
}

/** `present` with the given fields. Errors: INVALID. */
function checkedBody(config: DeviceConfig, { clock, families }: Host, present: NoteBody, given: NoteInput): NoteBody {
  const { from, to, ...rest } = given;
  const body: NoteBody = {
    ...present,
    ...rest,
    from: from === undefined ? present.from : momentOf(from, '/from'),
    to: to === undefined ? present.to : to === null ? null : momentOf(to, '/to'),
  };
  const latest = clock.now() + CLOCKS_DIFFER_MS;
  if (body.from < 0) throw invalid([{ path: '/from', message: 'must not be before 1970' }]);
  if (body.from > latest) throw invalid([{ path: '/from', message: 'must not be in the future' }]);
  if (body.to !== null && body.to <= body.from) throw invalid([{ path: '/to', message: 'must be later than from' }]);
  if (body.to !== null && body.to > latest)
    throw invalid([{ path: '/to', message: 'must not be in the future: null goes on until you end it' }]);
  const known = families.get(config.family).channels.map((name) => name.toLowerCase());
  const unknown = body.channels?.findIndex((name) => !known.includes(name)) ?? -1;
  if (unknown >= 0)
    throw invalid([
      { path: `/channels/${unknown}`, message: `is no channel of this meter; it has ${known.join(', ')}` },
    ]);
  return body;
}
