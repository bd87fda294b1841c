/** A database that does not answer a change of a rule, a target or a phone: it may have stored it, and who looks has to find it. */
import t, { type Test } from 'tap';
import { Phones } from '../../plugins/alerts/delivery/push/phones.ts';
import type { TargetBody } from '../../plugins/alerts/delivery/target.ts';
import type { RuleBody } from '../../plugins/alerts/rules/rule.ts';
import { RuleStore, TargetStore } from '../../plugins/alerts/stores.ts';
import { ALERT_MIGRATIONS, ALERT_TABLES } from '../../plugins/alerts/tables.ts';
import { folder, until } from '../store/setup.ts';
import { silence, unanswered } from '../support/unanswered.ts';

const failed = { code: 'STORAGE_FAILED' };

async function open(t: Test) {
  const place = folder(t);
  const store = await place.open();
  const real = await store.tables('alerts', ALERT_TABLES, ALERT_MIGRATIONS);
  return { clock: place.clock, secrets: store.secrets('alerts'), ...unanswered(real) };
}

const ruleBody = (name: string): RuleBody => ({
  name,
  enabled: true,
  severity: 'warning',
  targets: [],
  kind: 'device',
});

async function openRules(t: Test) {
  const { clock, tables, state } = await open(t);
  const heard: string[][] = [];
  const names = () => rules.list().map(({ id, name }) => `${id} ${name}`);
  const rules: RuleStore = new RuleStore(tables, clock);
  rules.onChange((ids) => ids.length > 0 && heard.push(names()));
  await rules.load();
  t.teardown(() => rules.close());
  return { clock, state, rules, heard, names };
}

t.test('a rule that was stored without an answer is found and watched when the database answers', async (t) => {
  const { clock, state, rules, heard, names } = await openRules(t);
  for (const name of ['one', 'two']) await rules.create([ruleBody(name)]);
  state.answers = false;
  await t.rejects(rules.change('1', ruleBody('changed')), failed);
  await t.rejects(rules.change('1', ruleBody('never')), failed, 'what is not known is not changed');
  await clock.advance(60_000);
  t.strictSame(names(), ['1 one', '2 two']);
  heard.length = 0;
  state.answers = true;
  await clock.advance(5_000);
  await until(() => heard.length > 0);
  t.strictSame(heard, [['1 changed', '2 two']], 'who watches is told once');
  t.strictSame(names(), ['1 changed', '2 two'], 'who looks sees it');
});

t.test('the next change looks first: a new rule is there once, a removed one is gone', async (t) => {
  const { state, rules, names } = await openRules(t);
  state.answers = false;
  await t.rejects(rules.create([ruleBody('one'), ruleBody('two')]), failed);
  state.answers = true;
  await rules.create([ruleBody('three')]);
  t.strictSame(names(), ['1 one', '2 two', '3 three']);
  state.answers = false;
  await t.rejects(rules.remove('2'), failed);
  state.answers = true;
  await t.rejects(rules.remove('2'), { code: 'ALERT_NOT_FOUND' });
  t.strictSame(names(), ['1 one', '3 three']);
});

const targetBody = (name: string): TargetBody => ({ name, enabled: true, kind: 'webhook', resolved: true });

t.test('a target is found with its secret, and its queue follows it', async (t) => {
  const { clock, state, tables, secrets } = await open(t);
  const targets = new TargetStore(tables, clock, secrets);
  await targets.load();
  t.teardown(() => targets.close());
  const heard: string[] = [];
  targets.onChange((ids) => heard.push(...ids.map((id) => `${id} ${targets.find(id)?.name ?? 'gone'}`)));
  for (const name of ['one', 'two', 'three']) await targets.create(targetBody(name), undefined);
  t.strictSame(heard.splice(0), ['1 one', '2 two', '3 three']);
  state.answers = false;
  await t.rejects(targets.change('1', targetBody('changed'), 'a secret'), failed);
  state.answers = true;
  await clock.advance(5_000);
  await until(() => heard.length > 0);
  t.strictSame(heard.splice(0), ['1 changed']);
  t.strictSame([targets.hasSecret('1'), targets.hasSecret('2')], [true, false]);
  state.answers = false;
  await t.rejects(targets.remove('2'), failed);
  state.answers = true;
  t.match(await targets.create(targetBody('four'), undefined), { id: '4' });
  t.strictSame(heard, ['2 gone', '4 four']);
  await t.rejects(targets.remove('2'), { code: 'ALERT_NOT_FOUND' });
});

t.test(
  'the secret of a target goes with it, also where its removal was not answered, or the secret stayed',
  async (t) => {
    const { clock, state, tables, secrets: real } = await open(t);
    let mayRemove = true;
    const secrets: typeof real = {
      ...real,
      remove: async (name) => {
        if (!mayRemove) throw silence();
        await real.remove(name);
      },
    };
    const targets = new TargetStore(tables, clock, secrets);
    await targets.load();
    t.teardown(() => targets.close());
    for (const name of ['one', 'two', 'three']) await targets.create(targetBody(name), `the secret of ${name}`);
    const kept = async () => {
      const found = await Promise.all(['1', '2', '3'].map((id) => real.get(`target-${id}`)));
      return found.map((secret) => secret?.split(' ').at(-1));
    };
    state.answers = false;
    await t.rejects(targets.remove('1'), failed);
    state.answers = true;
    await targets.change('3', targetBody('third'), undefined);
    t.strictSame(await kept(), [undefined, 'two', 'three']);
    mayRemove = false;
    await t.rejects(targets.remove('2'), failed);
    mayRemove = true;
    await targets.change('3', targetBody('third again'), undefined);
    t.strictSame(await kept(), [undefined, undefined, 'three']);
    state.answers = state.stores = false;
    await t.rejects(targets.remove('3'), failed);
    state.answers = state.stores = true;
    await targets.create(targetBody('four'), undefined);
    t.strictSame(await kept(), [undefined, undefined, 'three'], 'one that stays keeps it');
  },
);

t.test(
  'a target that is found while its secret cannot be read gets its queue, and shows its secret all the time',
  async (t) => {
    const { clock, state, tables, secrets: real } = await open(t);
    let mayRead = true;
    const secrets: typeof real = {
      ...real,
      get: async (name) => {
        if (!mayRead) throw silence();
        return real.get(name);
      },
    };
    const targets = new TargetStore(tables, clock, secrets);
    await targets.load();
    t.teardown(() => targets.close());
    await targets.create(targetBody('one'), 'a secret');
    const heard: string[] = [];
    targets.onChange((ids) => heard.push(...ids));
    state.answers = false;
    await t.rejects(targets.create(targetBody('two'), 'another secret'), failed);
    state.answers = true;
    mayRead = false;
    await t.rejects(targets.change('1', targetBody('never'), undefined), failed);
    t.strictSame([targets.find('2'), targets.hasSecret('1')], [undefined, true], 'nothing changes before all is read');
    mayRead = true;
    await targets.change('1', targetBody('changed'), undefined);
    t.strictSame([heard, targets.hasSecret('1'), targets.hasSecret('2')], [['2', '1'], true, true]);
  },
);

t.test('the secrets of two targets that are removed at the same time go with them', async (t) => {
  const { clock, tables, secrets: real } = await open(t);
  let removing = Promise.resolve();
  let isRemoving = false;
  const secrets: typeof real = {
    ...real,
    remove: async (name) => {
      isRemoving = true;
      await removing;
      await real.remove(name);
    },
  };
  const targets = new TargetStore(tables, clock, secrets);
  await targets.load();
  t.teardown(() => targets.close());
  for (const name of ['one', 'two']) await targets.create(targetBody(name), `the secret of ${name}`);
  const { promise, resolve } = Promise.withResolvers<void>();
  removing = promise;
  const first = targets.remove('1');
  await until(() => isRemoving);
  const second = targets.remove('2');
  resolve();
  await Promise.all([first, second]);
  t.strictSame([await real.get('target-1'), await real.get('target-2')], [undefined, undefined]);
});

t.test('a new target has no secret of an earlier one', async (t) => {
  const { clock, tables, secrets } = await open(t);
  await secrets.put('target-1', 'of a target that was removed while the gateway ended');
  const targets = new TargetStore(tables, clock, secrets);
  await targets.load();
  t.teardown(() => targets.close());
  const { id } = await targets.create(targetBody('one'), undefined);
  t.equal(await targets.secret(id), undefined);
});

t.test('a phone is found, and its queue begins', async (t) => {
  const { clock, state, tables, secrets } = await open(t);
  const phones = new Phones({ clock, tables, secrets, rightsOf: () => ({ role: 'viewer', units: null }) });
  await phones.load();
  t.teardown(() => phones.close());
  const heard: number[] = [];
  phones.onChange((id) => heard.push(id));
  const add = (n: number) =>
    phones.add(
      { owner: 'kim', person: 'kim', name: `phone ${n}`, language: null },
      { endpoint: `https://push.example.org/${n}`, p256dh: '', auth: '' },
    );
  await add(1);
  state.answers = false;
  await t.rejects(add(2), failed);
  state.answers = true;
  await clock.advance(5_000);
  await until(() => heard.length > 1);
  t.strictSame(heard, [1, 2]);
  state.answers = false;
  await t.rejects(phones.remove(1, 'a test'), failed);
  state.answers = true;
  t.match(await add(3), { id: 3 });
  t.match(phones.list(), [{ id: 2 }, { id: 3 }]);
  t.strictSame(heard, [1, 2, 1, 3]);
});

t.test(
  'the address of a phone goes with it, whatever the database did not answer, or with the next start',
  async (t) => {
    const { clock, state, tables, secrets: real } = await open(t);
    let mayRemove = true;
    const secrets: typeof real = {
      ...real,
      remove: async (name) => {
        if (!mayRemove) throw silence();
        await real.remove(name);
      },
    };
    const opened = async () => {
      const phones = new Phones({ clock, tables, secrets, rightsOf: () => ({ role: 'viewer', units: null }) });
      t.teardown(() => phones.close());
      await phones.load();
      return phones;
    };
    const phones = await opened();
    const add = (n: number) =>
      phones.add(
        { owner: 'kim', person: 'kim', name: `phone ${n}`, language: null },
        { endpoint: `https://push.example.org/${n}`, p256dh: '', auth: '' },
      );
    const kept = async () => {
      const ids = [1, 2, 3, 4, 5];
      const found = await Promise.all(ids.map((id) => real.get(`phone-${id}`)));
      return ids.filter((_, index) => found[index] !== undefined);
    };
    for (const n of [1, 2, 3]) await add(n);
    state.answers = false;
    await t.rejects(phones.remove(1, 'a test'), failed);
    state.answers = true;
    await phones.taken(3);
    t.strictSame(await kept(), [2, 3], 'the removal was stored and not answered');
    mayRemove = false;
    await t.rejects(phones.remove(2, 'a test'), failed);
    mayRemove = true;
    await phones.taken(3);
    t.strictSame(await kept(), [3], 'the address could not be removed');
    state.answers = state.stores = false;
    await t.rejects(add(4), failed);
    state.answers = state.stores = true;
    await phones.taken(3);
    t.strictSame(await kept(), [3], 'the phone was not stored');
    mayRemove = false;
    await add(5);
    await t.rejects(phones.remove(5, 'a test'), failed);
    phones.close();
    await opened();
    t.strictSame(await kept(), [3, 5], 'the next start cannot do it at once');
    mayRemove = true;
    await clock.advance(5_000);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    t.strictSame(await kept(), [3]);
  },
);
