/** Instances that a person removes: such as are gone for good, and such as were only cut off. */
import type { Test } from 'tap';
import { configOf } from '../../support/world.ts';
import { openPair, type SharedDatabase } from './pair.ts';

/** Runs the suite. */
export async function instancesAreRemoved(t: Test, open: (t: Test) => Promise<SharedDatabase>): Promise<void> {
  await t.test('an instance that is gone for good is removed, and is not asked for promises any more', async (t) => {
    const { meter, begin, joinAs, ask, pass, until } = await openPair(t, open);
    const first = await begin('first');
    const second = await begin('second');
    await ask('PUT', `${first.base}/roof/config`, configOf(meter));
    const gone = joinAs('gone', '1');
    const state = (name: string) => first.instance.members().find((one) => one.name === name)?.state;
    await until(() => state('gone') === 'waits', 100);
    const remove = (name: string) => ask('DELETE', `${second.base}/_cluster/${name}`);
    for (const [name, words] of Object.entries({
      first: /first has the meters/,
      second: /second waits/,
      gone: /waits/,
    }))
      t.match(await remove(name), { status: 409, json: { code: 'INSTANCE_RUNS', detail: words } });
    t.match(await remove('north'), { status: 404, json: { code: 'INSTANCE_NOT_FOUND' } });

    gone.close();
    await until(() => state('gone') === 'silent', 500);
    const health = async () => (await ask('GET', `http://127.0.0.1:${first.instance.port}/health`)).json.problems;
    t.match(await health(), [{ detail: /gone is silent/ }]);
    first.store.isAway = true;
    t.match(await remove('gone'), { status: 503, json: { code: 'STORAGE_FAILED' } });
    first.store.isAway = false;
    t.match(await remove('gone'), { status: 200, json: { message: /gone is removed/ } });
    t.equal(state('gone'), undefined, 'it is not listed any more');
    t.equal(await health(), undefined);
    t.equal((await remove('gone')).status, 404);
    const { records } = (await ask('GET', `${first.base}/_audit`)).json;
    t.match(records.filter(({ route }: { route: string }) => route === '/_cluster/{instance}')[1], {
      status: 200,
      params: { instance: 'gone' },
      before: { name: 'gone', state: 'silent' },
    });

    await pass(12_000, { stepMs: 500 });
    for (const { store } of [first, second]) store.isAway = true;
    await pass(60_000, { stepMs: 500 });
    t.ok(first.instance.gateway(), 'the promise of the others is enough');
    for (const { store } of [second, first]) store.isAway = false;
    await until(() => first.instance.members().every(({ state }) => state !== 'silent'), 500);

    joinAs('gone', '2');
    await until(() => state('gone') === 'waits', 500);
    t.equal(state('gone'), 'waits', 'started again it is there again');
    t.ok(first.instance.gateway());
  });

  await t.test('one that was only cut off while it was removed waits again when it is back', async (t) => {
    const { meter, begin, ask, pass, until } = await openPair(t, open);
    const first = await begin('first');
    const second = await begin('second');
    await ask('PUT', `${first.base}/roof/config`, configOf(meter));
    const state = () => first.instance.members().find(({ name }) => name === 'second')?.state;
    await pass(12_000, { stepMs: 500 });
    second.store.isAway = true;
    await until(() => state() === 'silent', 500);
    t.equal((await ask('DELETE', `${first.base}/_cluster/second`)).status, 200);
    second.store.isAway = false;
    await until(() => state() === 'waits', 500);
    t.equal(state(), 'waits');
    await pass(20_000, { stepMs: 500 });
    t.ok(first.instance.gateway() && !second.instance.gateway(), 'nobody takes its beats for those of another time');
    t.equal((await ask('GET', `${second.base}/roof/live`)).status, 200);
  });
}
