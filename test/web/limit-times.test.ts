/** Which limits a chart draws, and when: those of rules about its channel, in the hours in which they hold. */
import t from 'tap';
import type { AlertRule } from '../../client/index.ts';
import { drawnLimits, holdsAt, madeAfter, partsOf } from '../../web/state/limits.ts';
import { standIn } from '../support/stand-in.ts';

const zone = 'Europe/Berlin';
const days = ['mon', 'tue', 'wed', 'thu', 'fri'] as const;
/** 20 November 2026 is a Friday; the clock of Berlin is an hour ahead of UTC. */
type Times = Parameters<typeof holdsAt>[0];
const holds = (rule: Times, time: string) => holdsAt(rule, Date.parse(time), zone);

t.test('a limit of working days holds between its hours', async (t) => {
  const rule: Times = { window: '15m', schedule: [{ days: [...days], from: '07:00', to: '20:00' }] };
  t.equal(holds(rule, '2026-11-20T05:59:00Z'), false);
  t.equal(holds(rule, '2026-11-20T06:00:00Z'), true);
  t.equal(holds(rule, '2026-11-20T18:59:00Z'), true);
  t.equal(holds(rule, '2026-11-20T19:00:00Z'), false);
  t.equal(holds(rule, '2026-11-21T10:00:00Z'), false, 'not on a Saturday');
  t.equal(
    holds({ window: '15m', schedule: [{ days: ['fri'], from: '00:00', to: '24:00' }] }, '2026-11-20T22:30:00Z'),
    true,
  );
});

t.test('hours over midnight belong to the day on which they began', async (t) => {
  const rule: Times = { window: '1h', schedule: [{ days: [...days], from: '20:00', to: '07:00' }] };
  t.equal(holds(rule, '2026-11-20T22:30:00Z'), true, 'Friday, before midnight');
  t.equal(holds(rule, '2026-11-21T03:00:00Z'), true, 'and after it');
  t.equal(holds(rule, '2026-11-21T20:00:00Z'), false, 'not on Saturday evening');
  t.equal(holds(rule, '2026-11-23T03:00:00Z'), false, 'nor in the morning of Monday');
});

t.test('a window of the night holds at night; without hours a limit holds always', async (t) => {
  t.equal(holds({ window: 'night' }, '2026-11-20T22:30:00Z'), true);
  t.equal(holds({ window: 'night' }, '2026-11-20T12:00:00Z'), false);
  t.equal(holds({ window: '1h' }, '2026-11-20T12:00:00Z'), true);
});

t.test('a limit is pale before its rule was made', async (t) => {
  const spans = [
    [0, 100],
    [200, 300],
  ] as const;
  t.strictSame(partsOf(spans, 250), [
    { from: 0, to: 100, isBefore: true },
    { from: 200, to: 250, isBefore: true },
    { from: 250, to: 300, isBefore: false },
  ]);
  t.ok(
    partsOf(spans, -5_000).every(({ isBefore }) => !isBefore),
    'an old rule is drawn as a whole',
  );
  t.ok(
    partsOf(spans, 400).every(({ isBefore }) => isBefore),
    'a rule that was made after the span is pale as a whole',
  );
  const rules = [{ rule: { created_at: '2026-11-20T12:00:00Z' } }, {}];
  t.strictSame(madeAfter(rules, Date.parse('2026-11-20T00:00:00Z')), [rules[0]]);
  t.strictSame(madeAfter(rules, Date.parse('2026-11-20T12:00:00Z')), []);
});

t.test('a limit is drawn over the levels of its channel alone', async (t) => {
  const usual = { name: 'Limit', enabled: true, channel: undefined, tag: undefined, limit_db: 70 };
  const rule = (more: Partial<AlertRule>) => standIn<AlertRule>({ ...usual, units: ['roof'], ...more });
  const tagged = standIn<AlertRule>({ ...usual, units: undefined, tag: 'site', channel: 'sub1', limit_db: 80 });
  const rules = [
    ...[rule({}), rule({ id: '2', channel: 'main', limit_db: 75 }), tagged],
    ...[rule({ channel: 'sub1', enabled: false }), rule({ channel: 'sub1', units: ['yard'] })],
  ];
  const drawn = (channel: string) =>
    drawnLimits(rules, { unit_id: 'roof', tags: ['site'] }, channel).map(({ level }) => level);
  t.strictSame(drawn('main'), [70, 75], 'a rule without a channel is about the main one');
  t.strictSame(drawn('sub1'), [80]);
  t.strictSame(drawn('sub2'), []);
});
