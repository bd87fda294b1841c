/** Rows go to the database between any two steps of a question: its answer has each of them once. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Batch, StoredKind } from '../../lib/history/contract.ts';
import type { HistoryCalls } from '../../lib/history/sqlite/history-calls.ts';
import { finished, type Work } from '../../lib/history/stored/work.ts';
import { AF, CF, HOUR, hours, interval, PERCENTILES, second, stream } from '../contract/history/rows.ts';
import { freshDatabase, inDatabase } from '../support/postgres.ts';
import { answered, openBeside, openCalls, Stepped, tick, write } from './support/one-step.ts';
import { openRelay } from './support/relay.ts';

/** A tick stores no more hours that are over. */
const AT_ONCE = 8;
/** All hours are over then. */
const LATER = HOUR + 30 * 86_400;

const secondsFrom = (from: number, level: number) =>
  [0, 1, 2].map((index) => second(HOUR + from + index, level + index));
const of = (unitId: string, own: Omit<Batch, 'unitId' | 'weighting'>): Batch => ({ unitId, weighting: AF, ...own });

type Ask = (calls: HistoryCalls, unitId: string) => Work<unknown>;
const lines = (kind: StoredKind) => (calls: HistoryCalls, unitId: string) =>
  calls.stored({ unitId, kind, hour: HOUR / 3_600, from: HOUR, to: HOUR + 3_600 });
const QUESTIONS = {
  hours: (calls, unitId) => answered(calls, { unitId, ...hours(2, 3_600, PERCENTILES) }),
  seconds: (calls, unitId) => answered(calls, { unitId, over: { from: HOUR, to: HOUR + 8, step: 1 } }),
  channel: (calls, unitId) => answered(calls, { unitId, channel: 'sub1', ...hours(2, 60) }),
  *extent(calls, unitId) {
    const { series, bytes: _bytes, ...all } = yield* calls.extent({ unitId, gapSeconds: 60 });
    return { ...all, series: series.map(({ bytes: _own, ...one }) => one) };
  },
  'lines of seconds': lines('seconds'),
  'lines of minutes': lines('minutes'),
  'lines of intervals': lines('intervals'),
} as const satisfies Readonly<Record<string, Ask>>;

/** Rows that the database has at first, rows that only this computer has, and the question. */
interface Scene {
  readonly there: readonly Batch[];
  readonly here: readonly Batch[];
  readonly asked: readonly (keyof typeof QUESTIONS)[];
}
const SCENES: Readonly<Record<string, (unitId: string) => Scene>> = {
  'the rest of an hour': (unitId) => ({
    there: [stream(unitId, secondsFrom(0, 60))],
    here: [stream(unitId, secondsFrom(3, 70))],
    asked: ['hours', 'extent', 'lines of minutes'],
  }),
  'the rest of an hour before one of another weighting': (unitId) => ({
    there: [stream(unitId, secondsFrom(0, 60)), stream(unitId, secondsFrom(3_600, 65), CF)],
    here: [stream(unitId, secondsFrom(3, 70))],
    asked: ['hours'],
  }),
  'series that it does not have': (unitId) => ({
    there: [],
    here: [
      of(unitId, { source: 'card', seconds: secondsFrom(2, 65) }),
      stream(unitId, secondsFrom(0, 60)),
      of(unitId, { source: 'stream', channel: 'sub1', seconds: secondsFrom(0, 50) }),
    ],
    asked: ['seconds', 'channel', 'lines of seconds'],
  }),
  'intervals beside seconds': (unitId) => ({
    there: [stream(unitId, secondsFrom(0, 60)), of(unitId, { source: 'poll', intervals: [interval(HOUR, 900, 60)] })],
    here: [
      // The database has what the first one overlaps.
      of(unitId, { source: 'poll', intervals: [interval(HOUR + 600, 900, 61), interval(HOUR + 3_000, 900, 62)] }),
      of(unitId, { source: 'card', intervals: [interval(HOUR + 5_400, 60, 70)] }),
    ],
    asked: ['hours', 'extent', 'lines of intervals'],
  }),
};

/** Prepares units of a scene. Returns the steps of the regular work after which the database has new rows. */
async function stage(t: Test, rowsOf: (unitId: string) => Scene) {
  const database = await freshDatabase(t);
  const folder = t.testdir();
  const calls = await openBeside(t, folder, database);
  const alone = await openCalls(t, join(folder, 'alone.db'));
  const { there, here } = rowsOf('alone');
  write(alone, [...there, ...here]);
  let last = 0;
  let ready: string[] = [];
  /** A unit whose rows are in both places. */
  const unit = async (): Promise<string> => {
    if (ready.length === 0) {
      ready = Array.from({ length: AT_ONCE / 2 }, () => `unit-${last++}`);
      write(
        calls,
        ready.flatMap((unitId) => rowsOf(unitId).there),
      );
      await finished(tick(calls, LATER));
    }
    const unitId = ready.shift() ?? '';
    write(calls, rowsOf(unitId).here);
    return unitId;
  };
  const inThere = async () =>
    JSON.stringify(
      await inDatabase(
        database,
        `select (select sum(steps) from history_hour), (select count(*) from history_interval), (select count(*) from history_series)`,
      ),
    );
  const moments: number[] = [];
  await unit();
  const work = new Stepped(tick(calls, LATER));
  for (let before = await inThere(); !work.hasEnded; ) {
    await work.run(1);
    const now = await inThere();
    if (now !== before) moments.push(work.steps);
    before = now;
  }
  return { calls, alone, unit, moments };
}

for (const [scene, rowsOf] of Object.entries(SCENES))
  t.test(`an answer has each row once while the database gets ${scene}, between any two steps`, async (t) => {
    const { calls, alone, unit, moments } = await stage(t, rowsOf);
    t.ok(moments.length > 0);
    for (const name of rowsOf('alone').asked) {
      const ask: Ask = QUESTIONS[name];
      const wanted = await finished(ask(alone, 'alone'));
      const undisturbed = new Stepped(ask(calls, await unit()));
      t.strictSame(await undisturbed.value(), wanted, name);
      await finished(tick(calls, LATER));
      for (let asked = 0; asked < undisturbed.steps; asked++) {
        // All at once; and so far that the database has it, and it is still here until the question is answered.
        for (const moment of [Number.POSITIVE_INFINITY, ...moments]) {
          const unitId = await unit();
          const [question, carrying] = [new Stepped(ask(calls, unitId)), new Stepped(tick(calls, LATER))];
          await question.run(asked);
          await carrying.run(moment);
          const found = await question.value();
          await carrying.value();
          t.strictSame(found, wanted, `${name}: ${moment} steps of carrying after ${asked} of the question`);
        }
      }
    }
  });

t.test('a digest is never that of fewer rows while they go to the database', async (t) => {
  const calls = await openBeside(t, t.testdir(), await freshDatabase(t));
  const digestOf = (unitId: string) => answered(calls, { unitId, digest: true, ...hours(2, 3_600) });
  for (let asked = 0, hasEnded = false; !hasEnded; asked++) {
    const unitId = `unit-${asked}`;
    write(calls, [stream(unitId, secondsFrom(0, 60))]);
    await finished(tick(calls, LATER));
    const before = (await finished(digestOf(unitId))).head.digest;
    write(calls, [stream(unitId, secondsFrom(3_600, 60))]);
    const question = new Stepped(digestOf(unitId));
    await question.run(asked);
    ({ hasEnded } = question);
    await finished(tick(calls, LATER));
    t.not((await question.value()).head.digest, before, `carried after ${asked} steps`);
  }
});

t.test('a question waits for rows that another computer has left, and learns where they were kept', async (t) => {
  const database = await freshDatabase(t);
  const folder = t.testdir();
  const first = await openBeside(t, folder, database);
  write(first, [stream('roof', secondsFrom(0, 60)), stream('gone', secondsFrom(0, 60))]);
  await finished(tick(first, HOUR + 10));
  const relay = await openRelay(t, database);
  const second = await openCalls(t, join(folder, 'second.db'), relay.url);
  await finished(second.ready());
  const ask = () =>
    Promise.allSettled([
      finished(lines('seconds')(second, 'roof')),
      finished(QUESTIONS.extent(second, 'roof')),
      finished(second.units()),
      finished(second.remove({ unitId: 'gone', from: HOUR, to: HOUR + 60 })),
    ]);
  const early = ask();
  relay.takeNoMore();
  relay.breakOff();
  await t.rejects(finished(second.takeOver()), { code: 'DATABASE_AWAY' });
  relay.takeAgain();
  const away = { status: 'rejected', reason: { code: 'DATABASE_AWAY' } };
  t.match(await early, [away, away, away, away]);
  t.match(await ask(), [away, away, away, away], 'also when it is back, until this computer has them');
  await finished(tick(second, HOUR + 20));
  const [found, extent, units, removed] = await ask();
  t.match(found, { value: { length: 3 } });
  t.match(extent, { value: { series: [{ measured: 3 }] } });
  t.strictSame(
    [units, removed].map((one) => one?.status === 'fulfilled' && one.value),
    [['gone', 'roof'], 3],
  );
});

t.test('stored rows and units are reported after the takeover from another computer, not before', async (t) => {
  const database = await freshDatabase(t);
  const folder = t.testdir();
  const first = await openBeside(t, folder, database);
  write(first, [stream('roof', secondsFrom(0, 60))]);
  await finished(tick(first, HOUR + 10));
  const second = await openCalls(t, join(folder, 'second.db'), database);
  await finished(second.ready());
  const asked = Promise.all([finished(lines('seconds')(second, 'roof')), finished(second.units())]);
  // An answer of the database: it has answered those who did not wait, too.
  await finished(second.bytes());
  await finished(second.takeOver());
  const [found, units] = await asked;
  t.equal(found.length, 3);
  t.strictSame(units, ['roof']);
});
