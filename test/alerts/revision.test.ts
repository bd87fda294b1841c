/** Events are corrected when the levels of the card come. */

import t, { type Test } from 'tap';
import { createLog } from '../../lib/log.ts';
import { EventLog } from '../../plugins/alerts/events/event-log.ts';
import { Revision } from '../../plugins/alerts/events/revision.ts';
import type { KeptLevelRule } from '../../plugins/alerts/rules/level/level-rule.ts';
import { ALERT_MIGRATIONS, ALERT_TABLES, EVENTS, type EventRow } from '../../plugins/alerts/tables.ts';
import { NOTHING_EXCLUDED } from '../../plugins/notes/excluded.ts';
import { folder } from '../store/setup.ts';
import { PlainHistory } from '../support/plain-history.ts';
import { standIn } from '../support/stand-in.ts';

const weighting = { frequency: 'A', time: 'F' } as const;
const rule = (more: Partial<KeptLevelRule> = {}): KeptLevelRule => ({
  id: '1',
  name: 'limit',
  units: ['roof'],
  enabled: true,
  severity: 'warning',
  targets: [],
  kind: 'level',
  quantity: 'leq',
  window: '1m',
  align: 'clock',
  limit_db: 75,
  clear_db: 73,
  min_coverage: 0.5,
  createdAt: 0,
  changedAt: 0,
  ...more,
});

async function opened(t: Test, rules: readonly KeptLevelRule[]) {
  const place = folder(t);
  const store = await place.open();
  const tables = await store.tables('alerts', ALERT_TABLES, ALERT_MIGRATIONS);
  const { clock } = place;
  // Ten minutes ago.
  const from = Math.floor(clock.now() / 60_000) * 60 - 600;
  const history = new PlainHistory(() => clock.now());
  const row = (at: number, leq: number) => ({ at, steps: 10, leq, lmax: leq, lmin: leq, lpeak: leq, lp: [leq] });
  const seconds = (level: number, first: number, count: number) =>
    Array.from({ length: count }, (_, index) => row(from + first + index, level));
  const told: EventRow[] = [];
  const { signal } = new AbortController();
  const log = createLog('silent');
  const events = new EventLog({
    tables,
    clock,
    log,
    signal,
    messages: { add: async () => [] },
    deliveries: { wake: () => {} },
    tell: ({ change, event }) => void (change === 'joined' || told.push(event)),
  });
  const put = async (...known: EventRow[]) => {
    await tables.write((rows) => rows.put(EVENTS, known));
    await events.load();
  };
  const notes = { excluded: () => NOTHING_EXCLUDED };
  const config = { unitId: 'roof', timezone: 'UTC', tags: [] };
  const host = { clock, history, notes, log, signal, configs: { get: () => config } };
  const revision = new Revision(
    standIn<ConstructorParameters<typeof Revision>[0]>({
      host,
      tables,
      events,
      rules: { list: () => rules },
      watches: { readAgain: () => {} },
    }),
  );
  t.teardown(() => revision.close());
  const stream = (rows: ReturnType<typeof seconds>) =>
    void history.append({ unitId: 'roof', source: 'stream', weighting, seconds: rows });
  /** Rows of the card come, and time passes until they have been looked at. */
  const card = async (rows: ReturnType<typeof seconds>) => {
    const batch = { unitId: 'roof', source: 'card', weighting, seconds: rows } as const;
    history.append(batch);
    const [first = 0, last = 0] = [rows[0]?.at, rows.at(-1)?.at];
    const data = { source: 'card', channel: 'main', from: first, to: last + 1 } as const;
    revision.late({ unitId: 'roof', data });
    await clock.advance(10_000);
    await revision.settled();
    return told.splice(0);
  };
  const known = (minute: number, worst: number): EventRow => {
    const windowTo = (from + minute * 60 + 60) * 1_000;
    return {
      id: 1,
      ruleId: 1,
      unitId: 'roof',
      ruleName: 'limit',
      severity: 'warning',
      kind: 'level',
      what: 'leq',
      limitValue: 75,
      windowFrom: windowTo - 60_000,
      windowTo,
      openedAt: windowTo,
      closedAt: windowTo,
      worst,
      worstAt: windowTo,
      windows: null,
      detail: '',
      ack: null,
      sentences: null,
      revised: null,
      cause: null,
      escalatedAt: null,
      sound: null,
      channel: null,
    };
  };
  return { clock, from, seconds, stream, card, put, known };
}

t.test('a gap that the card fills changes the value of an event, and both numbers are kept', async (t) => {
  const { seconds, stream, card, put, known } = await opened(t, [rule()]);
  stream(seconds(80, 0, 30));
  await put(known(0, 80));
  t.match(await card([...seconds(80, 0, 30), ...seconds(90, 30, 30)]), [
    { id: 1, worst: 87.4, revised: { value: 87.4, was: 80 } },
  ]);
});

t.test('a window that is too loud by the card becomes an ended event, reported once', async (t) => {
  const { from, seconds, stream, card } = await opened(t, [rule()]);
  stream([...seconds(70, 0, 40), ...seconds(74.98, 120, 60)]);
  const filled = [
    ...[...seconds(70, 0, 40), ...seconds(85, 40, 20)],
    ...seconds(80, 60, 60),
    ...seconds(75.04, 120, 60),
    ...seconds(60, 180, 60),
  ];
  const late = await card(filled);
  const at = (minute: number) => (from + minute * 60) * 1_000;
  t.match(late, [
    { ruleId: 1, windowFrom: at(0), closedAt: at(1), worst: 80.5, revised: { value: 80.5, was: 70 } },
    { ruleId: 1, windowFrom: at(1), closedAt: at(2), worst: 80, revised: { value: 80, was: null } },
  ]);
  t.equal(late.length, 2, 'the third window had been measured, and differs by rounding alone');
  t.strictSame(await card(seconds(60, 300, 5)), []);
  t.strictSame(await card(filled), [], 'nothing is told twice');
});

t.test(
  'no event comes for windows before the rule, for rules within their limit, or for the present window',
  async (t) => {
    const rules = [rule({ limit_db: 95, clear_db: 95 })];
    const { clock, from, seconds, card } = await opened(t, rules);
    rules.push(rule({ id: '2', changedAt: (from + 90) * 1_000 }));
    const late = await card(seconds(80, 0, 180));
    t.match(
      late.map(({ ruleId, windowFrom }) => [ruleId, (windowFrom ?? 0) / 1_000 - from]),
      [
        [2, 60],
        [2, 120],
      ],
      'the window in which a rule was made counts as a whole',
    );
    const now = Math.floor(clock.now() / 1_000) - from;
    t.strictSame(await card(seconds(80, Math.floor(now / 60) * 60, 5)), [], 'it is not over');
  },
);

t.test(
  'sliding windows and percentiles are found as well; a window that overlaps a known event belongs to it',
  async (t) => {
    const { seconds, card, put, known } = await opened(t, [
      rule({ align: 'sliding', min_coverage: 1 }),
      rule({ id: '2', quantity: 'l10', limit_db: 79, clear_db: 79 }),
    ]);
    await put({ ...known(5, 80), ruleId: 1 });
    const late = await card([
      ...[...seconds(60, 0, 60), ...seconds(80, 60, 60), ...seconds(50, 120, 120)],
      ...[...seconds(60, 240, 60), ...seconds(79.95, 300, 60), ...seconds(50, 360, 120)],
    ]);
    t.match(
      late.map(({ id, ruleId, what }) => [id === 1, ruleId, what]),
      [
        [false, 1, 'leq'],
        [true, 1, 'leq'],
        [false, 2, 'l10'],
        [false, 2, 'l10'],
      ],
      'the known one gets its true times',
    );
  },
);

t.test(
  'levels of the card are of the main channel: a rule about another channel and its events do not change',
  async (t) => {
    const { seconds, stream, card, put, known } = await opened(t, [rule({ channel: 'sub1' })]);
    stream(seconds(70, 0, 30));
    await put({ ...known(0, 70), channel: 'sub1' });
    t.strictSame(await card([...seconds(70, 0, 30), ...seconds(90, 30, 90)]), []);
  },
);
