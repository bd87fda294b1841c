/** The log of the units: how much is kept, what a disk that fails costs, and that nobody waits for it. */
import t, { type Test } from 'tap';
import { createWireTaps } from '../../lib/events/stream.ts';
import type { Tables } from '../../lib/store/contract.ts';
import { Traces } from '../../plugins/log/trace.ts';
import { ENTRIES, type EntryFilter, LOG_MIGRATIONS, UnitLog } from '../../plugins/log/unit-log.ts';
import { folder } from '../store/setup.ts';
import { unanswered } from '../support/unanswered.ts';

async function open(t: Test, { limit = 100, keepDays = 90, mostWaiting = 10_000, fails = (): boolean => false } = {}) {
  const { clock, log, lines, open: openStore } = folder(t);
  const store = await openStore();
  const real = await store.tables('log', [ENTRIES], LOG_MIGRATIONS);
  const tables: Tables = {
    read: (work) => real.read(work),
    write: (work) => (fails() ? Promise.reject(new Error('the disk is full')) : real.write(work)),
  };
  const again = async () => {
    const unitLog = new UnitLog({ tables, clock, log, limit, keepDays, mostWaiting });
    await unitLog.load();
    return unitLog;
  };
  const unitLog = await again();
  const all = async (unitId = 'roof', filter: EntryFilter = {}) => {
    const texts: string[] = [];
    for await (const { text } of unitLog.find(unitId, filter)) texts.push(text);
    return texts;
  };
  const add = (text: string, more: object = {}, unitId = 'roof') =>
    unitLog.add(unitId, clock.now(), { kind: 'command', text, outcome: 'ok', ms: 1, ...more });
  /** Closing writes what waits. */
  return { clock, lines, unitLog, again, all, add, write: () => unitLog.close() };
}

t.test('a unit keeps the youngest entries, and routine entries push out only routine entries', async (t) => {
  const { all, add, write } = await open(t);
  add('Clock?', { outcome: 'DEVICE_TIMEOUT' });
  for (let n = 1; n <= 450; n += 1) add(`DOD? ${n}`);
  add('DOD? of another', {}, 'cellar');
  await write();
  const kept = await all();
  t.ok(kept.length > 100 && kept.length <= 301, `${kept.length} are kept`);
  t.equal(kept[0], 'DOD? 450', 'the youngest first');
  t.equal(kept.at(-1), 'Clock?');
  t.same(await all('cellar'), ['DOD? of another']);
});

t.test('entries in memory and on the disk are one log, without gaps and duplicates', async (t) => {
  const { all, add, write } = await open(t, { limit: 1_000 });
  for (let n = 1; n <= 600; n += 1) add(`${n}`);
  await write();
  for (let n = 601; n <= 650; n += 1) add(`${n}`);
  t.same(
    await all(),
    Array.from({ length: 650 }, (_, n) => `${650 - n}`),
  );
  t.same(await all('roof', { before: 3 }), ['2', '1']);
  t.same(await all('roof', { part: '64', before: 645 }), [
    '644',
    '643',
    '642',
    '641',
    '640',
    '564',
    '464',
    '364',
    '264',
    '164',
    '64',
  ]);
});

t.test('old entries go after their days', async (t) => {
  const { clock, unitLog, all, add } = await open(t, { keepDays: 1 });
  add('old');
  await clock.advance(10_000);
  await unitLog.settled();
  await clock.advance(86_400_000);
  await unitLog.settled();
  add('young');
  await clock.advance(3_600_000);
  await unitLog.settled();
  t.same(await all(), ['young']);
});

t.test('a clock that is ten years ahead for some hours takes no entry away, also over a restart', async (t) => {
  const { clock, unitLog, all, add, again } = await open(t, { keepDays: 10 });
  for (const text of ['1', '2', '3']) {
    add(text);
    await clock.advance(86_400_000);
    await unitLog.settled();
  }
  const now = clock.now.bind(clock);
  clock.now = () => now() + 3_650 * 86_400_000;
  for (const each of [unitLog, await again()]) {
    await clock.advance(3_600_000);
    await each.settled();
  }
  t.same(await all(), ['3', '2', '1']);
});

t.test(
  'a disk that takes nothing costs the oldest entries, never memory; when it writes again, the log says so',
  async (t) => {
    let broken = true;
    const { clock, lines, all, add, write } = await open(t, { limit: 1_000, mostWaiting: 500, fails: () => broken });
    for (let n = 1; n <= 550; n += 1) add(`${n}`);
    await clock.advance(60_000);
    const kept = await all();
    t.equal(kept.length, 500);
    t.equal(kept.at(-1), '51');
    broken = false;
    await write();
    t.equal((await all()).length, 500);
    t.match(lines.join(''), /cannot be written/);
    t.match(lines.join(''), /"lost":50,.*entries of the log of the units were lost/);
  },
);

t.test('a disk that fails is reported once, and tried again only each five seconds', async (t) => {
  let tries = 0;
  let isFull = true;
  const fails = () => {
    tries += 1;
    return isFull;
  };
  const { clock, lines, unitLog, all, add } = await open(t, { limit: 1_000, fails });
  for (let n = 1; n <= 300; n += 1) {
    add(`${n}`);
    await unitLog.settled();
  }
  t.equal(tries, 1);
  for (let passed = 0; passed < 20_000; passed += 5_000) {
    await clock.advance(5_000);
    await unitLog.settled();
  }
  t.equal(tries, 5);
  isFull = false;
  await clock.advance(5_000);
  await unitLog.settled();
  t.equal((await all()).length, 300, 'nothing is lost');
  const told = (words: RegExp) => lines.filter((line) => words.test(line)).length;
  t.strictSame([told(/cannot be written/), told(/can be written again/)], [1, 1]);
});

t.test('after its end it tries nothing again', async (t) => {
  let tries = 0;
  const { clock, lines, unitLog, add } = await open(t, {
    fails: () => {
      tries += 1;
      return true;
    },
  });
  add('one');
  await clock.advance(10_000);
  // An end while it writes, and the disk takes nothing.
  const before = tries;
  const writing = clock.advance(5_000);
  await Promise.all([unitLog.close(), writing]);
  const atEnd = tries;
  t.ok(before > 0 && atEnd > before, 'it has tried until then');
  t.match(lines.at(-1), /"lost":1,.*entries of the log of the units were lost/);
  await clock.advance(60_000);
  t.equal(tries, atEnd);
});

t.test('a disk that hangs keeps nobody waiting', async (t) => {
  const { clock, log, open: openStore } = folder(t);
  const real = await (await openStore()).tables('log', [ENTRIES], LOG_MIGRATIONS);
  const tables: Tables = { read: (work) => real.read(work), write: () => new Promise(() => {}) };
  const unitLog = new UnitLog({ tables, clock, log, limit: 100, keepDays: 90, mostWaiting: 1_000 });
  await unitLog.load();
  for (let n = 1; n <= 5_000; n += 1) unitLog.add('roof', clock.now(), { kind: 'command', text: `${n}` });
  const texts: string[] = [];
  for await (const { text } of unitLog.find('roof', {})) texts.push(text);
  t.same([texts.length, texts[0], texts.at(-1)], [1_000, '5000', '4001']);
});

t.test('a trace keeps the youngest lines, and only so many units are traced', async (t) => {
  const { clock } = folder(t);
  const wire = createWireTaps();
  const traces = new Traces(clock, wire);
  t.ok(traces.begin('roof', 60_000));
  for (let n = 1; n <= 12_000; n += 1) wire.of('roof')?.({ port: 'control', direction: 'received', text: `${n}` });
  const trace = traces.of('roof');
  t.match(
    [trace?.lines.length, trace?.leftOut, trace?.lines[0]?.text, trace?.lines.at(-1)?.text],
    [5_000, 7_000, '7001', '12000'],
  );
  for (let n = 2; n <= 20; n += 1) t.ok(traces.begin(`unit-${n}`, 60_000));
  t.notOk(traces.begin('one-more', 60_000));
  traces.end('roof');
  t.equal(wire.of('roof'), undefined, 'nobody listens any more');
  t.ok(traces.begin('one-more', 60_000), 'one that has ended makes room');
  traces.close();
  t.equal(wire.of('one-more'), undefined);
});

t.test('entries that a database has stored without an answer are written once more, and it goes on', async (t) => {
  const { clock, log, lines, open: openStore } = folder(t);
  const real = await (await openStore()).tables('log', [ENTRIES], LOG_MIGRATIONS);
  let answers = false;
  const tables: Tables = {
    read: (work) => real.read(work),
    write: async (work) => {
      const done = await real.write(work);
      if (!answers) throw new Error('the database did not answer');
      return done;
    },
  };
  const unitLog = new UnitLog({ tables, clock, log, limit: 100, keepDays: 90 });
  await unitLog.load();
  for (const text of ['one', 'two']) unitLog.add('roof', clock.now(), { kind: 'command', text });
  await clock.advance(5_000);
  await unitLog.settled();
  answers = true;
  unitLog.add('roof', clock.now(), { kind: 'command', text: 'three' });
  await clock.advance(10_000);
  await unitLog.settled();
  const texts: string[] = [];
  for await (const { text } of unitLog.find('roof', {})) texts.push(text);
  t.strictSame(texts, ['three', 'two', 'one']);
  t.match(lines.join(''), /can be written again/);
  await unitLog.close();
});

t.test('the log of a removed unit whose removal failed is shown to nobody, and removed later', async (t) => {
  const { clock, log, open: openStore } = folder(t);
  const { tables, state } = unanswered(await (await openStore()).tables('log', [ENTRIES], LOG_MIGRATIONS));
  const opened = async () => {
    const unitLog = new UnitLog({ tables, clock, log, limit: 100, keepDays: 90 });
    await unitLog.load();
    t.teardown(() => unitLog.close());
    return unitLog;
  };
  const textsOf = async (unitLog: UnitLog, unitId = 'roof') => {
    const texts: string[] = [];
    for await (const { text } of unitLog.find(unitId, {})) texts.push(text);
    return texts;
  };
  const passes = async () => {
    await clock.advance(5_000);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const unitLog = await opened();
  for (const unitId of ['roof', 'cellar']) unitLog.add(unitId, clock.now(), { kind: 'command', text: 'old' });
  await passes();
  state.answers = state.stores = false;
  unitLog.add('roof', clock.now(), { kind: 'command', text: 'old, too' });
  await t.rejects(unitLog.forget('roof'), { code: 'STORAGE_FAILED' });
  unitLog.add('roof', clock.now(), { kind: 'command', text: 'of another meter' });
  await passes();
  state.answers = true;
  t.strictSame(await textsOf(unitLog), ['of another meter']);
  state.stores = true;
  for (const _ of [1, 2, 3]) await passes();
  for (const each of [unitLog, await opened()]) {
    t.strictSame(await textsOf(each), ['of another meter']);
    t.strictSame(await textsOf(each, 'cellar'), ['old']);
  }
});
