/** The routes of notes and exclusions. */
import {
  type DeviceConfig,
  GatewayError,
  type Host,
  type Identity,
  invalid,
  json,
  momentOf,
  NEXT,
  openSpanOf,
  pageOf,
  reaches,
  settable,
} from '../../lib/index.ts';
import type { Note, NoteBody, Notes } from './contract.ts';
import {
  ALL_NOTES_QUERY,
  CHANGED_NOTE,
  FIXED,
  NEW_NOTE,
  NOTE,
  NOTE_ID,
  NOTES_QUERY,
  type NoteInput,
  type NotesQuery,
  shownNote,
} from './schemas.ts';

/** The clocks of two computers may differ by this much; a later time is in the future, ms. */
const CLOCKS_MS = 60_000;

/** The most notes of a page that has all their versions. */
const WITH_VERSIONS = 50;

export function addNoteRoutes(host: Host, notes: Notes): void {
  addLists(host, notes);
  addCreation(host, notes);
  addChanges(host, notes);
}

function addLists(host: Host, notes: Notes): void {
  const list = { access: 'viewer', answer: { data: { type: 'array', items: NOTE }, next: NEXT }, etag: true } as const;
  host.route<unknown, NotesQuery>({
    ...list,
    method: 'GET',
    path: '/{unit_id}/notes',
    operation: 'listNotes',
    summary: 'List the notes and exclusions of a unit, the newest first',
    query: NOTES_QUERY,
    errors: ['UNIT_NOT_FOUND'],
    async handle({ unitId, query }) {
      host.configs.of(unitId);
      return pageOfNotes(notes, query, unitId);
    },
  });
  host.route<unknown, NotesQuery>({
    ...list,
    method: 'GET',
    path: '/_notes',
    operation: 'listAllNotes',
    filtersUnits: true,
    summary: 'List the notes and exclusions of all units, the newest first',
    description: 'Of the units that the API key may see.',
    query: ALL_NOTES_QUERY,
    errors: [],
    handle: ({ query, identity }) => pageOfNotes(notes, query, query.unit, identity),
  });
}

async function pageOfNotes(notes: Notes, query: NotesQuery, unitId: string | undefined, identity?: Identity) {
  const { kind, reason, limit, cursor, versions } = query;
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = openSpanOf(query);
  const before = cursor === undefined ? Number.POSITIVE_INFINITY : Number(cursor);
  const wanted = notes
    .list(unitId, { removed: versions })
    .filter(
      (note) =>
        note.id < before &&
        (!identity || reaches(identity, note.unitId)) &&
        (kind === undefined || note.kind === kind) &&
        (reason === undefined || note.reason === reason) &&
        note.from < to &&
        (note.to ?? Number.POSITIVE_INFINITY) > from,
    );
  const { page, next } = pageOf(wanted, versions ? Math.min(limit, WITH_VERSIONS) : limit, ({ id }) => id);
  const ids = page.map(({ id }) => id);
  const byId = versions ? Map.groupBy(await notes.versions(ids), ({ id }) => id) : undefined;
  return { data: page.map((note) => shownNote(note, byId?.get(note.id) ?? null)), next };
}

const ANSWER = { message: { type: 'string' }, data: NOTE } as const;

function addCreation(host: Host, notes: Notes): void {
  host.route<NoteInput, unknown>({
    method: 'POST',
    path: '/{unit_id}/notes',
    access: 'operator',
    operation: 'createNote',
    summary: 'Write a note, or exclude a time',
    description:
      'The levels of an exclusion stay in the history and do not count in indices and reports. Without `to` it goes on until a PUT gives it an end.',
    body: NEW_NOTE,
    answer: ANSWER,
    statuses: [201],
    errors: ['UNIT_NOT_FOUND'],
    async handle({ unitId, body, identity }) {
      const now = host.clock.now();
      const about = { kind: 'note', reason: 'other', text: '', channels: null, observed: false } as const;
      const fresh: NoteBody = { from: now, to: null, ...about };
      const checked = checkedBody(host.configs.of(unitId), host, fresh, body);
      const note = await notes.add(unitId, checked, identity.name);
      const message = `${titled(note)} is written.`;
      return json({ message, data: shownNote(note) }, { status: 201, location: `/${unitId}/notes/${note.id}` });
    },
  });
}

function addChanges(host: Host, notes: Notes): void {
  host.route<NoteInput, unknown>({
    method: 'PUT',
    path: '/{unit_id}/notes/{id}',
    params: NOTE_ID,
    access: 'operator',
    summary: 'Change a note or an exclusion',
    description: 'An absent field does not change. The change is a new version; `versions=true` of the list shows all.',
    body: CHANGED_NOTE,
    answer: ANSWER,
    errors: ['UNIT_NOT_FOUND', 'NOTE_NOT_FOUND'],
    async handle({ unitId, params, body, identity, before }) {
      const present = found(host, notes, unitId, params.id);
      before(shownNote(present));
      const given = settable(body, FIXED, String(present.id));
      const checked = checkedBody(host.configs.of(unitId), host, present, given);
      const note = await notes.change(present.id, checked, identity.name);
      return { message: `${titled(note)} is changed.`, data: shownNote(note) };
    },
  });
  host.route({
    method: 'DELETE',
    path: '/{unit_id}/notes/{id}',
    params: NOTE_ID,
    access: 'operator',
    summary: 'Remove a note or an exclusion',
    description: 'Its levels count again. All its versions stay and are shown with `versions=true`.',
    answer: ANSWER,
    errors: ['UNIT_NOT_FOUND', 'NOTE_NOT_FOUND'],
    async handle({ unitId, params, identity, before }) {
      const present = found(host, notes, unitId, params.id);
      before(shownNote(present));
      const note = await notes.remove(present.id, identity.name);
      return { message: `${titled(note)} is removed.`, data: shownNote(note) };
    },
  });
}

const titled = ({ id, kind }: Note): string => `The ${kind} ${id}`;

/** Errors: UNIT_NOT_FOUND, NOTE_NOT_FOUND, also for a note of another unit. */
function found(host: Host, notes: Notes, unitId: string, id: string | undefined): Note {
  host.configs.of(unitId);
  const note = notes.find(Number(id));
  if (note?.unitId !== unitId) throw new GatewayError('NOTE_NOT_FOUND', `There is no note ${id} of ${unitId}.`);
  return note;
}

/** `present` with the given fields. Errors: INVALID. */
function checkedBody(config: DeviceConfig, { clock, families }: Host, present: NoteBody, given: NoteInput): NoteBody {
  const { from, to, ...rest } = given;
  const body: NoteBody = {
    kind: present.kind,
    reason: present.reason,
    text: present.text,
    channels: present.channels,
    observed: present.observed,
    ...rest,
    from: from === undefined ? present.from : momentOf(from, '/from'),
    to: to === undefined ? present.to : to === null ? null : momentOf(to, '/to'),
  };
  const latest = clock.now() + CLOCKS_MS;
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
