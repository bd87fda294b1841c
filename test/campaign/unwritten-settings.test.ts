/** A database that does not take a setting that was read, or does not say so: no change is lost, and no value goes back with the next start. */
import t, { type Test } from 'tap';
import type { Host } from '../../lib/plugin/contract.ts';
import { LastValues } from '../../plugins/campaign/profiles/last-values.ts';
import { CAMPAIGN_MIGRATIONS, TABLES } from '../../plugins/campaign/tables.ts';
import { folder } from '../store/setup.ts';
import { standIn } from '../support/stand-in.ts';
import { unanswered } from '../support/unanswered.ts';

const UNIT = 'roof';

async function opened(t: Test) {
  const { clock, open, log } = folder(t);
  const { tables, state } = unanswered(await (await open()).tables('campaign', TABLES, CAMPAIGN_MIGRATIONS));
  const started = async () => {
    const host = standIn<Host>({ families: { settings: [{ name: 'lp_interval' }] }, on: () => () => {}, log, clock });
    const values = new LastValues(host, tables);
    t.teardown(() => values.close());
    await values.load();
    return { values, remove: () => void values.forget(UNIT).catch(() => {}) };
  };
  const passes = async () => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const looks = async () => {
    await clock.advance(5_000);
    await passes();
  };
  const { values, remove } = await started();
  const note = async (value: string, at: number) => {
    values.note(UNIT, 'lp_interval', value, at);
    await passes();
  };
  /** Knowledge of the next gateway. */
  const kept = async () => {
    const { values: fresh } = await started();
    return {
      value: fresh.of(UNIT).get('lp_interval')?.value,
      changes: (await fresh.changes(UNIT)).map(({ n, value }) => `${n} ${value}`),
    };
  };
  return { state, note, looks, remove, passes, kept };
}

for (const stores of [true, false]) {
  const how = stores ? 'stored without an answer' : 'not stored';

  t.test(`a change that was ${how} is there once when the database answers`, async (t) => {
    const { state, note, looks, kept } = await opened(t);
    await note('100ms', 1);
    Object.assign(state, { answers: false, stores });
    await note('1s', 2);
    await looks();
    state.answers = state.stores = true;
    await looks();
    t.strictSame(await kept(), { value: '1s', changes: ['1 100ms', '2 1s'] });
  });

  t.test(`of several changes that were ${how} the last counts, and each is listed in its order`, async (t) => {
    const { state, note, kept } = await opened(t);
    await note('100ms', 1);
    Object.assign(state, { answers: false, stores });
    await note('1s', 2);
    await note('100ms', 3);
    state.answers = state.stores = true;
    await note('10s', 4);
    t.strictSame(await kept(), { value: '10s', changes: ['1 100ms', '2 1s', '3 100ms', '4 10s'] });
  });

  t.test(`after a removal that was ${how}, a new unit with the same name has no old values`, async (t) => {
    const { state, note, looks, remove, passes, kept } = await opened(t);
    await note('100ms', 1);
    Object.assign(state, { answers: false, stores });
    await note('1s', 2);
    remove();
    await passes();
    state.answers = state.stores = true;
    await looks();
    t.strictSame(await kept(), { value: undefined, changes: [] });
    await note('10s', 3);
    t.strictSame(await kept(), { value: '10s', changes: ['1 10s'] }, 'and what comes is kept');
  });
}
