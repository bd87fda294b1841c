/** A database that does not answer a change: it may have stored it, and who looks has to find it. */
import t, { type Test } from 'tap';
import { NOTE_VERSIONS, type NoteBody, noteMigrations } from '../../plugins/notes/note.ts';
import { NoteRecords } from '../../plugins/notes/records.ts';
import { folder, until } from '../store/setup.ts';
import { unanswered } from '../support/unanswered.ts';

const body: NoteBody = {
  from: 0,
  to: 1,
  kind: 'note',
  reason: 'other',
  text: '',
  channels: null,
  observed: false,
};

async function open(t: Test) {
  const { clock, open: openStore } = folder(t);
  const real = await (await openStore()).tables('note', [NOTE_VERSIONS], noteMigrations);
  const { tables, state } = unanswered(real);
  const notes = new NoteRecords(tables, clock);
  await notes.load();
  t.teardown(() => notes.close());
  const texts = () => notes.list('roof').map(({ text }) => text);
  return { clock, state, notes, texts };
}

t.test(
  'a note that was stored without an answer is found when the database answers, and others can be made',
  async (t) => {
    const { clock, state, notes, texts } = await open(t);
    await notes.add('roof', { ...body, text: 'one' }, 'x');
    state.answers = false;
    await t.rejects(notes.add('roof', { ...body, text: 'two' }, 'x'), { code: 'STORAGE_FAILED' });
    await t.rejects(notes.add('roof', { ...body, text: 'three' }, 'x'), { code: 'STORAGE_FAILED' });
    await clock.advance(60_000);
    t.strictSame(texts(), ['one']);
    state.answers = true;
    await clock.advance(5_000);
    await until(() => texts().length > 1);
    t.strictSame(texts(), ['two', 'one'], 'who looks sees it');
    await notes.add('roof', { ...body, text: 'four' }, 'x');
    t.match(notes.list('roof'), [{ id: 3, text: 'four' }, { id: 2 }, { id: 1 }]);
  },
);

t.test('the next change looks first; a change of a note and a removal are found, too', async (t) => {
  const { state, notes, texts } = await open(t);
  for (const text of ['one', 'two']) await notes.add('roof', { ...body, text }, 'x');
  state.answers = false;
  await t.rejects(notes.change(1, { ...body, text: 'changed' }, 'x'), { code: 'STORAGE_FAILED' });
  state.answers = true;
  t.match(await notes.change(1, { ...body, text: 'again' }, 'x'), { version: 3 });
  state.answers = false;
  await t.rejects(notes.remove(2, 'x'), { code: 'STORAGE_FAILED' });
  state.answers = true;
  await t.rejects(notes.remove(2, 'x'), { code: 'NOTE_NOT_FOUND' });
  t.strictSame(texts(), ['again']);
});

t.test('a note that was not stored is not there, and its number is free', async (t) => {
  const { state, notes } = await open(t);
  state.answers = state.stores = false;
  await t.rejects(notes.add('roof', body, 'x'), { code: 'STORAGE_FAILED' });
  state.answers = state.stores = true;
  t.match(await notes.add('roof', body, 'x'), { id: 1 });
});

t.test('after its end nothing is looked up', async (t) => {
  const { clock, state, notes } = await open(t);
  const { pending } = clock;
  state.answers = false;
  await t.rejects(notes.add('roof', body, 'x'), { code: 'STORAGE_FAILED' });
  t.equal(clock.pending, pending + 1);
  notes.close();
  t.equal(clock.pending, pending);
  await t.rejects(notes.add('roof', body, 'x'), { code: 'STORAGE_FAILED' });
  t.equal(clock.pending, pending);
});
