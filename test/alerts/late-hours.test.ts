/** Hours of levels that come in any order, twice, or over an open event: the events are those of the levels, whatever the order. */
import { isDeepStrictEqual } from 'node:util';
import t, { type Test } from 'tap';
import { createLog } from '../../lib/log.ts';
import { EventLog } from '../../plugins/alerts/events/event-log.ts';
import { EventSounds } from '../../plugins/alerts/events/event-sound.ts';
import { Revision } from '../../plugins/alerts/events/revision.ts';
import type { KeptLevelRule } from '../../plugins/alerts/rules/level/level-rule.ts';
import { UnitWatches } from '../../plugins/alerts/rules/unit-watches.ts';
import { ALERT_MIGRATIONS, ALERT_TABLES, EVENTS } from '../../plugins/alerts/tables.ts';
import { NOTHING_EXCLUDED } from '../../plugins/notes/excluded.ts';
import { folder } from '../store/setup.ts';
import { standIn } from '../support/stand-in.ts';

const [HOUR_S, MINUTE_S] = [3_600, 60];
const [QUIET, LOUD, LOUDER] = [50, 80, 82];
/** Minutes of the six hours: too loud from 1:30 to 3:15, loudest in one minute, and from 4:00 to 4:15. */
function levelAt(second: number): number {
  if (second >= 4 * HOUR_S && second < 4 * HOUR_S + 900) return LOUDER;
  return second >= 1.5 * HOUR_S && second < 3.25 * HOUR_S ? LOUD : QUIET;
}
const PEAK = { at: 2 * HOUR_S + 5 * MINUTE_S, lmax: 99 };
const rule: KeptLevelRule = {
  id: '1',
  name: 'limit',
  units: ['roof'],
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
  continue: true,
  createdAt: 0,
  changedAt: 0,
};
const energy = (level: number) => 10 ** (level / 10);

/** By plain arithmetic; times in seconds of the six hours. */
const EXPECTED = [
  { from: 1.5 * HOUR_S, to: 3.25 * HOUR_S, worst: LOUD, lae: 10 * Math.log10(6_300 * energy(LOUD)), loudest: PEAK },
  {
    from: 4 * HOUR_S,
    to: 4.25 * HOUR_S,
    worst: LOUDER,
    lae: 10 * Math.log10(900 * energy(LOUDER)),
    loudest: { at: 4 * HOUR_S, lmax: LOUDER + 3 },
  },
].map(({ lae, ...event }) => ({ ...event, lae: Math.round(lae * 100) / 100 }));

const weighting = { frequency: 'A', time: 'F' } as const;

/** `day`: that of the six hours; 0 is today. */
async function opened(t: Test, own: Partial<KeptLevelRule> = {}, day = -1) {
  const place = folder(t);
  const store = await place.open();
  const tables = await store.tables('alerts', ALERT_TABLES, ALERT_MIGRATIONS);
  const { clock } = place;
  const six = Math.floor(clock.now() / 1_000 / 86_400) * 86_400 + day * 86_400;
  const all = Array.from({ length: 360 }, (_, minute) => {
    const at = minute * MINUTE_S;
    const leq = levelAt(at);
    const lmax = at === PEAK.at ? PEAK.lmax : leq + 3;
    return { at: six + at, duration: MINUTE_S, leq, lmax, lmin: leq, lpeak: leq + 10 };
  });
  const rows = all.map((row) => ({ ...row, from: row.at, to: row.at + MINUTE_S, measured: MINUTE_S, ln: [] }));
  /** Whether an hour has come. */
  let come = Array.from({ length: 6 }, () => false);
  const isHere = (at: number) => come[Math.floor((at - six) / HOUR_S)] === true;
  const history = {
    flush: async () => {},
    async query({
      over,
    }: {
      over: { from: number; to: number } | { ranges: readonly { from: number; to: number }[] };
    }) {
      const { from = 0, to = 0 } = 'ranges' in over ? (over.ranges[0] ?? {}) : over;
      const found = rows.filter((row) => row.from >= from && row.to <= to && isHere(row.from));
      const leq = 10 * Math.log10(found.reduce((sum, row) => sum + energy(row.leq), 0) / found.length);
      const peak = found.reduce((best, row) => (row.lmax > best.lmax ? row : best), found[0] ?? { lmax: 0, at: 0 });
      const sum = { from, to, leq, lmax: peak.lmax, lmaxAt: peak.at, measured: found.length * MINUTE_S, ln: [] };
      const page = 'ranges' in over ? (found.length > 0 ? [sum] : []) : found;
      return {
        weighting,
        rows: (async function* () {
          yield page;
        })(),
      };
    },
  };
  const { signal } = new AbortController();
  const log = createLog('silent');
  const told: string[] = [];
  const events: EventLog = new EventLog({
    tables,
    clock,
    log,
    signal,
    messages: { add: async () => [] },
    deliveries: { wake: () => {} },
    tell: (changed) => {
      told.push(changed.change);
      sounds.changed(changed);
    },
  });
  const kept = { ...rule, ...own };
  const config = { unitId: 'roof', timezone: 'UTC', tags: [] };
  const notes = { excluded: () => NOTHING_EXCLUDED };
  const host = standIn<ConstructorParameters<typeof Revision>[0]['host']>({
    clock,
    history,
    log,
    signal,
    notes,
    configs: { get: () => config },
  });
  const sounds: EventSounds = new EventSounds({ ...host, tables, events });
  const revision = new Revision(
    standIn<ConstructorParameters<typeof Revision>[0]>({
      host,
      tables,
      events,
      rules: { list: () => [kept] },
      watches: { readAgain: () => watches.readAgain() },
    }),
  );
  const watches: UnitWatches = new UnitWatches(
    'roof',
    standIn<ConstructorParameters<typeof UnitWatches>[1]>({ ...host, instances: undefined }),
    events,
    (data) => revision.late({ unitId: 'roof', data }),
  );
  watches.follow([kept], { timezone: 'UTC' });
  t.teardown(() => revision.close());
  const settled = async () => {
    await clock.advance(10_000);
    await revision.settled();
    await events.settled();
    await sounds.settled();
    await events.settled();
  };
  const bring = (hour: number) => {
    come[hour] = true;
    watches.rows({ unitId: 'roof', source: 'poll', weighting, intervals: all.slice(hour * 60, hour * 60 + 60) });
  };
  const found = async () => {
    const all = await tables.read((read) => read.find(EVENTS, { order: { openedAt: 'asc' } }));
    return all.map(({ windowFrom, closedAt, worst, sound }) => ({
      from: (windowFrom ?? 0) / 1_000 - six,
      to: (closedAt ?? 0) / 1_000 - six,
      worst,
      lae: sound?.lae ?? null,
      loudest: { at: (sound?.loudest?.at ?? 0) / 1_000 - six, lmax: sound?.loudest?.level },
    }));
  };
  const again = async () => {
    come = come.map(() => false);
    await tables.write((write) => write.remove(EVENTS, { id: { atLeast: 0 } }));
  };
  return { settled, hour: bring, found, again, told, clock, six, watches };
}

function* ordersOf(items: readonly number[]): Generator<readonly number[]> {
  if (items.length === 0) yield [];
  for (const item of items) for (const rest of ordersOf(items.filter((one) => one !== item))) yield [item, ...rest];
}

t.test('six hours that come late give the same two events, whatever their order', async (t) => {
  const { settled, hour, found, again, told } = await opened(t);
  const wrong: object[] = [];
  // Of the 720 orders every seventh: each hour comes first, last and in between.
  const some = [...ordersOf([0, 1, 2, 3, 4, 5])].filter((_, index) => index % 7 === 0);
  for (const order of some) {
    for (const one of order) {
      hour(one);
      await settled();
    }
    const events = await found();
    if (!isDeepStrictEqual(events, EXPECTED)) wrong.push({ order, events });
    await again();
  }
  t.equal(some.length, 103);
  t.strictSame(wrong.slice(0, 1), [], `${wrong.length} orders are wrong`);
  t.notOk(told.includes('opened'), 'no message says that a late event begins now');
  t.ok(told.includes('joined'), 'two events that are one are joined');
});

t.test('hours that come at once, newest first and each twice, give the same events', async (t) => {
  const { settled, hour, found } = await opened(t);
  for (const one of [5, 4, 3, 2, 1, 0]) hour(one);
  await settled();
  t.strictSame(await found(), EXPECTED);
  for (const one of [0, 3, 1, 2, 5, 4]) {
    hour(one);
    await settled();
  }
  t.strictSame(await found(), EXPECTED);
});

t.test('after hours that came late, will_exceed_at supposes that their last five minutes go on', async (t) => {
  const { settled, hour, clock, six, watches } = await opened(t, { window: '8h', limit_db: 76 }, 1);
  // Three o'clock: 90 min of 80 dB are measured, and they go on.
  await clock.advance((six + 3 * HOUR_S) * 1_000 - clock.now());
  t.equal(watches.budgets()[0]?.will_exceed_at, null);
  for (const one of [2, 0, 1]) hour(one);
  await settled();
  await settled();
  // 76.05 dB is shown as 76.1, the first level above the limit.
  const left = 8 * HOUR_S * energy(76.05) - 5_400 * energy(LOUD) - 5_400 * energy(QUIET);
  const expected = six + 3 * HOUR_S + left / energy(LOUD);
  const found = Date.parse(watches.budgets()[0]?.will_exceed_at ?? '') / 1_000;
  t.ok(Math.abs(found - expected) < 60, `${found - expected} s beside plain arithmetic`);
});
