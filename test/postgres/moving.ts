/** Questions that are asked while rows go from this computer to the database: each row counts once, wherever it is. */
import { join } from 'node:path';
import t from 'tap';
import type { Batch, History } from '../../lib/history/contract.ts';
import { openHistory } from '../../lib/history/index.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { AF, HOUR, interval, rowsOf, second } from '../contract/history/rows.ts';
import { freshDatabase } from '../support/postgres.ts';
import { openRelay } from './support/relay.ts';

/** A question has fewer answers of the database than this. */
const MOST_ANSWERS = 20;
/** Hours that are over are carried every five seconds. */
const CARRIED_MS = 10_000;
/** All of these hours are over. */
const BEGIN = HOUR - 86_400;
const SPAN = { from: BEGIN, to: BEGIN + 12 * 3_600 };

type Hours = readonly [first: number, end: number];

/** A second in each of some hours. */
const secondsIn = (unitId: string, [first, end]: Hours): Batch => ({
  unitId,
  source: 'stream',
  weighting: AF,
  seconds: Array.from({ length: end - first }, (_, index) => second(BEGIN + (first + index) * 3_600, 60)),
});
/** Ten minutes. */
const intervalIn = (unitId: string, hour: number): Batch => ({
  unitId,
  source: 'card',
  weighting: AF,
  intervals: [interval(BEGIN + hour * 3_600, 600, 70)],
});

/** Batches of a unit, all but the last already in the database before the question, and their measured time, s. */
const UNITS: Readonly<Record<string, { rows: readonly ((unitId: string) => Batch[])[]; measured: number }>> = {
  'a new unit': { rows: [(id) => [secondsIn(id, [0, 3]), intervalIn(id, 3)]], measured: 603 },
  'a unit with later seconds': {
    rows: [(id) => [secondsIn(id, [0, 3])], (id) => [secondsIn(id, [3, 9])]],
    measured: 9,
  },
  'a unit with its first interval, and earlier seconds': {
    rows: [(id) => [secondsIn(id, [5, 8])], (id) => [secondsIn(id, [2, 4]), intervalIn(id, 9)]],
    measured: 605,
  },
};

const total = (all: readonly { readonly measured: number }[]) =>
  Math.round(10 * all.reduce((sum, { measured }) => sum + measured, 0)) / 10;
const rowsOfStep = (step: number) => async (history: History, unitId: string) =>
  total(await rowsOf(history, { unitId, over: { ...SPAN, step } }));
/** Each has the measured time of a unit. */
const QUESTIONS: Readonly<Record<string, (history: History, unitId: string, measured: number) => Promise<number>>> = {
  'one row': rowsOfStep(12 * 3_600),
  'rows of half an hour': rowsOfStep(1_800),
  extent: async (history, unitId) => total((await history.extent(unitId)).series),
  units: async (history, unitId, measured) => ((await history.units()).includes(unitId) ? measured : 0),
};

t.test('an answer has all rows, at whatever moment of it they go to the database', async (t) => {
  const relay = await openRelay(t, await freshDatabase(t));
  const clock = new VirtualClock();
  const path = join(t.testdir(), 'history.db');
  const history = await openHistory({ path, clock, log: createLog('silent'), database: relay.url });
  t.teardown(() => history.close());
  const carry = async () => {
    for (let passed = 0; passed < CARRIED_MS; passed += 1_000) {
      await clock.advance(1_000);
      await history.units();
    }
    // Changes wait for what is carried, and for what is removed after that because it is too old: now nothing is under way.
    for (let count = 0; count < 2; count++) await history.remove('nobody', SPAN.from, SPAN.to);
  };

  let units = 0;
  for (const [question, ask] of Object.entries(QUESTIONS))
    for (const [of, { rows, measured }] of Object.entries(UNITS)) {
      const found: number[] = [];
      let isOver = false;
      for (let place = 1; !isOver && place < MOST_ANSWERS; place++) {
        units += 1;
        const unitId = `moving-${units}`;
        for (const [index, batches] of rows.entries()) {
          if (index > 0) await carry();
          for (const batch of batches(unitId)) history.append(batch);
          await history.flush();
        }
        const answer = relay.holdAnswer(place);
        const asked = ask(history, unitId, measured);
        isOver = await Promise.race([answer.held.then(() => false), asked.then(() => true)]);
        if (!isOver) await carry();
        answer.release();
        found.push(await asked);
      }
      t.ok(isOver && found.length > 1, `${question} of ${of}: rows moved during each of ${found.length - 1} answers`);
      t.strictSame(
        found.filter((one) => one !== measured),
        [],
        `${question} of ${of}: ${measured} s`,
      );
    }
});
