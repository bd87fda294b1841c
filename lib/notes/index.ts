/** The notes: read from memory, on the disk before memory shows a change. */
import { GatewayError, type InputError } from '../errors.ts';
import type { Range } from '../history/contract.ts';
import type { Tables } from '../store/contract.ts';
import type { ExcludedTime, Note, NoteBody, Notes } from './contract.ts';
import { excludedTime } from './excluded.ts';
import { NOTE_VERSIONS, noteOf, rowOf } from './table.ts';

export { NOTE_VERSIONS, noteMigrations } from './table.ts';

/** Most notes of a unit, also removed ones: twice a day for fourteen years. They are in memory. */
export const MOST_NOTES = 10_000;
/** Of all units together. */
export const MOST_OF_ALL = 50_000;
/** Most versions of one note. */
export const MOST_VERSIONS = 100;

/** Notes and their versions on these tables. */
export async function openNotes(tables: Tables, now: () => number): Promise<Notes> {
  const notes = new StoredNotes(tables, now);
  await notes.load();
  return notes;
}

class StoredNotes implements Notes {
  readonly #tables: Tables;
  readonly #now: () => number;
  /** The present versions, also of notes that were removed. */
  readonly #notes = new Map<number, Note>();
  readonly #ofUnit = new Map<string, Map<number, Note>>();
  #last = 0;
  /** Changes come one after the other: each is checked against what the one before has left. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(tables: Tables, now: () => number) {
    this.#tables = tables;
    this.#now = now;
  }

  async load(): Promise<void> {
    const order = { id: 'asc', version: 'asc' } as const;
    for (const row of await this.#tables.read((rows) => rows.find(NOTE_VERSIONS, { order }))) this.#take(noteOf(row));
  }

  list(unitId?: string, { removed = false } = {}): readonly Note[] {
    const all = unitId === undefined ? this.#notes : (this.#ofUnit.get(unitId) ?? new Map<number, Note>());
    return [...all.values()].filter((note) => removed || !note.removed).reverse();
  }

  find(id: number): Note | undefined {
    const note = this.#notes.get(id);
    return note?.removed ? undefined : note;
  }

  async versions(ids: readonly number[]): Promise<readonly Note[]> {
    if (ids.length === 0) return [];
    const order = { id: 'desc', version: 'asc' } as const;
    return (await this.#tables.read((rows) => rows.find(NOTE_VERSIONS, { where: { id: ids }, order }))).map(noteOf);
  }

  add(unitId: string, body: NoteBody, by: string): Promise<Note> {
    return this.#inTurn(async () => {
      const own = this.#ofUnit.get(unitId)?.size ?? 0;
      if (this.#notes.size >= MOST_OF_ALL) throw wrong('', `there are ${MOST_OF_ALL} notes, which is the limit`);
      if (own >= MOST_NOTES) throw wrong('', `there are ${MOST_NOTES} notes of ${unitId}, which is the limit`);
      refuseNeedless(body, this.list(unitId));
      const at = this.#now();
      const id = this.#last + 1;
      const note: Note = { ...body, id, unitId, version: 1, by, changedAt: at, createdAt: at, removed: false };
      return this.#keep(note);
    });
  }

  change(id: number, body: NoteBody, by: string): Promise<Note> {
    return this.#inTurn(async () => {
      const present = this.#present(id);
      const others = this.list(present.unitId).filter((other) => other.id !== id);
      refuseNeedless(body, others);
      return this.#keep(this.#next(present, { ...body, by }));
    });
  }

  remove(id: number, by: string): Promise<Note> {
    return this.#inTurn(async () => this.#keep(this.#next(this.#present(id), { by, removed: true })));
  }

  excluded(unitId: string, span: Range): ExcludedTime {
    return excludedTime(this.list(unitId), span);
  }

  #present(id: number): Note {
    const note = this.find(id);
    if (!note) throw new GatewayError('NOTE_NOT_FOUND', `There is no note ${id}.`);
    return note;
  }

  #next(present: Note, changes: Partial<Note>): Note {
    if (present.version >= MOST_VERSIONS && !changes.removed)
      throw wrong('', `the note ${present.id} has ${MOST_VERSIONS} versions, which is the limit: make a new one`);
    return { ...present, ...changes, version: present.version + 1, changedAt: this.#now() };
  }

  async #keep(note: Note): Promise<Note> {
    await this.#tables.write((rows) => rows.add(NOTE_VERSIONS, [rowOf(note)]));
    return this.#take(Object.freeze(note));
  }

  #take(note: Note): Note {
    this.#last = Math.max(this.#last, note.id);
    this.#notes.set(note.id, note);
    const own = this.#ofUnit.get(note.unitId) ?? new Map<number, Note>();
    this.#ofUnit.set(note.unitId, own.set(note.id, note));
    return note;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work, work);
    this.#turn = done.catch(() => {});
    return done;
  }
}

/**
 * Exclusions may overlap where their reasons differ: rain and wind come together. One of the same reason is sent twice by mistake.
 * Errors: INVALID.
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
  if (same) throw wrong('/from', `the exclusion ${same.id} has the same reason and some of this time: change that one`);
}

function wrong(path: string, message: string): GatewayError {
  const errors: InputError[] = [{ path, message }];
  return new GatewayError('INVALID', `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`, { errors });
}
