/** A unit is removed while the database does not answer: what comes later under its name gets nothing of it. */
import { mkdtempSync } from 'node:fs';
import t, { type Test } from 'tap';
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

async function opened(t: Test) {
  const { clock, open } = folder(t);
  const { tables, state } = unanswered(await (await open()).tables('campaign', TABLES, CAMPAIGN_MIGRATIONS));
  const schedules = () => new ScheduleStore(tables, clock, () => {});
  const profiles = () => new ProfileStore(tables, clock, () => {});
  const cycles = () => new CycleStore(tables, clock);
  return { state, schedules, profiles, cycles, looks: looksOf(clock) };
}

async function scheduled(t: Test) {
  const { state, schedules, looks } = await opened(t);
  const store = schedules();
  t.teardown(() => store.close());
  const put = () => store.put('roof', { zone: null, entries: [] }, 1);
  const units = async () => {
    const fresh = schedules();
    await fresh.load();
    return [...store.list(), ...fresh.list()].map(({ unitId }) => unitId);
  };
  return { state, store, looks, put, units };
}

async function assigned(t: Test) {
  const { state, profiles, looks } = await opened(t);
  const store = profiles();
  t.teardown(() => store.close());
  const put = () => store.assign('roof', 'night');
  const units = async () => {
    const fresh = profiles();
    await fresh.load();
    return [...store.assigned(), ...fresh.assigned()].map(({ unitId }) => unitId);
  };
  return { state, store, looks, put, units };
}

async function measured(t: Test) {
  const { state, cycles, looks } = await opened(t);
  const store = cycles();
  t.teardown(() => store.close());
  const put = () => store.put({ unitId: 'roof', storeName: '0007', startedAt: 1, profile: null });
  const units = async () => {
    const fresh = cycles();
    await fresh.load();
    return [store, fresh].flatMap((one) => one.find('roof')?.unitId ?? []);
  };
  return { state, store, looks, put, units };
}

async function marked(t: Test) {
  const { home, clock, open } = folder(t);
  const { tables, state } = unanswered(await (await open()).tables('dashboard', [PICTURES, MARKS], PLAN_MIGRATIONS));
  const place = mkdtempSync(`${home}/plan-`);
  const plan = new PlanStore(tables, place, clock);
  t.teardown(() => plan.close());
  await plan.replace(pngOf(2, 2));
  const put = () => plan.put({ unitId: 'roof', x: 0.5, y: 0.5 });
  const units = async () => {
    const fresh = new PlanStore(tables, place, clock);
    await fresh.load();
    return [...plan.marks(), ...fresh.marks()].map(({ unitId }) => unitId);
  };
  return { state, store: plan, looks: looksOf(clock), put, units };
}

async function ruled(t: Test) {
  const { clock, open } = folder(t);
  const own = [STATIONS, OBSERVATIONS, OBSERVATION_RULES];
  const { tables, state } = unanswered(await (await open()).tables('stations', own, STATION_MIGRATIONS));
  const stations = new StationStore(tables, clock);
  t.teardown(() => stations.close());
  const put = () => stations.putRules('roof', [], true);
  const units = async () => {
    const fresh = new StationStore(tables, clock);
    await fresh.load();
    return [stations, fresh].flatMap((one) => one.rulesOf('roof')?.unitId ?? []);
  };
  const store = { forget: (unitId: string) => stations.forgetRules(unitId) };
  return { state, store, looks: looksOf(clock), put, units };
}

for (const [name, begin] of [
  ['the schedule', scheduled],
  ['the profile', assigned],
  ['the rules of its stations', ruled],
  ['its last measurement', measured],
  ['its place on the plan', marked],
] as const) {
  t.test(`${name}: stored without an answer, and not looked for yet when the unit is removed`, async (t) => {
    const { state, store, looks, put, units } = await begin(t);
    state.answers = false;
    await t.rejects(put(), failed);
    state.answers = true;
    await store.forget('roof');
    await looks();
    t.strictSame(await units(), []);
  });

  t.test(`${name}: its removal, too, is not answered`, async (t) => {
    const { state, store, looks, put, units } = await begin(t);
    state.answers = state.stores = false;
    await t.rejects(put(), failed);
    await t.rejects(store.forget('roof'), failed);
    state.answers = state.stores = true;
    await looks();
    t.strictSame(await units(), []);
  });

  t.test(
    `${name}: a removal that failed is done when the database answers, and not to what came meanwhile`,
    async (t) => {
      const { state, store, looks, put, units } = await begin(t);
      await put();
      state.answers = state.stores = false;
      await t.rejects(store.forget('roof'), failed);
      state.answers = state.stores = true;
      await looks();
      t.strictSame(await units(), []);
      await put();
      state.answers = state.stores = false;
      await t.rejects(store.forget('roof'), failed);
      state.answers = state.stores = true;
      await put();
      await looks();
      t.strictSame(await units(), ['roof', 'roof']);
    },
  );

  t.test(`${name}: nothing is written for a unit that has none`, async (t) => {
    const { state, store } = await begin(t);
    state.answers = state.stores = false;
    await store.forget('roof');
  });
}
