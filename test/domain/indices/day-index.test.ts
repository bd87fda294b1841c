import t from 'tap';
import {
  type DayIndex,
  dayIndex,
  localDays,
  misfit,
  ownPreset,
  PRESETS,
  qualityOf,
  type SpanLevels,
  TotalOfDays,
} from '../../../lib/domain/indices/index.ts';
import { spanOf } from './support/spans.ts';

const DAY = { from: Date.UTC(2026, 5, 15), to: Date.UTC(2026, 5, 16) };

/** The index of 2026-06-15 and the days after it in UTC: each piece filled to a share with one level. */
function days(count: number, fill: (date: string, period: string) => { level: number | null; share: number }) {
  const span = { from: DAY.from, to: DAY.from + count * 86_400_000 };
  return localDays('UTC', span, PRESETS.eu.periods).map((day) => {
    const pieces = day.pieces.map(({ period, from, to }): SpanLevels => {
      const { level, share } = fill(day.date, period);
      return spanOf({ leq: level, lmax: level, lmaxAt: from, seconds: ((to - from) / 1_000) * share });
    });
    return dayIndex(day, { pieces }, PRESETS.eu, 0.75);
  });
}

const totalOf = (all: readonly DayIndex[]) => {
  const total = new TotalOfDays(PRESETS.eu);
  for (const day of all) total.add(day);
  return total.result;
};

const only = <T>([first]: readonly T[]): T => {
  if (first === undefined) throw new Error('nothing');
  return first;
};

t.test('a full day is valid and has no reason why not', async (t) => {
  const day = only(days(1, (_date, period) => ({ level: period === 'night' ? 50 : 60, share: 1 })));
  t.match(day, { date: '2026-06-15', hours: 24, valid: true, reason: null });
  t.equal(day.value?.toFixed(3), (10 * Math.log10((12 * 1e6 + 4 * 1e6 * 10 ** 0.5 + 8 * 1e6) / 24)).toFixed(3));
  t.strictSame(
    day.periods.map(({ hours, levels }) => [hours, levels.seconds]),
    [
      [12, 43_200],
      [4, 14_400],
      [8, 28_800],
    ],
    'the two pieces of the night are one period',
  );
  t.equal(day.whole.lmaxAt, Date.UTC(2026, 5, 15, 7), 'of equal maxima the first is given');
});

t.test('a period with too little data is shown and makes the day not valid, in words', async (t) => {
  const day = only(days(1, (_date, period) => ({ level: 60, share: period === 'night' ? 0.7499 : 1 })));
  t.equal(day.valid, false);
  t.equal(day.reason, 'The night has data for 74.9 % of its time, less than 75 %.');
  t.equal(day.value?.toFixed(4), '66.3952', 'the value is there: real hours weigh, not those with data');
});

t.test('a period with exactly as much data as it needs makes the day valid', async (t) => {
  t.match(only(days(1, () => ({ level: 60, share: 0.75 }))), { valid: true, reason: null });
});

t.test('a period without data leaves no index', async (t) => {
  const day = only(
    days(1, (_date, period) => ({ level: period === 'evening' ? null : 60, share: period === 'evening' ? 0 : 1 })),
  );
  t.match(day, { value: null, valid: false, reason: 'The evening has no data.' });
});

t.test('readings now and then are no data for an index', async (t) => {
  const [day] = localDays('UTC', DAY, PRESETS.eu.periods);
  if (!day) throw new Error('no day');
  const read = day.pieces.map(() => spanOf({ readings: 500 }));
  t.match(dayIndex(day, { pieces: read }, PRESETS.eu, 0).reason, /^The day has only single readings\./);
});

t.test('the total is made of the valid days and names those that it leaves out', async (t) => {
  const all = days(3, (date) => (date === '2026-06-16' ? { level: 90, share: 0.5 } : { level: 60, share: 1 }));
  const total = totalOf(all);
  t.match(total, { days: 2, hours: 48, leftOut: ['2026-06-16'], valid: true });
  t.equal(total.value?.toFixed(4), '66.3952', 'the loud day is not in it');
  t.equal(total.whole.lmax, 60);
  t.match(totalOf(days(1, () => ({ level: null, share: 0 }))), { value: null, valid: false, days: 0 });
});

t.test(
  'the quality is never better than the worst that matters, and of a small part of the time it is partial',
  async (t) => {
    for (const [quality, levels] of [
      ['none', {}],
      ['measured', { seconds: 100 }],
      ['sampled', { readings: 3 }],
      ['mixed', { seconds: 100, readings: 3 }],
      ['measured', { seconds: 100, flaggedS: 1 }],
      ['flagged', { seconds: 100, flaggedS: 1.1 }],
      ['partial', { seconds: 0.65 }],
      ['measured', { seconds: 75 }],
      ['partial', { seconds: 74.9 }],
      ['mixed', { seconds: 74.9, readings: 1 }],
      ['flagged', { seconds: 10, flaggedS: 1 }],
    ] as const)
      t.equal(qualityOf(spanOf(levels), 100), quality, JSON.stringify(levels));
  },
);

t.test('every preset fills its day; own periods that do not are found out', async (t) => {
  for (const [name, { periods }] of Object.entries(PRESETS)) t.equal(misfit(periods), null, name);
  const found = (day: readonly [number, number], night?: readonly [number, number]) =>
    misfit(
      [day, ...(night ? [night] : [])].map(([from, to], place) => ({
        ...({ name: place === 0 ? 'day' : 'night', weight: 1 } as const),
        from,
        to,
      })),
    );
  t.equal(found([420, 1_320], [1_380, 420]), 1_320, 'a hole');
  t.equal(found([420, 1_320], [1_300, 420]), 1_300, 'an overlap');
  t.equal(found([420, 1_320], [1_320, 400]), 400, 'a hole in the morning');
  t.equal(found([0, 1_440]), null, 'a day without a night');
  t.equal(misfit([]), 0);
});

t.test('own periods are read from words, and wrong ones have an error', async (t) => {
  const penalties = { evening_penalty: 5, night_penalty: 10 };
  const own = ownPreset({ day: '07-19', evening: '19-23', night: '23-07', ...penalties });
  t.strictSame(own, { index: 'lden', periods: PRESETS.eu.periods }, 'the European ones are these');
  t.match(ownPreset({ day: '06:30-22', night: '22-06:30', ...penalties }), {
    periods: [
      { name: 'day', from: 390, to: 1_320, weight: 1 },
      { name: 'night', from: 1_320, to: 390 },
    ],
  });
  t.match(ownPreset({ day: '00-24', night: '00-00', ...penalties }), { at: 'night' }, 'twice the whole day');
  for (const [words, at] of [
    [{ night: '22-07' }, 'day'],
    [{ day: '07-22' }, 'night'],
    [{ day: '7-22', night: '22-07' }, 'day'],
    [{ day: '07-22', night: '22-25' }, 'night'],
    [{ day: '07:60-22', night: '22-07' }, 'day'],
    [{ day: '07-22', evening: 'x', night: '22-07' }, 'evening'],
  ] as const)
    t.match(ownPreset({ ...words, ...penalties }), { at, problem: /^is needed/ }, JSON.stringify(words));
  t.match(ownPreset({ day: '07-21', night: '22-07', ...penalties }), { problem: /21:00 lies in no period/ });
});
