/** Notes in requests and answers. */
import {
  iso,
  listQuery,
  MOMENT,
  named,
  orNull,
  type PageQuery,
  readOnly,
  type Schema,
  TIME,
  TIME_OR_NULL,
  UNIT_ID,
} from '../../lib/index.ts';
import {
  type AskedExclusions,
  NOTE_KINDS,
  NOTE_REASONS,
  type Note,
  type NoteKind,
  type NoteReason,
} from './contract.ts';

/** A note on a path. */
export const NOTE_ID: Readonly<Record<string, Schema>> = {
  id: { type: 'string', pattern: '^[1-9][0-9]{0,14}$', description: 'the id of a note' },
};

/** Lines of text without other control characters, and without marks that change the direction of letters. */
const LINES = '^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$';

const KIND: Schema = {
  type: 'string',
  enum: NOTE_KINDS,
  description: 'note: explains a time; exclusion: the levels of this time do not count.',
};
const REASON: Schema = {
  type: 'string',
  enum: NOTE_REASONS,
  description: 'own_noise: of the people who measure; intrusion: somebody at the microphone.',
};
const TEXT: Schema = {
  type: 'string',
  maxLength: 2_000,
  pattern: LINES,
  description:
    'text of up to 2,000 characters, without control characters and marks that turn the direction of letters',
};
const CHANNELS: Schema = {
  type: ['array', 'null'],
  minItems: 1,
  maxItems: 8,
  uniqueItems: true,
  items: { type: 'string', pattern: '^[a-z][a-z0-9]{0,15}$' },
  description: 'channels of the meter in small letters, such as main or sub1; null: all',
};

/** Fields that GET shows and nobody can set. */
export const FIXED = ['id', 'unit_id', 'version', 'by', 'created_at', 'changed_at', 'removed', 'observed', 'versions'];

const FIELDS: Readonly<Record<string, Schema>> = {
  from: { ...MOMENT, description: `${MOMENT.description}; default: now` },
  to: { ...MOMENT, type: ['string', 'null'], description: `${MOMENT.description}; null: it goes on until you end it` },
  kind: KIND,
  reason: REASON,
  text: TEXT,
  channels: CHANNELS,
};

/** The body for a new note. */
export const NEW_NOTE: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['kind'],
  properties: FIELDS,
  example: {
    from: '2026-11-21T10:00:00Z',
    to: '2026-11-21T11:30:00Z',
    kind: 'exclusion',
    reason: 'own_noise',
    text: 'We cut the hedge.',
  },
};
/** The body for a change: an absent field does not change. */
export const CHANGED_NOTE: Schema = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: { ...FIELDS, ...readOnly(FIXED) },
  example: { to: '2026-11-21T12:00:00Z' },
};

export interface NoteInput {
  readonly from?: string;
  readonly to?: string | null;
  readonly kind?: NoteKind;
  readonly reason?: NoteReason;
  readonly text?: string;
  readonly channels?: readonly string[] | null;
}

const VERSION: Readonly<Record<string, Schema>> = {
  version: { type: 'integer', description: '1, 2, 3 ...: each change makes a new one.' },
  by: { type: 'string', description: 'Who made this version.' },
  changed_at: TIME,
  removed: { type: 'boolean' },
  from: TIME,
  to: TIME_OR_NULL,
  kind: KIND,
  reason: REASON,
  text: { type: 'string' },
  channels: CHANNELS,
  observed: {
    type: 'boolean',
    description: 'It comes from observations of stations: a rule wrote it, or a person accepted its proposal.',
  },
};

/** A note in answers. */
export const NOTE: Schema = named('Note', {
  id: { type: 'string' },
  unit_id: { type: 'string' },
  created_at: TIME,
  ...VERSION,
  versions: orNull({
    type: 'array',
    items: named('NoteVersion', VERSION),
    description: 'All versions, the oldest first. Only with versions=true.',
  }),
});

/** The filters of a list. */
export interface NotesQuery extends PageQuery {
  readonly from?: string;
  readonly to?: string;
  readonly kind?: NoteKind;
  readonly reason?: NoteReason;
  readonly unit?: string;
  readonly versions: boolean;
}

const FILTERS: Readonly<Record<string, Schema>> = {
  from: { ...MOMENT, description: `only notes that end later: ${MOMENT.description}` },
  to: { ...MOMENT, description: `only notes that begin earlier: ${MOMENT.description}` },
  kind: KIND,
  reason: REASON,
  versions: {
    type: 'boolean',
    default: false,
    description: 'Also notes that were removed, and all versions of each; at most 50 notes a page.',
  },
};
export const NOTES_QUERY = listQuery(FILTERS);
export const ALL_NOTES_QUERY = listQuery({ ...FILTERS, unit: { type: 'string', pattern: UNIT_ID } });

const shownVersion = ({ version, by, changedAt, removed, from, to, ...rest }: Note) => ({
  version,
  by,
  changed_at: iso(changedAt),
  removed,
  from: iso(from),
  to: iso(to),
  kind: rest.kind,
  reason: rest.reason,
  text: rest.text,
  channels: rest.channels,
  observed: rest.observed,
});

/** `versions`: all versions, if the caller wants them. */
export const shownNote = (note: Note, versions: readonly Note[] | null = null) => ({
  id: String(note.id),
  unit_id: note.unitId,
  created_at: iso(note.createdAt),
  ...shownVersion(note),
  versions: versions?.map(shownVersion) ?? null,
});

/** Query parameter: whether exclusions count. `usual`: the default. */
export const exclusionsSchema = (usual: AskedExclusions['exclusions']): Schema => ({
  type: 'string',
  enum: ['apply', 'ignore'],
  default: usual,
  description: 'apply: excluded time (POST notes) counts as not measured; ignore: it counts like any other.',
});

/** In answers: how exactly excluded time was left out (`edgeOf`). */
export const EDGE: Schema = Object.freeze({
  type: ['string', 'null'],
  enum: ['second', 'minute', null],
  description:
    'How exactly excluded time is left out: to the second, or as whole minutes at edges without stored seconds; null: nothing is excluded.',
});
