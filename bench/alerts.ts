/**
 * The cost of alerts, on virtual time and a real database. 1,000 units have 3 level rules each at one row a second, and 200
 * units have 1,000 rules about percentiles of the last 8 hours. 10,000 messages go to a target that fails half the time.
 * Exits with 1 beyond a bound. `node bench/alerts.ts [messages]`
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../lib/clock.ts';
import type { Answer } from '../lib/history/contract.ts';
import { createLog } from '../lib/log.ts';
import { openStore } from '../lib/store/index.ts';
import { DeliveryQueue } from '../plugins/alerts/delivery/deliveries.ts';
import type { KeptLevelRule } from '../plugins/alerts/rules/level/level-rule.ts';
import { UnitWatches, type WatchedEvents } from '../plugins/alerts/rules/unit-watches.ts';
import { ALERT_MIGRATIONS, ALERT_TABLES, DELIVERIES, type DeliveryRow } from '../plugins/alerts/tables.ts';
import { NOTHING_EXCLUDED } from '../plugins/notes/excluded.ts';
import { VirtualClock } from '../simulator/clock.ts';

const UNITS = 1_000;
const SECONDS = 120;
/** A history without rows. */
const EMPTY: Answer = {
  channel: 'main',
  weighting: null,
  otherWeightings: [],
  step: 1,
  mayHaveBounds: false,
  digest: null,
  cutMinutes: false,
  rows: (async function* () {})(),
};
/** Units with rules about percentiles. */
const LISTENERS = 200;
const MESSAGES = Number(process.argv[2] ?? 10_000);
const BOUND = { core: 0.2, mb: 60, lateMs: 50 };
const log = createLog('error');

const rulesCost = await costOfRules();
const percentiles = await costOfPercentiles();
const { wrong, mb, tries, seconds } = await deliver();
console.log(
  `rules       ${UNITS} units, 3 rules each: ${(100 * rulesCost).toFixed(1)} % of a core (at most ${100 * BOUND.core} %)`,
);
console.log(
  `percentiles ${LISTENERS} units, 5 rules each over the last 8 h: ${(100 * percentiles.core).toFixed(1)} % of a core (at most ${100 * BOUND.core} %), ${percentiles.mb.toFixed(0)} MB; a message waits ${percentiles.lateMs.toFixed(1)} ms at most (at most ${BOUND.lateMs})`,
);
console.log(
  `deliveries  ${MESSAGES} messages in ${tries} tries, ${seconds.toFixed(0)} s: ${wrong} lost or out of order, ${mb.toFixed(0)} MB more (at most ${BOUND.mb})`,
);
const isSlow = rulesCost > BOUND.core || percentiles.core > BOUND.core || percentiles.lateMs > BOUND.lateMs;
process.exitCode = isSlow || wrong > 0 || mb > BOUND.mb ? 1 : 0;

/** Units with these rules, on a clock that does not move and a history without rows. */
async function unitsWith(count: number, rules: readonly KeptLevelRule[]) {
  const clock = new VirtualClock();
  const signal = new AbortController().signal;
  const notes = { excluded: () => NOTHING_EXCLUDED };
  const instances = () => ({ members: [], takeovers: 0, gap: undefined });
  const parts = { clock, log, signal, notes, instances, history: { query: async () => EMPTY } };
  const heard = { opened: 0 };
  const nothing = () => undefined;
  const events: WatchedEvents = {
    openOf: nothing,
    lastWindowOf: nothing,
    worse: nothing,
    further: nothing,
    end: nothing,
    begin: () => void heard.opened++,
  };
  const units = Array.from({ length: count }, (_, number) => {
    const unit = new UnitWatches(`unit-${number}`, parts, events);
    unit.follow(rules, { timezone: 'Europe/Berlin' });
    return unit;
  });
  await clock.advance(1_000);
  return { units, heard, begin: Math.floor(clock.now() / 1_000) };
}

function levelAt(second: number): number {
  return 60 + 10 * Math.sin(second / 20) + (second % 3);
}

function feed(units: readonly UnitWatches[], at: number, level: number, lp: readonly number[]): void {
  const levels = { leq: level, lmax: level + 2, lmin: level - 2, lpeak: level + 12 };
  const row = { at, steps: 10, ...levels, lp: [...lp] };
  const batch = { source: 'stream', weighting: { frequency: 'A', time: 'F' }, seconds: [row] } as const;
  for (const [number, unit] of units.entries()) unit.rows({ unitId: `unit-${number}`, ...batch });
}

/** CPU seconds for a second of rows. */
async function costOfRules(): Promise<number> {
  const rules = [rule('1', '15m', 'clock'), rule('2', '1h', 'sliding'), rule('3', 'day', 'clock')];
  const { units, heard, begin } = await unitsWith(UNITS, rules);
  // An hour in the windows first: a full sliding window is the dear one.
  for (let second = 0; second < 3_600; second += 12) feed(units, begin + second, levelAt(second), []);
  const before = process.cpuUsage();
  for (let second = 3_600; second < 3_600 + SECONDS; second++) feed(units, begin + second, levelAt(second), []);
  const { user, system } = process.cpuUsage(before);
  if (heard.opened === 0) throw new Error('no rule has opened an event: nothing was measured');
  return (user + system) / 1e6 / SECONDS;
}

/** The same for percentiles of eight hours, and the longest second: that is how late the message of an event can be. */
async function costOfPercentiles() {
  const before = process.memoryUsage().rss;
  const rules = ['l05', 'l10', 'l50', 'l90', 'l95'].map((quantity, index) => ({
    ...rule(String(index + 1), '8h', 'sliding'),
    quantity,
  }));
  const { units, heard, begin } = await unitsWith(LISTENERS, rules);
  const samples = (second: number, count: number) =>
    Array.from({ length: count }, (_, index) => levelAt(second + index / 10) + (index % 7) / 10);
  // Eight hours first, as a row for each part of the window.
  for (let second = 0; second < 28_800; second += 96)
    feed(units, begin + second, levelAt(second), samples(second, 960));
  const mb = (process.memoryUsage().rss - before) / 1e6;
  let lateMs = 0;
  const used = process.cpuUsage();
  for (let second = 28_800; second < 28_800 + SECONDS; second++) {
    const began = performance.now();
    feed(units, begin + second, levelAt(second), samples(second, 10));
    lateMs = Math.max(lateMs, performance.now() - began);
  }
  const { user, system } = process.cpuUsage(used);
  if (heard.opened === 0) throw new Error('no rule has opened an event: nothing was measured');
  return { core: (user + system) / 1e6 / SECONDS, mb, lateMs };
}

function rule(id: string, window: KeptLevelRule['window'], align: 'clock' | 'sliding'): KeptLevelRule {
  const common = {
    id,
    name: id,
    units: [],
    enabled: true,
    severity: 'warning',
    targets: [],
    createdAt: 0,
    changedAt: 0,
  } as const;
  return { ...common, kind: 'level', quantity: 'leq', window, align, limit_db: 62, clear_db: 60, min_coverage: 0.01 };
}

async function deliver() {
  const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
  const options = {
    dataDir: join(folder, 'data'),
    keyFile: join(folder, 'key'),
    timezone: () => 'UTC',
    clock: systemClock,
    log,
  };
  const store = await openStore(options);
  const tables = await store.tables('alerts', ALERT_TABLES, ALERT_MIGRATIONS);
  const clock = new VirtualClock();
  const row = (id: number): DeliveryRow => ({
    id,
    targetId: 1,
    phone: null,
    eventId: id,
    type: 'opened',
    event: { unit_id: 'roof' },
    state: 'waiting',
    tries: 0,
    createdAt: clock.now(),
    notBefore: clock.now(),
    endedAt: null,
    outcome: '',
    batch: null,
    reach: null,
  });
  for (let id = 1; id <= MESSAGES; id += 500)
    await tables.write((rows) =>
      rows.put(
        DELIVERIES,
        Array.from({ length: Math.min(500, MESSAGES - id + 1) }, (_, index) => row(id + index)),
      ),
    );
  const heap = process.memoryUsage().rss;
  const began = performance.now();
  const arrived: number[] = [];
  let tries = 0;
  let dice = 1;
  const end = new AbortController();
  const send = async ([message]: readonly DeliveryRow[]) => {
    tries += 1;
    dice = (dice * 48_271) % 2_147_483_647;
    const ok = dice % 2 === 0;
    if (ok && message) arrived.push(message.id);
    return { ok, outcome: ok ? 'fine' : 'down' };
  };
  new DeliveryQueue({ tables, clock, log, signal: end.signal, own: { targetId: 1 }, most: 1, gatherMs: 0, send });
  while (arrived.length < MESSAGES) {
    await new Promise((resolve) => setImmediate(resolve));
    if (clock.pending > 0) await clock.advance(7_200_000);
  }
  const seconds = (performance.now() - began) / 1_000;
  end.abort(new Error('the bench is over'));
  const mb = (process.memoryUsage().rss - heap) / 1e6;
  await store.close();
  await rm(folder, { recursive: true, force: true });
  return { wrong: arrived.filter((id, index) => id !== index + 1).length, mb, tries, seconds };
}
