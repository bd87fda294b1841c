/** Days that are over are judged once, until something that decides about them changes. */
import t from 'tap';
import type { assessment, JudgedDay } from '../../plugins/assessment/index.ts';
import { KeptDays } from '../../plugins/assessment/kept-days.ts';
import { standIn } from '../support/stand-in.ts';

const DAY_MS = 86_400_000;
const dayOf = (at: number) =>
  standIn<assessment.PlannedDay>({
    date: { date: `2025-12-1${at}`, kind: 'wed' },
    periods: [{ windows: [{ from: at * DAY_MS, to: (at + 1) * DAY_MS }] }],
  });

async function* none(): AsyncGenerator<readonly never[], undefined> {}

function open() {
  const facts = { digest: 'one', ranges: [] as { from: number; to: number }[], now: 3 * DAY_MS - 1 };
  const host = standIn<ConstructorParameters<typeof KeptDays<JudgedDay>>[0]>({
    history: { query: async () => ({ digest: facts.digest, rows: none() }) },
    notes: { excluded: () => ({ ranges: facts.ranges }) },
    clock: { now: () => facts.now },
  });
  const kept = new KeptDays<JudgedDay>(host);
  const judged: string[][] = [];
  const judge = async (plan: readonly assessment.PlannedDay[]) => {
    judged.push(plan.map(({ date }) => date.date));
    return plan.map(({ date }) => standIn<JudgedDay>({ date: date.date }));
  };
  const ask = async (about = 'a preset', unitId = 'roof') => {
    judged.length = 0;
    const plan = [0, 1, 2].map(dayOf);
    const days = await kept.all({ unitId, plan, about }, judge, new AbortController().signal);
    return { dates: days.map(({ date }) => date), judged: judged.flat() };
  };
  return { facts, ask };
}

const ALL = ['2025-12-10', '2025-12-11', '2025-12-12'];

t.test('a day that is over is judged once, and the day that goes on each time', async (t) => {
  const { ask } = open();
  t.strictSame(await ask(), { dates: ALL, judged: ALL });
  t.strictSame(await ask(), { dates: ALL, judged: ['2025-12-12'] }, 'in the order of the days');
});

t.test('another level, exclusion, preset or unit makes each day a new one', async (t) => {
  const { facts, ask } = open();
  await ask();
  facts.digest = 'two';
  t.strictSame((await ask()).judged, ALL);
  facts.ranges = [{ from: 1, to: 2 }];
  t.strictSame((await ask()).judged, ALL);
  t.strictSame((await ask('another preset')).judged, ALL);
  t.strictSame((await ask('a preset', 'gate')).judged, ALL);
  facts.now = 3 * DAY_MS;
  t.strictSame((await ask()).judged, ['2025-12-12']);
  t.strictSame((await ask()).judged, [], 'the last day is over, too');
});
