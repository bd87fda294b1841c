/** A database that does not answer a change of a config: it may have stored it, and who looks, and who follows, has to find it. */
import t, { type Test } from 'tap';
import { Configs } from '../../lib/store/configs.ts';
import { createSealer } from '../../lib/store/secrets.ts';
import { openDatabase } from '../../lib/store/sqlite.ts';
import { changed, looked } from '../support/unanswered.ts';
import { config, folder, until } from './setup.ts';

async function open(t: Test) {
  const { clock, log, dataDir } = folder(t);
  const real = await openDatabase(dataDir, { clock, log });
  const state = { answers: true, stores: true, held: Promise.resolve() };
  const looks: string[] = [];
  const database: ConstructorParameters<typeof Configs>[0]['database'] = {
    configs: () => real.configs(),
    async config(unitId) {
      looks.push(unitId);
      await state.held;
      return looked(state, () => real.config(unitId));
    },
    putConfig: (row) => changed(state, () => real.putConfig(row)),
    dropUnit: (unitId) => changed(state, () => real.dropUnit(unitId)),
  };
  const sealer = createSealer(Buffer.alloc(32, 7));
  const configs = new Configs({ database, sealer, timezone: () => 'UTC', clock, log });
  await configs.load();
  t.teardown(async () => {
    await configs.close();
    await real.close();
  });
  const heard: string[] = [];
  configs.onChange((unitId, present) => heard.push(`${unitId} ${present?.tcpPort ?? 'removed'}`));
  const port = (unitId: string, tcpPort: number) => configs.change(unitId, () => config(unitId, { tcpPort }));
  const ports = () => configs.list().map(({ unitId, tcpPort }) => `${unitId} ${tcpPort}`);
  const silent = async (...changes: (() => Promise<unknown>)[]) => {
    state.answers = false;
    for (const change of changes) await t.rejects(change(), { code: 'STORAGE_FAILED' });
  };
  return { clock, state, looks, configs, heard, port, ports, silent };
}

t.test('a change that was stored without an answer is shown and published when the database answers', async (t) => {
  const { clock, state, configs, heard, port, ports, silent } = await open(t);
  for (const unitId of ['gate', 'roof', 'yard']) await port(unitId, 1);
  heard.length = 0;
  await silent(
    () => port('roof', 2),
    () => configs.remove('yard'),
    () => port('attic', 3),
  );
  await clock.advance(60_000);
  t.strictSame(ports(), ['gate 1', 'roof 1', 'yard 1']);
  state.answers = true;
  await clock.advance(5_000);
  await until(() => heard.length === 3);
  t.strictSame(ports(), ['attic 3', 'gate 1', 'roof 2'], 'who looks sees it');
  t.strictSame(heard, ['roof 2', 'yard removed', 'attic 3']);
  t.strictSame(configs.get('roof'), config('roof', { tcpPort: 2 }), 'with its credentials');
  t.equal(clock.pending, 0, 'then the questions end');
});

t.test('the next change of it begins with the stored config; changes of others do not wait', async (t) => {
  const { state, configs, heard, port, silent } = await open(t);
  await port('roof', 1);
  await silent(() => port('roof', 2));
  state.answers = true;
  await port('gate', 7);
  t.equal(configs.get('roof')?.tcpPort, 1, 'another one says nothing about it');
  const before: (number | undefined)[] = [];
  await configs.change('roof', (present) => {
    before.push(present?.tcpPort);
    return config('roof', { tcpPort: 3 });
  });
  t.strictSame(before, [2]);
  t.strictSame(heard, ['roof 1', 'gate 7', 'roof 2', 'roof 3']);
  await silent(() => configs.remove('roof'));
  state.answers = true;
  t.equal(await configs.remove('roof'), false, 'a removal that was stored is not done again');
  t.equal(heard.at(-1), 'roof removed');
});

t.test('a change that was not stored has no effect and no event', async (t) => {
  const { clock, state, looks, heard, port, ports, silent } = await open(t);
  await port('roof', 1);
  state.stores = false;
  await silent(
    () => port('roof', 2),
    () => port('gate', 2),
  );
  state.answers = state.stores = true;
  await clock.advance(5_000);
  await until(() => clock.pending === 0 && looks.includes('gate'));
  t.strictSame(ports(), ['roof 1']);
  t.strictSame(heard, ['roof 1']);
});

t.test('a look waits for the change that is under way, and after the end nothing is looked up', async (t) => {
  const { clock, state, looks, configs, heard, port, silent } = await open(t);
  await port('roof', 1);
  await silent(() => port('roof', 2));
  state.answers = true;
  const next = port('roof', 3);
  await clock.advance(5_000);
  await next;
  t.strictSame(looks, ['roof'], 'the change itself has looked');
  t.equal(configs.get('roof')?.tcpPort, 3);
  t.strictSame(heard, ['roof 1', 'roof 2', 'roof 3']);
  await clock.advance(60_000);
  state.stores = false;
  await silent(() => port('roof', 4));
  t.equal(clock.pending > 0, true);
  await configs.close();
  await clock.advance(60_000);
  t.equal(looks.length, 1);
});

t.test('planned looks end with the store: a later look would open the database again', async (t) => {
  const { clock, state, looks, configs, port, silent } = await open(t);
  await silent(...['gate', 'roof', 'yard'].map((unitId) => () => port(unitId, 1)));
  state.answers = true;
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  state.held = promise;
  await clock.advance(5_000);
  const closed = configs.close();
  letGo();
  await closed;
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  t.strictSame(looks, ['gate']);
});
