import t from 'tap';
import {
  dayIndex,
  localDays,
  misfit,
  PRESETS,
  qualityOf,
  type SpanLevels,
  totalIndex,
} from '../../lib/indices/index.ts';
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
    return dayIndex(day, pieces, PRESETS.eu, 0.75);
  });
}

const only = <T>([first]: readonly T[]): T => {
  if (first === undefined) throw new Error('nothing');
  return first;
};

t.test('a full day is valid and gives its reason to nobody', async (t) => {
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
  t.equal(day.whole.lmaxAt, Date.UTC(2026, 5, 15, 7), 'of equal maxima the first is told');
});

t.test('a period with too little data is shown and makes the day not valid, in words', async (t) => {
  const day = only(days(1, (_date, period) => ({ level: 60, share: period === 'night' ? 0.7499 : 1 })));
  t.equal(day.valid, false);
  t.equal(day.reason, 'The night has data for 74.9 % of its time, less than 75 %.');
  t.equal(day.value?.toFixed(4), '66.3952', 'the value is there: real hours weigh, not those with data');
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
  t.match(dayIndex(day, read, PRESETS.eu, 0).reason, /^The day has nothing but readings now and then\./);
});

t.test('the total is made of the valid days and names those that it leaves out', async (t) => {
  const all = days(3, (date) => (date === '2026-06-16' ? { level: 90, share: 0.5 } : { level: 60, share: 1 }));
  const total = totalIndex(all, PRESETS.eu);
  t.match(total, { days: 2, hours: 48, leftOut: ['2026-06-16'], valid: true });
  t.equal(total.value?.toFixed(4), '66.3952', 'the loud day is not in it');
  t.equal(total.whole.lmax, 60);
  t.match(
    totalIndex(
      days(1, () => ({ level: null, share: 0 })),
      PRESETS.eu,
    ),
    { value: null, valid: false, days: 0 },
  );
});

t.test('the quality is never better than the worst that matters', async (t) => {
  t.equal(qualityOf(spanOf({})), 'none');
  t.equal(qualityOf(spanOf({ seconds: 100 })), 'measured');
  t.equal(qualityOf(spanOf({ readings: 3 })), 'sampled');
  t.equal(qualityOf(spanOf({ seconds: 100, readings: 3 })), 'mixed');
  t.equal(qualityOf(spanOf({ seconds: 100, flaggedS: 1 })), 'measured', 'one per cent is not more than one per cent');
  t.equal(qualityOf(spanOf({ seconds: 100, flaggedS: 1.1 })), 'flagged');
});

t.test('every preset fills its day; own periods that do not are found out', async (t) => {
  for (const [name, { periods }] of Object.entries(PRESETS)) t.equal(misfit(periods), null, name);
  const day = { name: 'day', weight: 1 } as const;
  const night = { name: 'night', weight: 10 } as const;
  t.equal(
    misfit([
      { ...day, from: 420, to: 1_320 },
      { ...night, from: 1_380, to: 420 },
    ]),
    1_320,
    'a hole',
  );
  t.equal(
    misfit([
      { ...day, from: 420, to: 1_320 },
      { ...night, from: 1_300, to: 420 },
    ]),
    1_300,
    'an overlap',
  );
  t.equal(
    misfit([
      { ...day, from: 420, to: 1_320 },
      { ...night, from: 1_320, to: 400 },
    ]),
    400,
    'a hole in the morning',
  );
  t.equal(misfit([{ ...day, from: 0, to: 1_440 }]), null, 'a day without a night');
  t.equal(misfit([]), 0);
});
