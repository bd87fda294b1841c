/** Promises of every store about secrets of plugins, and about its knowledge of the history. */
import type { Test } from 'tap';
import type { PlaceOf } from './index.ts';

export function secretContract(t: Test, place: PlaceOf): void {
  t.test('a secret is there again after a restart, under its own name and plugin alone', async (t) => {
    const { open } = place(t);
    const store = await open();
    await store.secrets('alerts').put('mail', 'pass-1');
    await store.secrets('alerts').put('mail', 'pass-2');
    await store.secrets('people').put('mail', 'another');
    await store.secrets('alerts').put('gone', 'x');
    await store.secrets('alerts').remove('gone');
    await store.close();
    const again = (await open()).secrets('alerts');
    t.equal(await again.get('mail'), 'pass-2');
    t.equal(await again.get('gone'), undefined);
    t.strictSame(await again.names(), ['mail']);
  });

  t.test('whether the history had levels is remembered', async (t) => {
    const { open } = place(t);
    const store = await open();
    t.equal(await store.hadLevels(), false);
    await store.noteLevels(true);
    await store.close();
    const again = await open();
    t.equal(await again.hadLevels(), true);
    await again.noteLevels(false);
    t.equal(await again.hadLevels(), false);
  });

  t.test('another key for the secrets is refused, and the right one still opens everything', async (t) => {
    const { open } = place(t);
    const first = await open();
    await first.secrets('alerts').put('mail', 'pass-1');
    await first.close();
    await t.rejects(open({ secretKey: 'another text of more than sixteen letters' }), {
      name: 'StoreError',
      problem: 'key',
      message: /start with the key it was written with/,
    });
    t.equal(await (await open()).secrets('alerts').get('mail'), 'pass-1');
  });
}
