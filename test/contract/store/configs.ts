/** Promises of every store about configs. */
import type { Test } from 'tap';
import { config } from '../../store/setup.ts';
import type { PlaceOf } from './index.ts';

export function configContract(t: Test, place: PlaceOf): void {
  t.test('a config is there again after a restart, credentials included', async (t) => {
    const { open } = place(t);
    const first = await open();
    await first.configs.change('roof', () =>
      config('roof', { host: 'fe80::1', ftpMode: 'passive', tcpEnabled: false }),
    );
    await first.configs.change('gate', () => config('gate', { ftpUsername: null, ftpPassword: null }));
    const before = first.configs.list();
    await first.close();

    const second = await open();
    t.same(second.configs.list(), before);
    t.same(
      second.configs.list().map(({ unitId }) => unitId),
      ['gate', 'roof'],
    );
    t.equal(second.configs.get('roof')?.ftpPassword, config('roof').ftpPassword);
    t.equal(second.configs.get('gate')?.ftpPassword, null);
  });

  t.test('facts of people about a unit are there after a restart: words, place, lists and objects', async (t) => {
    const { open } = place(t);
    const first = await open();
    const said = {
      name: 'Roof, north side',
      place: 'Am Tor 3, Köln',
      latitude: 50.9375,
      longitude: -6.96,
      timezone: 'Australia/Lord_Howe',
      tags: ['building-a', 'straße'],
      history: 'stream',
      mirror: {
        enabled: true,
        every: '30m',
        paths: ['/NL-43', '/x y'],
        maxGb: 0.5,
        maxMbPerDay: 20,
        keepReplacedDays: 30,
        parse: false,
      },
    } as const;
    const saved = await first.configs.change('roof', () => config('roof', said));
    t.match(saved, said);
    await first.close();
    t.same((await open()).configs.get('roof'), saved);
  });

  t.test('a new config polls, keeps the readings, and lies in the zone of the gateway', async (t) => {
    const { configs } = await place(t).open({ timezone: () => 'Asia/Tokyo' });
    t.match(configs.defaults, { pollEnabled: true, pollIntervalSeconds: 60, history: 'poll', timezone: 'Asia/Tokyo' });
  });

  t.test('of many changes at once none is lost, and each sees the change before it', async (t) => {
    const { open } = place(t);
    const store = await open();
    await store.configs.change('roof', () => config('roof', { tcpPort: 1 }));
    const bump = () =>
      store.configs.change('roof', (present) => config('roof', { tcpPort: (present?.tcpPort ?? 0) + 1 }));
    await Promise.all(Array.from({ length: 50 }, bump));
    t.equal(store.configs.get('roof')?.tcpPort, 51);
    await store.close();
    t.equal((await open()).configs.get('roof')?.tcpPort, 51);
  });

  t.test('a change that throws leaves the config as it was and the next one works', async (t) => {
    const { open } = place(t);
    const store = await open();
    await store.configs.change('roof', () => config('roof'));
    const broken = store.configs.change('roof', () => {
      throw new Error('not this one');
    });
    const good = store.configs.change('roof', () => config('roof', { ftpPort: 2121 }));
    await t.rejects(broken, { message: 'not this one' });
    t.equal((await good).ftpPort, 2121);
  });

  t.test('memory shows a change only after its promise could resolve', async (t) => {
    const { open } = place(t);
    const store = await open();
    const change = store.configs.change('roof', () => config('roof'));
    t.equal(store.configs.get('roof'), undefined);
    await change;
    t.ok(store.configs.get('roof'));
  });

  t.test('a config keeps the unit id that it was changed under', async (t) => {
    const { open } = place(t);
    const store = await open();
    await store.configs.change('roof', () => config('another'));
    t.equal(store.configs.get('roof')?.unitId, 'roof');
    t.equal(store.configs.get('another'), undefined);
  });

  t.test('removal takes config and snapshot, also from the disk, and says whether there was one', async (t) => {
    const { open } = place(t);
    const store = await open();
    await store.configs.change('roof', () => config('roof'));
    store.snapshots.record('roof', { lp: '51.2', lastSeen: 7 });
    t.equal(await store.configs.remove('roof'), true);
    t.equal(await store.configs.remove('roof'), false);
    t.equal(store.snapshots.get('roof').lp, null);
    await store.close();

    const again = await open();
    t.same(again.configs.list(), []);
    await again.configs.change('roof', () => config('roof'));
    t.equal(again.snapshots.get('roof').lp, null, 'a new unit of that name begins without values');
  });

  t.test('listeners get changes in their order, after they are visible, until they are removed', async (t) => {
    const { open } = place(t);
    const store = await open();
    const heard: string[] = [];
    const listener = (unitId: string, now: unknown) => {
      t.equal(store.configs.get(unitId), now, 'the store shows what it tells');
      heard.push(now ? `set ${unitId}` : `gone ${unitId}`);
    };
    const dispose = store.configs.onChange(listener);
    const disposeTwin = store.configs.onChange(listener);
    await store.configs.change('roof', () => config('roof'));
    disposeTwin();
    await store.configs.remove('roof');
    await store.configs.remove('roof');
    dispose();
    await store.configs.change('gate', () => config('gate'));
    t.same(heard, ['set roof', 'set roof', 'gone roof']);
  });

  t.test(
    'a listener for some fields hears of new and removed units, and where one of these fields differs',
    async (t) => {
      const { open } = place(t);
      const { configs } = await open();
      const heard: unknown[] = [];
      configs.onChange((_unitId, now, before) => heard.push([before?.tcpPort, now?.tcpPort]), ['tcpPort', 'tags']);
      for (const change of [{}, { name: 'Roof' }, { tags: [] }, { tcpPort: 9 }])
        await configs.change('roof', (present) => ({ ...(present ?? config('roof')), ...change }));
      await configs.remove('roof');
      const { tcpPort } = config('roof');
      t.same(heard, [
        [undefined, tcpPort],
        [tcpPort, 9],
        [9, undefined],
      ]);
    },
  );

  t.test('a listener that throws stops neither the change nor the other listeners', async (t) => {
    const { open, lines } = place(t);
    const store = await open();
    let heard = 0;
    store.configs.onChange(() => {
      throw new Error('listener down');
    });
    store.configs.onChange(() => {
      heard += 1;
    });
    await store.configs.change('roof', () => config('roof'));
    t.equal(heard, 1);
    t.match(lines.join(''), /"unit_id":"roof".*listener down/);
  });

  t.test('after closing, changes are refused and closing again is nothing', async (t) => {
    const { open } = place(t);
    const store = await open();
    const pending = store.configs.change('roof', () => config('roof'));
    await store.close();
    await store.close();
    t.equal((await pending).unitId, 'roof', 'a change under way was finished first');
    await t.rejects(
      store.configs.change('gate', () => config('gate')),
      { code: 'STOPPING' },
    );
    await t.rejects(store.configs.remove('roof'), { code: 'STOPPING' });
  });
}
