/** The rest of a limit, and the answer for rules that have no rest. */
import fc from 'fast-check';
import t from 'tap';
import type { LevelRule } from '../../plugins/alerts/rules/level/level-rule.ts';
import { budgetOf } from '../../plugins/alerts/rules/level/level-rule-watch.ts';
import { levelWatch } from '../../plugins/alerts/rules/level/replay.ts';

const SIX = Date.UTC(2026, 10, 21, 6) / 1_000;
const rule = (more: Partial<LevelRule> = {}) => ({
  ...({
    id: '1',
    name: 'limit',
    enabled: true,
    severity: 'warning',
    targets: [],
    kind: 'level',
    quantity: 'leq',
  } as const),
  ...({ window: '15m', align: 'clock', limit_db: 75, clear_db: 73, min_coverage: 0.5 } as const),
  ...more,
});
const second = (at: number, leq: number) => ({
  at,
  to: at + 1,
  seconds: 1,
  levels: { leq, lmax: leq + 3, lpeak: leq + 15 },
  lp: Array.from({ length: 10 }, () => leq),
});

/** So many seconds of a level since six. */
function after(seconds: number, level: number, more: Partial<LevelRule> = {}, goingOn: number | null = level) {
  const asked = rule(more);
  const watch = levelWatch(asked, 'UTC');
  for (let at = SIX; at < SIX + seconds; at++) watch.take(second(at, level));
  return budgetOf(asked, watch, SIX + seconds, goingOn);
}

t.test('ten minutes at 74 dB of 75 leave 76.5 dB for the rest, and nothing more after too much', async (t) => {
  t.match(after(600, 74), {
    elapsed_s: 600,
    measured_s: 600,
    leq_so_far: 74,
    remaining_may_average_db: 76.5,
    will_exceed_at: null,
    state: 'ok',
    note: null,
    window_to: '2026-11-21T06:15:00.000Z',
  });
  t.match(after(600, 74, {}, 78), { state: 'warning', will_exceed_at: /^2026-11-21T06:1[0-4]/ });
  t.match(after(100, 85), { state: 'exceeded', remaining_may_average_db: null, will_exceed_at: null });
});

t.test('a level that spends the rest of the budget reaches the limit exactly', async (t) => {
  const levels = fc.double({ min: 40, max: 74.9, noNaN: true });
  const found = await fc.check(
    fc.property(levels, fc.integer({ min: 1, max: 890 }), (level, seconds) => {
      const left = after(seconds, level)?.remaining_may_average_db ?? Number.NaN;
      const whole = 10 * Math.log10((seconds * 10 ** (level / 10) + (900 - seconds) * 10 ** (left / 10)) / 900);
      return Math.abs(whole - 75) < 0.006;
    }),
    { numRuns: 40 },
  );
  t.notOk(found.failed, `in 40 random windows: ${found.failed ? found.counterexample : 'all hold'}`);
});

t.test('a limit that is met exactly is spent and not exceeded: 75.04 dB is shown as 75.0', async (t) => {
  t.match(after(899, 75), { state: 'ok', leq_so_far: 75, will_exceed_at: null });
  t.match(after(899, 75.04), { state: 'ok', remaining_may_average_db: null, will_exceed_at: null });
  t.match(after(899, 75.06), { state: 'exceeded' });
  t.match(after(899, 75.04, { decimals: 2 }), { state: 'exceeded' });
  for (const [quantity, level, state] of [
    ['lmax', 72, 'ok'],
    ['lmax', 72.04, 'ok'],
    ['lmax', 72.06, 'exceeded'],
    ['l10', 75, 'ok'],
    ['l10', 75.1, 'exceeded'],
  ] as const)
    t.match(after(600, level, { quantity }), { state }, `${quantity} of ${level} dB`);
  t.match(after(900, 75.04, { align: 'sliding' }), { state: 'ok' });
  t.match(after(900, 75.06, { align: 'sliding' }), { state: 'exceeded' });
});

t.test(
  'with too little data the budget never says exceeded: it says what is missing, as the rule does not judge',
  async (t) => {
    /** Since six: so many seconds of a level, then nothing. */
    const gappy = (measured: number, level: number, now: number, more: Partial<LevelRule> = {}) => {
      const asked = rule(more);
      const watch = levelWatch(asked, 'UTC');
      const steps = Array.from({ length: measured }, (_, index) => watch.take(second(SIX + index, level))).flat();
      return { ...budgetOf(asked, watch, SIX + now, null), opened: steps.some(({ kind }) => kind === 'open') };
    };
    const missing = /^Too little is measured to judge this window: (100|300) s of the 450 s that the rule needs\.$/;
    // 100 s at 84.2 dB: 263 * 100 > 31.6 * 500 (times 10^6), and less than 31.6 * 900.
    t.match(gappy(100, 84.2, 500), { opened: false, state: 'no_data', note: missing, remaining_may_average_db: null });
    t.match(
      gappy(300, 76, 800),
      { opened: false, state: 'no_data', note: missing },
      'the rest cannot be enough any more',
    );
    t.match(gappy(300, 50, 800), { state: 'no_data', note: missing }, 'nor is a quiet window kept');
    t.match(gappy(100, 84.2, 101), { state: 'ok', note: null }, 'while it can be, there is a budget');
    t.match(
      gappy(100, 90, 500),
      { opened: true, state: 'exceeded' },
      'so much energy breaks the limit, whatever is missing',
    );
    t.match(gappy(100, 90, 800, { quantity: 'l10' }), { opened: false, state: 'no_data', note: missing });
    t.match(gappy(100, 90, 101, { align: 'sliding' }), { opened: false, state: 'no_data', note: missing });
    t.match(
      gappy(100, 90, 800, { quantity: 'lmax' }),
      { opened: true, state: 'exceeded' },
      'a maximum needs itself alone',
    );
  },
);

t.test('a maximum, a percentile and a sliding window have no budget, and say why', async (t) => {
  for (const [more, quiet, note] of [
    [{ quantity: 'lmax', limit_db: 80 }, 70, /one loud sound/],
    [{ quantity: 'lpeak', limit_db: 100 }, 70, /one loud sound/],
    [{ quantity: 'l10' }, 70, /end of its window/],
    [{ align: 'sliding' }, 70, /it has no end/],
  ] as const) {
    const known = after(600, quiet, more);
    t.match(known, { remaining_may_average_db: null, will_exceed_at: null, state: 'ok', note }, JSON.stringify(more));
    t.equal(typeof known?.leq_so_far, 'number', 'its value so far is told');
  }
  t.match(after(600, 90, { quantity: 'lmax', limit_db: 80 }), { state: 'exceeded', leq_so_far: 93 });
  t.match(after(900, 90, { align: 'sliding' }), { state: 'exceeded', window_to: '2026-11-21T06:15:00.000Z' });
});

t.test('outside its schedule a rule has no window', async (t) => {
  const schedule = [{ days: ['mon' as const], from: '07:00', to: '19:00' }];
  t.equal(after(60, 70, { schedule }), undefined, 'a Saturday');
});
