/** A day is sealed once: the audit log and the list of seals agree, also while the database or the disk takes nothing. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import t, { type Test } from 'tap';
import type { Host } from '../../lib/plugin/contract.ts';
import { DAY_SEALS, DaySealer, sealMigrations } from '../../plugins/evidence/seals/sealer.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { entry, place } from '../audit/place.ts';
import { config, folder, until } from '../store/setup.ts';
import { standIn } from '../support/stand-in.ts';
import { changed } from '../support/unanswered.ts';

const DAY_MS = 86_400_000;
const [FIRST_LOOK_MS, LOOK_MS] = [60_000, 300_000];

/** A unit with levels of yesterday, two hours after midnight. */
async function opened(t: Test) {
  const { open, log } = folder(t);
  // Of the sealer alone: it sleeps where a timer waits.
  const clock = new VirtualClock();
  const real = await (await open()).tables('evidence', [DAY_SEALS], sealMigrations);
  const state = { answers: true, stores: true };
  const at = place(t);
  const audit = await at.open();
  let levels = 'one';
  let isEmpty = false;
  let isRemoved = false;
  const today = Math.floor(clock.now() / DAY_MS) * DAY_MS;
  const heard = new Map<string, (event: object) => void>();
  const on = (kind: string, listener: (event: object) => void) => {
    heard.set(kind, listener);
    return () => {};
  };
  const list = () => (isRemoved ? [] : [config('roof', { timezone: 'UTC' })]);
  const host = standIn<Host>({
    clock,
    log,
    audit,
    on: on as Host['on'],
    configs: { list },
    history: {
      extent: async () =>
        isEmpty ? { first: null, last: null } : { first: (today - DAY_MS) / 1_000, last: today / 1_000 - 1 },
      query: async () => ({ digest: levels, otherWeightings: [], rows: (async function* () {})() }),
    },
    stored: {
      async *lines({ kind }) {
        if (kind === 'minutes') yield [levels];
      },
    },
  });
  const ending = new AbortController();
  const tables = { read: real.read.bind(real), write: (work) => changed(state, () => real.write(work)) } as typeof real;
  const running = new DaySealer(host, tables).run(ending.signal);
  t.teardown(async () => {
    ending.abort();
    await running;
  });
  const looks = async (ms = LOOK_MS) => {
    await clock.advance(ms);
    await until(() => clock.pending === 1);
  };
  const change = (text: string) => {
    levels = text;
    heard.get('job')?.({ unitId: 'roof', data: { state: 'done' } });
  };
  const empty = (is: boolean) => {
    isEmpty = is;
  };
  const remove = () => {
    isRemoved = true;
    heard.get('removal')?.({ unitId: 'roof' });
  };
  /** The versions in the list of seals, and the same from the audit log, the records included. */
  const seals = async () => {
    const rows = await real.read((kept) => kept.find(DAY_SEALS, { order: { version: 'asc' } }));
    const records = (await audit.read({ limit: 100, units: null })).filter(({ kind }) => kind === 'seal').toReversed();
    return {
      listed: rows.map(({ version, root, record }) => `${version} ${root} ${record.hash}`),
      recorded: records.map(({ version, root, hash }) => `${version} ${root} ${hash}`),
    };
  };
  /** Both say the same of so many versions. */
  const agree = async (versions: number) => {
    const { listed, recorded } = await seals();
    t.strictSame(recorded, listed);
    t.equal(listed.length, versions);
  };
  return { at, audit, state, looks, change, empty, remove, agree };
}

for (const stores of [true, false]) {
  const how = stores ? 'stored without an answer' : 'not stored';

  t.test(`a seal that was ${how}`, async (t) => {
    const { state, looks, change, agree } = await opened(t);
    Object.assign(state, { answers: false, stores });
    await looks(FIRST_LOOK_MS);
    await looks();

    await t.test('is listed when the database answers, with its one record', async () => {
      state.answers = state.stores = true;
      await looks();
      await agree(1);
      await looks();
      await agree(1);
    });

    await t.test('and so is the next version, which comes after levels have changed', async () => {
      change('two');
      Object.assign(state, { answers: false, stores });
      await looks();
      state.answers = state.stores = true;
      await looks();
      await agree(2);
    });

    await t.test('levels that change meanwhile are one more version', async () => {
      change('three');
      Object.assign(state, { answers: false, stores });
      await looks();
      change('four');
      state.answers = state.stores = true;
      await looks();
      await looks();
      await agree(4);
    });
  });
}

t.test(
  'a seal that the audit log has is listed also where its unit was removed before the database took it',
  async (t) => {
    const { state, looks, remove, agree } = await opened(t);
    Object.assign(state, { answers: false, stores: false });
    await looks(FIRST_LOOK_MS);
    remove();
    await looks();
    state.answers = state.stores = true;
    await looks();
    await agree(1);
  },
);

t.test('a seal that waits for the disk of the audit log is recorded once, and listed when it is', async (t) => {
  const { at, audit, looks, change, agree } = await opened(t);
  await audit.add(entry());
  const file = await at.file();
  // A folder in place of the file: every write to it fails.
  const text = await readFile(file, 'utf8');
  await rm(file);
  await mkdir(file);
  await looks(FIRST_LOOK_MS);
  await looks();
  change('two');
  await looks();
  await rm(file, { recursive: true });
  await writeFile(file, text);
  await at.clock.advance(5_000);
  await looks();
  await looks();
  await agree(2);
});

t.test('a day that had no levels when it was over, and gets them later, is sealed', async (t) => {
  const { looks, change, empty, agree } = await opened(t);
  empty(true);
  await looks(FIRST_LOOK_MS);
  await agree(0);
  empty(false);
  change('one');
  await looks();
  await agree(1);
  await looks();
  await agree(1);
});
