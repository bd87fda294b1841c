/** When a level rule opens, worsens and closes: known cases, and properties over random levels. */
import fc from 'fast-check';
import t from 'tap';
import { energyMean, LevelCounts } from '../../lib/domain/indices/index.ts';
import type { LevelRule } from '../../plugins/alerts/rules/level/level-rule.ts';
import type { LevelWatch, Step } from '../../plugins/alerts/rules/level/level-sum.ts';
import { levelWatch } from '../../plugins/alerts/rules/level/replay.ts';

/** 21 November 2026, 06:00 UTC. */
const SIX = Date.UTC(2026, 10, 21, 6) / 1_000;
const rule = (more: Partial<LevelRule> = {}): LevelRule => ({
  name: 'limit',
  enabled: true,
  severity: 'warning',
  targets: [],
  kind: 'level',
  quantity: 'leq',
  window: '15m',
  align: 'clock',
  limit_db: 75,
  clear_db: 73,
  min_coverage: 0.5,
  ...more,
});
const second = (at: number, level: number) => ({
  at,
  to: at + 1,
  seconds: 1,
  levels: { leq: level, lmax: level + 3, lpeak: level + 15 },
});
const kinds = (steps: readonly Step[]) => steps.map(({ kind }) => kind);

/** Seconds of one level, one after the other. */
function run(watch: LevelWatch, from: number, levels: readonly (readonly [level: number | null, seconds: number])[]) {
  const steps: Step[] = [];
  let at = from;
  for (const [level, seconds] of levels) {
    for (let end = at + seconds; at < end; at++) if (level !== null) steps.push(...watch.take(second(at, level)));
  }
  return steps;
}

t.test('a clock-aligned Leq opens in the second after which even silence breaks the limit', async (t) => {
  const watch = levelWatch(rule(), 'UTC');
  // 75.045 dB over 900 s is the energy of 85 dB over 90.94 s. The API rounds it to 75.05, people read 75.1.
  const [open, ...worse] = run(watch, SIX, [[85, 100]]);
  t.match(open, { kind: 'open', at: SIX + 91, from: SIX });
  t.ok(open?.kind === 'open' && open.value > 75.045 && open.value < 75.1);
  t.ok(worse.length === 9 && worse.every(({ kind }) => kind === 'worse'));
  t.same(
    run(watch, SIX + 100, [[40, 799]]).filter(({ kind }) => kind !== 'worse'),
    [],
  );
  const ended = run(watch, SIX + 900, [[40, 1]]);
  t.same(ended.at(-1), { kind: 'close', at: SIX + 900 });
});

t.test('with a warning level, a sliding event opens at that level and ends below it', async (t) => {
  const watch = levelWatch(rule({ amber_db: 70, clear_db: 68, align: 'sliding', window: '1m' }), 'UTC');
  t.strictSame(kinds(run(watch, SIX, [[69.9, 60]])), []);
  const [open, ...worse] = run(watch, SIX + 60, [[70.2, 60]]);
  t.match(open, { kind: 'open' });
  t.ok(open?.kind === 'open' && open.value > 69.94 && open.value < 70.1, '70.0 as people read it');
  t.ok(worse.every(({ kind }) => kind === 'worse'));
  t.match(kinds(run(watch, SIX + 120, [[80, 10]])).at(-1), 'worse');
  t.equal(kinds(run(watch, SIX + 130, [[50, 70]])).at(-1), 'close');
});

t.test('a window has a result at its end, and none with too little data', async (t) => {
  const half = levelWatch(rule({ min_coverage: 0.5 }), 'UTC');
  // 500 of 900 seconds at 76 dB: above the limit where the gaps are no part of the mean.
  run(half, SIX, [
    [76, 400],
    [null, 400],
    [76, 99],
  ]);
  t.same(kinds(run(half, SIX + 899, [[76, 2]])), ['worse', 'close']);
  const few = levelWatch(rule({ min_coverage: 0.5 }), 'UTC');
  t.same(
    kinds(
      run(few, SIX, [
        [76, 300],
        [null, 600],
        [40, 1],
      ]),
    ),
    [],
  );
  const loud = levelWatch(rule({ min_coverage: 0.5 }), 'UTC');
  t.same(kinds(run(loud, SIX, [[100, 4]])).slice(0, 1), ['open'], 'so much energy breaks it whatever is missing');
});

t.test('a gap opens and closes nothing; the end of the window closes, also without further levels', async (t) => {
  const watch = levelWatch(rule({ window: '5m' }), 'UTC');
  run(watch, SIX, [[90, 60]]);
  t.same(watch.tick(SIX + 200), []);
  t.same(watch.tick(SIX + 329), [], 'late levels have their time');
  t.same(watch.tick(SIX + 330), [{ kind: 'close', at: SIX + 300 }]);
  t.same(watch.tick(SIX + 400), []);
});

t.test('a sliding event ends at clear_db and not before, and a gap does not end it', async (t) => {
  const watch = levelWatch(rule({ window: '1m', align: 'sliding', min_coverage: 1 }), 'UTC');
  t.same(kinds(run(watch, SIX, [[76, 60]])), ['open']);
  t.same(kinds(run(watch, SIX + 60, [[74, 60]])), [], '74 dB are neither above the limit nor at clear_db');
  t.same(
    kinds(
      run(watch, SIX + 120, [
        [null, 600],
        [60, 59],
      ]),
    ),
    [],
    'too little data since the gap',
  );
  t.same(kinds(run(watch, SIX + 779, [[60, 1]])), ['close']);
});

t.test('a maximum opens an event at once, with its time', async (t) => {
  const watch = levelWatch(rule({ quantity: 'lmax', limit_db: 90, clear_db: 88 }), 'UTC');
  t.match(
    run(watch, SIX, [
      [80, 10],
      [88, 1],
      [80, 5],
    ]),
    [{ kind: 'open', at: SIX + 11, value: 91, valueAt: SIX + 10 }],
  );
});

t.test(
  'an exceedance goes on over the end of a window: one event, which ends with the first window below the limit',
  async (t) => {
    const watch = levelWatch(rule({ window: '1m', continue: true }), 'UTC');
    const steps = run(watch, SIX, [
      [80, 120],
      [78, 60],
      [60, 61],
    ]);
    t.match(
      steps.filter(({ kind }) => kind !== 'worse'),
      [
        { kind: 'open', from: SIX },
        { kind: 'further', to: SIX + 120 },
        { kind: 'further', to: SIX + 180 },
        { kind: 'close', at: SIX + 180 },
      ],
    );
    const worst = steps.findLast((step) => step.kind === 'worse');
    t.match(
      worst,
      { window: { from: SIX, to: SIX + 60 } },
      'the first window has the worst value, a little above the second',
    );
    t.match(run(watch, SIX + 241, [[90, 60]])[0], { kind: 'open', from: SIX + 240 }, 'a later one is another event');
  },
);

t.test(
  'an event over several windows ends also without further levels, and when the next window does not count',
  async (t) => {
    const watch = levelWatch(rule({ window: '1m', continue: true }), 'UTC');
    run(watch, SIX, [[90, 60]]);
    t.same(watch.tick(SIX + 95), [], 'the window after may break the limit, too');
    t.ok(watch.isOpen && !watch.isBroken);
    t.same(watch.tick(SIX + 150), [{ kind: 'close', at: SIX + 60 }]);
    const gap = levelWatch(rule({ window: '1m', continue: true }), 'UTC');
    run(gap, SIX, [[90, 60]]);
    t.same(kinds(run(gap, SIX + 300, [[90, 30]])).slice(0, 2), ['close', 'open'], 'not over a gap of whole windows');
    const night = levelWatch(rule({ window: 'night', limit_db: 45, continue: true }), 'UTC');
    run(night, SIX + 3_000, [[110, 600]]);
    t.same(kinds(run(night, SIX + 3_600, [[110, 1]])), ['close'], 'the day is no night');
    const restarted = levelWatch(rule({ window: '1m', continue: true }), 'UTC');
    restarted.resume({ from: SIX + 60, worst: 80 });
    t.same(
      kinds(run(restarted, SIX + 60, [[80, 120]])).filter((kind) => kind !== 'worse'),
      ['further'],
      'also after a restart',
    );
  },
);

t.test('the alert of a percentile comes at the end of its window', async (t) => {
  const watch = levelWatch(rule({ quantity: 'l10', window: '1m', limit_db: 60 }), 'UTC');
  const steps: Step[] = [];
  for (let at = SIX; at <= SIX + 60; at++) {
    const level = at % 60 < 10 ? 65 : 50;
    steps.push(...watch.take({ ...second(at, level), lp: Array.from({ length: 10 }, () => level) }));
  }
  t.match(steps, [{ kind: 'open', at: SIX + 60, value: Number, from: SIX }, { kind: 'close' }]);
});

t.test('one window has one event, also after a restart', async (t) => {
  const watch = levelWatch(rule(), 'UTC');
  watch.resume({ from: SIX, worst: 75.2 });
  const steps = run(watch, SIX, [
    [85, 200],
    [40, 701],
  ]);
  t.same([...new Set(kinds(steps))], ['worse', 'close']);
  const closed = levelWatch(rule(), 'UTC');
  closed.resume({ from: SIX, worst: undefined });
  t.same(
    run(closed, SIX, [
      [90, 900],
      [40, 1],
    ]),
    [],
  );
});

t.test('a poll of 60 s over the edge of two windows counts in both', async (t) => {
  const watch = levelWatch(rule({ window: '1m', min_coverage: 0.4 }), 'UTC');
  const piece = { at: SIX + 30, to: SIX + 90, seconds: 60, levels: { leq: 80 } };
  t.match(watch.take(piece), [
    { kind: 'open', from: SIX, at: SIX + 60, value: 80 },
    { kind: 'close', at: SIX + 60 },
    { kind: 'open', from: SIX + 60 },
  ]);
});

t.test('the night is one window over midnight, and the clock change makes it longer', async (t) => {
  const watch = levelWatch(rule({ window: 'night', limit_db: 45 }), 'Europe/Berlin');
  const at = Date.UTC(2026, 9, 25, 0, 30) / 1_000;
  t.same(watch.windowOf(at), { from: Date.UTC(2026, 9, 24, 21) / 1_000, to: Date.UTC(2026, 9, 25, 6) / 1_000 });
  t.equal(watch.windowOf(Date.UTC(2026, 9, 25, 12) / 1_000), undefined);
});

/** The steps of a whole minute of one level, of all its quantities. */
function minuteOf(level: number, more: Partial<LevelRule>): string[] {
  const watch = levelWatch(rule({ window: '1m', clear_db: 0, ...more }), 'UTC');
  const steps: Step[] = [];
  for (let at = SIX; at < SIX + 60; at++)
    steps.push(
      ...watch.take({
        ...second(at, level),
        levels: { leq: level, lmax: level, lpeak: level },
        lp: Array.from({ length: 10 }, () => level),
      }),
    );
  return kinds([...steps, ...watch.tick(SIX + 200)]).filter((kind) => kind === 'open');
}

t.test('a level that meets its limit as it is shown opens nothing, of every quantity and kind of window', async (t) => {
  const wrong: string[] = [];
  const check = (level: number, wanted: boolean, more: Partial<LevelRule>) => {
    const isOpen = minuteOf(level, more).length > 0;
    if (isOpen !== wanted) wrong.push(`${level} dB ${JSON.stringify(more)}: ${isOpen}`);
  };
  const forms: Partial<LevelRule>[] = [
    {},
    { align: 'sliding' },
    ...['lmax', 'lpeak'].flatMap((quantity) => [{ quantity }, { quantity, align: 'sliding' } as const]),
  ];
  for (const form of forms)
    for (const limit_db of Array.from({ length: 400 }, (_, tenths) => (400 + tenths) / 10)) {
      check(limit_db, false, { ...form, limit_db });
      check(limit_db + 0.1, true, { ...form, limit_db });
      check(limit_db - 0.1, false, { ...form, limit_db });
    }
  for (const form of forms) {
    for (const [level, limit_db, isAbove] of [
      [74.9951, 75, false],
      [74.95, 75, false],
      [74.95, 74.9, true],
      [74.9499, 74.9, true],
      [74.9449, 74.9, false],
      [75.04, 75, false],
      [75.05, 75, true],
    ] as const)
      check(level, isAbove, { ...form, limit_db });
    check(75.004, false, { ...form, limit_db: 75, decimals: 2 });
    check(75.01, true, { ...form, limit_db: 75, decimals: 2 });
    check(75.4, false, { ...form, limit_db: 75, decimals: 0 });
    check(75.6, true, { ...form, limit_db: 75, decimals: 0 });
  }
  // Percentiles are made of classes of 0.1 dB.
  for (const align of ['clock', 'sliding'] as const)
    for (const [level, isAbove] of [
      [75, false],
      [75.1, true],
      [74.9, false],
      [74.9499, false],
      [75.04, false],
    ] as const)
      check(level, isAbove, { quantity: 'l10', limit_db: 75, align });
  t.strictSame(wrong, []);
});

t.test(
  'an event of a whole window is there if and only if its Leq is above the limit, and its value is that Leq',
  async (t) => {
    const levels = fc.array(fc.double({ min: 30, max: 110, noNaN: true }), { minLength: 60, maxLength: 60 });
    const failed = fc.check(
      fc.property(levels, fc.integer({ min: 50, max: 100 }), (seconds, limit_db) => {
        const watch = levelWatch(rule({ window: '1m', limit_db, clear_db: limit_db }), 'UTC');
        const steps = seconds.flatMap((level, index) => watch.take(second(SIX + index, level)));
        steps.push(...watch.tick(SIX + 600));
        const leq = energyMean(seconds.map((level) => ({ level, seconds: 1 }))) ?? 0;
        const values = steps.flatMap((step) => ('value' in step ? [step.value] : []));
        if (Math.abs(leq - limit_db - 0.05) < 1e-6) return true;
        const isGrowing = values.every((value, index) => index === 0 || value > (values[index - 1] ?? 0));
        const worst = values.at(-1);
        return leq > limit_db + 0.05
          ? isGrowing && worst !== undefined && Math.abs(worst - leq) < 1e-6
          : steps.length === 0;
      }),
      { numRuns: 100 },
    ).counterexample;
    t.equal(failed, null);
  },
);

t.test('what a sliding window holds is the mean of its last seconds, whatever was before', async (t) => {
  const levels = fc.array(fc.double({ min: 20, max: 140, noNaN: true }), { minLength: 61, maxLength: 200 });
  const failed = fc.check(
    fc.property(levels, (seconds) => {
      const watch = levelWatch(rule({ window: '1m', align: 'sliding' }), 'UTC');
      for (const [index, level] of seconds.entries()) watch.take(second(SIX + index, level));
      const leq = energyMean(seconds.slice(-60).map((level) => ({ level, seconds: 1 }))) ?? 0;
      return Math.abs((watch.sum.value ?? 0) - leq) < 1e-6;
    }),
    { numRuns: 50 },
  ).counterexample;
  t.equal(failed, null);
});

t.test(
  'a wall clock that was an hour ahead for a while costs the window that is on, not all that follow',
  async (t) => {
    for (const align of ['clock', 'sliding'] as const) {
      const watch = levelWatch(rule({ window: '5m', align }), 'UTC');
      run(watch, SIX, [[40, 30]]);
      t.equal(kinds(run(watch, SIX + 3_600, [[90, 250]]))[0], 'open', `${align}: in the hour ahead`);
      t.same(kinds(run(watch, SIX + 60, [[40, 240]])), ['close'], `${align}: back again`);
      t.equal(kinds(run(watch, SIX + 300, [[90, 299]]))[0], 'open', `${align}: the next limit that is broken`);
    }
  },
);

t.test('percentiles of a sliding window are those of a new count of its samples', async (t) => {
  const sample = fc.double({ min: 20, max: 120, noNaN: true });
  const gap = fc.constantFrom(1, 1, 1, 2, 30, 200);
  const rows = fc.array(fc.record({ gap, lp: fc.array(sample, { maxLength: 10 }) }), { minLength: 1, maxLength: 200 });
  const failed = fc.check(
    fc.property(rows, fc.constantFrom('l01', 'l10', 'l50', 'l95'), (seconds, quantity) => {
      const watch = levelWatch(rule({ window: '1m', align: 'sliding', quantity }), 'UTC');
      let at = SIX;
      const taken: { at: number; lp: number[] }[] = [];
      for (const { gap, lp } of seconds) {
        at += gap;
        taken.push({ at, lp });
        watch.take({ at, to: at + 1, seconds: lp.length / 10, levels: { leq: 50 }, lp });
      }
      // A row without samples does not move the window.
      const newest = taken.findLast(({ lp }) => lp.length > 0)?.at ?? at;
      const truth = new LevelCounts();
      const inside = taken.filter((row) => row.at + 60 > newest).flatMap(({ lp }) => lp);
      for (const level of inside) truth.add(level);
      const isSame = watch.sum.value === truth.exceeded(Number(quantity.slice(1)));
      return isSame && watch.sum.seconds === inside.length / 10;
    }),
    { numRuns: 300 },
  ).counterexample;
  t.equal(failed, null);
});

t.test(
  'rows without samples do not count for a percentile, and rows without a maximum do not count for a maximum',
  async (t) => {
    for (const align of ['clock', 'sliding'] as const)
      for (const quantity of ['l10', 'lmax']) {
        const watch = levelWatch(rule({ align, quantity }), 'UTC');
        watch.take({ at: SIX, to: SIX + 60, seconds: 60, levels: { leq: 50, lmax: null } });
        t.strictSame([watch.sum.value, watch.sum.seconds], [null, 0], `${align} ${quantity}`);
      }
  },
);

t.test('a sliding window of 15 min is 900 s long at each second, for a mean and a percentile', async (t) => {
  const levels = Array.from({ length: 4_000 }, (_, at) => (at >= 1_000 && at < 1_030 ? 74.81 : 20));
  // By plain arithmetic: 30 s in 900 s are 60.04 dB, shown as 60.0; in 897 s they would be 60.05, shown as 60.1.
  const mean = 10 * Math.log10((30 * 10 ** 7.481 + 870 * 10 ** 2) / 900);
  t.ok(mean > 60 && mean < 60.05, `${mean}`);
  const quiet = levelWatch(rule({ align: 'sliding', limit_db: 60, clear_db: 58 }), 'UTC');
  const steps = levels.flatMap((level, at) => quiet.take(second(SIX + at, level)));
  t.strictSame(steps, [], 'no event');
  const random = fc
    .sample(fc.integer({ min: 300, max: 900 }), { numRuns: 4_000, seed: 7 })
    .map((tenths) => tenths / 10);
  for (const [window, length] of [
    ['15m', 900],
    ['1h', 3_600],
  ] as const) {
    const watch = levelWatch(rule({ align: 'sliding', window, limit_db: 200, clear_db: 200 }), 'UTC');
    const loudest = levelWatch(
      rule({ align: 'sliding', window, quantity: 'lmax', limit_db: 200, clear_db: 200 }),
      'UTC',
    );
    const l10 = levelWatch(rule({ align: 'sliding', window, quantity: 'l10', limit_db: 200, clear_db: 200 }), 'UTC');
    let worst = 0;
    for (const [at, level] of random.entries()) {
      const piece = { ...second(SIX + at, level), lp: [level] };
      for (const one of [watch, loudest, l10]) one.take(piece);
      if (at % 37 > 0 && at % 900 > 2) continue;
      const own = random.slice(Math.max(0, at + 1 - length), at + 1);
      const leq = 10 * Math.log10(own.reduce((sum, each) => sum + 10 ** (each / 10), 0) / own.length);
      worst = Math.max(worst, Math.abs((watch.sum.value ?? 0) - leq));
      worst = Math.max(worst, Math.abs((loudest.sum.value ?? 0) - Math.max(...own) - 3));
      const counts = new LevelCounts();
      for (const each of own) counts.add(each);
      worst = Math.max(worst, Math.abs((l10.sum.value ?? 0) - (counts.exceeded(10) ?? 0)));
      for (const one of [watch, loudest, l10]) if (Math.abs(one.sum.seconds - own.length) > 1e-6) worst = 1_000;
    }
    t.ok(worst < 1e-6, `${window}: ${worst} dB`);
  }
});
