/** Notes at their most, on a real database. */
import t, { type Test } from 'tap';
import { NOTE_VERSIONS, type Note, type NoteBody, noteMigrations } from '../../plugins/notes/note.ts';
import { MOST_NOTES, MOST_OF_ALL, MOST_VERSIONS, NoteRecords } from '../../plugins/notes/records.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { folder } from '../store/setup.ts';

const HOUR = 3_600_000;
const body: NoteBody = {
  from: 0,
  to: 1,
  kind: 'note',
  reason: 'other',
  text: '',
  channels: null,
  observed: false,
};
const row = (id: number, unitId: string, from: number): Note => {
  const version = { id, unitId, version: 1, by: 'x', changedAt: 0, createdAt: 0, removed: false };
  return { ...body, from, to: from + 1, kind: 'exclusion', ...version };
};

async function opened(t: Test, rows: readonly Note[] = []): Promise<NoteRecords> {
  const tables = await (await folder(t).open()).tables('note', [NOTE_VERSIONS], noteMigrations);
  await tables.write((own) => own.add(NOTE_VERSIONS, rows));
  const notes = new NoteRecords(tables, new VirtualClock(0));
  await notes.load();
  return notes;
}

t.test('a unit at its most notes: one more is refused, and its excluded time is there', async (t) => {
  const rows = Array.from({ length: MOST_NOTES }, (_, index) => row(index + 1, 'roof', index * HOUR));
  const notes = await opened(t, rows);
  await t.rejects(notes.add('roof', body, 'x'), { code: 'INVALID', message: /10000 notes of roof/ });
  await notes.add('yard', body, 'x');
  const { ranges } = notes.excluded('roof', { from: 0, to: MOST_NOTES * HOUR });
  t.equal(ranges.length, MOST_NOTES);
  t.strictSame(ranges[1], { from: 3_600, to: 3_601 });
});

t.test('with 50,000 notes of all units one more is refused', async (t) => {
  const rows = Array.from({ length: MOST_OF_ALL }, (_, index) => row(index + 1, `u${index % 10}`, index * HOUR));
  const notes = await opened(t, rows);
  t.equal(notes.list('u3').length, MOST_OF_ALL / 10);
  await t.rejects(notes.add('yard', body, 'x'), { code: 'INVALID', message: /50000 notes/ });
});

t.test('a note at its most versions can be removed, and not changed any more', async (t) => {
  const notes = await opened(t);
  await notes.add('roof', body, 'x');
  for (let version = 2; version <= MOST_VERSIONS; version++)
    await notes.change(1, { ...body, text: `${version}` }, 'x');
  await t.rejects(notes.change(1, body, 'x'), { code: 'INVALID', message: /100 versions/ });
  t.match(await notes.remove(1, 'x'), { removed: true });
  t.equal((await notes.versions([1])).length, MOST_VERSIONS + 1);
});

t.test('two equal exclusions at one moment: the second is refused', async (t) => {
  const notes = await opened(t);
  const exclusion: NoteBody = { ...body, kind: 'exclusion' };
  const made = await Promise.allSettled([notes.add('roof', exclusion, 'a'), notes.add('roof', exclusion, 'b')]);
  t.strictSame(
    made.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
});
