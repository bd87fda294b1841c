/** A unit is removed while the database does not answer: what comes later under its name gets nothing of it. */
import { mkdtempSync } from 'node:fs';
import t, { type Test } from 'tap';
import { forgetRemoved, type KeptOfUnits } from '../../lib/plugin/removed-units.ts';
import { CycleStore } from '../../plugins/campaign/cycles/cycle-store.ts';
import { ProfileStore } from '../../plugins/campaign/profiles/profile-store.ts';
import { ScheduleStore } from '../../plugins/campaign/schedules/schedule-store.ts';
import { CAMPAIGN_MIGRATIONS, TABLES } from '../../plugins/campaign/tables.ts';
import { MARKS, PICTURES, PLAN_MIGRATIONS, PlanStore } from '../../plugins/dashboard/plan-store.ts';
import { StationStore } from '../../plugins/stations/store.ts';
import { OBSERVATION_RULES, OBSERVATIONS, STATION_MIGRATIONS, STATIONS } from '../../plugins/stations/tables.ts';
import type { VirtualClock } from '../../simulator/clock.ts';
import { folder } from '../store/setup.ts';
import { pngOf } from '../support/pictures.ts';
import { unanswered } from '../support/unanswered.ts';

const failed = { code: 'STORAGE_FAILED' };

const looksOf = (clock: VirtualClock) => async () => {
  await clock.advance(5_000);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** The store of one gateway, and the units that it has something of. */
interface Opened {
  readonly store: KeptOfUnits & { load(): Promise<void>; close(): void };
  readonly known: () => readonly string[];
}

/** A gateway, and a next one on the same tables. */
async function pair<One extends Opened>(t: Test, make: () => One) {
  const again = async () => {
    const opened = make();
    t.teardown(() => opened.store.close());
    await opened.store.load();
    return opened;
  };
  const first = await again();
  /** Units in both. */
  const units = async () => [...first.known(), ...(await again()).known()];
  return { first, again, units };
}

async function campaign(t: Test) {
  const { clock, log, lines, open } = folder(t);
  const { tables, state } = unanswered(await (await open()).tables('campaign', TABLES, CAMPAIGN_MIGRATIONS));
  return { tables, clock, state, looks: looksOf(clock), host: { tables, log, lines } };
}

async function scheduled(t: Test) {
  const { tables, clock, ...rest } = await campaign(t);
  const both = await pair(t, () => {
    const store = new ScheduleStore(tables, clock, () => {});
    return { store, known: () => store.list().map(({ unitId }) => unitId) };
  });
  return { ...rest, ...both, put: () => both.first.store.put('roof', { zone: null, entries: [] }, 1) };
}

async function assigned(t: Test) {
  const { tables, clock, ...rest } = await campaign(t);
  const both = await pair(t, () => {
    const store = new ProfileStore(tables, clock, () => {});
    return { store, known: () => store.assigned().map(({ unitId }) => unitId) };
  });
  return { ...rest, ...both, put: () => both.first.store.assign('roof', 'night') };
}

async function measured(t: Test) {
  const { tables, clock, ...rest } = await campaign(t);
  const both = await pair(t, () => {
    const store = new CycleStore(tables, clock);
    return { store, known: () => [store.find('roof')?.unitId ?? []].flat() };
  });
  const row = { unitId: 'roof', storeName: '0007', startedAt: 1, profile: null };
  return { ...rest, ...both, put: () => both.first.store.put(row) };
}

async function marked(t: Test) {
  const { home, clock, log, lines, open } = folder(t);
  const { tables, state } = unanswered(await (await open()).tables('dashboard', [PICTURES, MARKS], PLAN_MIGRATIONS));
  const place = mkdtempSync(`${home}/plan-`);
  const both = await pair(t, () => {
    const store = new PlanStore(tables, place, clock);
    return { store, known: () => store.marks().map(({ unitId }) => unitId) };
  });
  const { store } = both.first;
  await store.replace(pngOf(2, 2));
  const put = () => store.put({ unitId: 'roof', x: 0.5, y: 0.5 });
  return { ...both, state, looks: looksOf(clock), host: { tables, log, lines }, put };
}

async function ruled(t: Test) {
  const { clock, log, lines, open } = folder(t);
  const own = [STATIONS, OBSERVATIONS, OBSERVATION_RULES];
  const { tables, state } = unanswered(await (await open()).tables('stations', own, STATION_MIGRATIONS));
  const both = await pair(t, () => {
    const stations = new StationStore(tables, clock);
    const store = {
      unitTables: [OBSERVATION_RULES],
      load: () => stations.load(),
      close: () => stations.close(),
      forget: (unitId: string) => stations.forgetRules(unitId),
      put: () => stations.putRules('roof', [], true),
    };
    return { store, known: () => [stations.rulesOf('roof')?.unitId ?? []].flat() };
  });
  return { ...both, state, looks: looksOf(clock), host: { tables, log, lines }, put: both.first.store.put };
}

for (const [name, begin] of [
  ['the schedule', scheduled],
  ['the profile', assigned],
  ['the rules of its stations', ruled],
  ['its last measurement', measured],
  ['its place on the plan', marked],
] as const) {
  t.test(`${name}: stored without an answer, and not looked for yet when the unit is removed`, async (t) => {
    const { state, first, looks, put, units } = await begin(t);
    state.answers = false;
    await t.rejects(put(), failed);
    state.answers = true;
    await first.store.forget('roof', false);
    await looks();
    t.strictSame(await units(), []);
  });

  t.test(`${name}: its removal, too, is not answered`, async (t) => {
    const { state, first, looks, put, units } = await begin(t);
    state.answers = state.stores = false;
    await t.rejects(put(), failed);
    await t.rejects(first.store.forget('roof', false), failed);
    state.answers = state.stores = true;
    await looks();
    t.strictSame(await units(), []);
  });

  t.test(
    `${name}: a removal that failed is done when the database answers, and not to what came meanwhile`,
    async (t) => {
      const { state, first, looks, put, units } = await begin(t);
      await put();
      state.answers = state.stores = false;
      await t.rejects(first.store.forget('roof', false), failed);
      state.answers = state.stores = true;
      await looks();
      t.strictSame(await units(), []);
      await put();
      state.answers = state.stores = false;
      await t.rejects(first.store.forget('roof', false), failed);
      state.answers = state.stores = true;
      await put();
      await looks();
      t.strictSame(await units(), ['roof', 'roof']);
    },
  );

  t.test(`${name}: it is removed, made and removed again at once`, async (t) => {
    const { first, put, units } = await begin(t);
    await put();
    await Promise.all([first.store.forget('roof', false), put(), first.store.forget('roof', false)]);
    t.strictSame(await units(), []);
  });

  t.test(`${name}: the gateway ends before it is removed, and the next one cannot do it at once`, async (t) => {
    const { state, again, host, put, looks } = await begin(t);
    await put();
    const { store, known } = await again();
    state.stores = false;
    await forgetRemoved({ on: () => () => {}, log: host.log }, host.tables, store);
    t.strictSame(known(), []);
    t.match(host.lines.join(''), /removed later/);
    state.stores = true;
    await looks();
    t.strictSame((await again()).known(), []);
  });

  t.test(`${name}: nothing is written for a unit that has none`, async (t) => {
    const { state, first } = await begin(t);
    state.answers = state.stores = false;
    await first.store.forget('roof', false);
  });
}
