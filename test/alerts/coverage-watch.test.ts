/** When too little of a window was measured: known cases, edges met exactly, silence. */
import t from 'tap';
import {
  type CoverageStep,
  CoverageWatch,
  type KeptCoverageRule,
} from '../../plugins/alerts/rules/coverage/coverage-kind.ts';

/** 21 November 2026, 06:00 UTC, a Saturday. */
const SIX = Date.UTC(2026, 10, 21, 6) / 1_000;
const rule = (more: Partial<KeptCoverageRule> = {}): KeptCoverageRule => ({
  id: '1',
  createdAt: 0,
  changedAt: 0,
  name: 'gaps',
  enabled: true,
  severity: 'warning',
  targets: [],
  kind: 'coverage',
  window: '15m',
  least_percent: 75,
  ...more,
});

function run(watch: CoverageWatch, from: number, spans: readonly (readonly [measured: boolean, seconds: number])[]) {
  const steps: CoverageStep[] = [];
  let at = from;
  for (const [measured, seconds] of spans)
    for (const end = at + seconds; at < end; at++)
      steps.push(
        ...(measured ? watch.take({ at, to: at + 1, seconds: 1, levels: { leq: 50 } }) : []),
        ...watch.tick(at + 1),
      );
  return steps;
}

t.test('675 of 900 seconds are 75 %, one second less is not', async (t) => {
  const enough = run(new CoverageWatch(rule(), 'UTC'), SIX, [
    [true, 675],
    [false, 300],
  ]);
  t.same(enough, []);
  const less = run(new CoverageWatch(rule(), 'UTC'), SIX, [
    [true, 674],
    [false, 300],
  ]);
  t.match(less, [{ kind: 'open', at: SIX + 900, value: 74.9, window: { from: SIX, to: SIX + 900 } }]);
});

t.test(
  'silence opens an event as soon as the window cannot have enough, and the first whole window ends it',
  async (t) => {
    const watch = new CoverageWatch(rule(), 'UTC');
    watch.begin(SIX);
    const [open, ...later] = run(watch, SIX, [[false, 2_000]]);
    t.match(open, { kind: 'open', at: SIX + 226, value: 74.9 }, 'half a minute is left for late levels');
    t.same(later, [
      { kind: 'worse', at: SIX + 900, value: 0, window: { from: SIX, to: SIX + 900 } },
      { kind: 'further', to: SIX + 1_800 },
    ]);
    const back = run(watch, SIX + 2_000, [[true, 1_700]]);
    t.same(
      back.filter(({ kind }) => kind === 'close'),
      [{ kind: 'close', at: SIX + 2_700 }],
    );
  },
);

t.test('a window in which the rule was made, and times outside of its schedule, are not judged', async (t) => {
  const made = new CoverageWatch(rule({ changedAt: (SIX + 60) * 1_000 }), 'UTC');
  made.begin(SIX + 60);
  t.same(run(made, SIX + 60, [[false, 860]]), []);
  t.match(run(made, SIX + 920, [[false, 300]]), [{ kind: 'open', window: { from: SIX + 900 } }]);
  const schedule = [{ days: ['sat'], from: '06:00', to: '06:15' }] as const;
  const watch = new CoverageWatch(rule({ schedule }), 'UTC');
  watch.begin(SIX - 900);
  t.same(run(watch, SIX - 900, [[false, 900]]), []);
  const steps = run(watch, SIX, [[false, 1_900]]);
  t.match(steps[0], { kind: 'open' });
  t.same(steps.at(-1), { kind: 'close', at: SIX + 900 }, 'the end of the schedule ends it');
});

t.test('the night of 25 hours wants its part of nine hours', async (t) => {
  const begin = Date.UTC(2026, 9, 24, 21) / 1_000;
  const watch = new CoverageWatch(rule({ window: 'night' }), 'Europe/Berlin');
  watch.begin(begin);
  t.same(
    run(watch, begin, [
      [true, 24_300],
      [false, 8_200],
    ]),
    [],
    '6.75 of 9 hours',
  );
  const short = new CoverageWatch(rule({ window: 'night' }), 'Europe/Berlin');
  short.begin(begin);
  t.match(
    run(short, begin, [
      [true, 24_299],
      [false, 8_200],
    ]),
    [{ kind: 'open' }],
  );
});
