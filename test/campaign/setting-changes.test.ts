/** Changes of the settings of a meter: each is listed once, with the value before, also after a restart. */
import t from 'tap';
import { createLog } from '../../lib/log.ts';
import type { Host } from '../../lib/plugin/contract.ts';
import type { Rows, Tables } from '../../lib/store/contract.ts';
import { LastValues, MOST_CHANGES } from '../../plugins/campaign/profiles/last-values.ts';
import { SETTING_CHANGES, type SettingChangeRow } from '../../plugins/campaign/tables.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { standIn } from '../support/stand-in.ts';
import { openWorld, type World } from '../support/world.ts';

const PATH = '/sim-1/settings/changes';
const text = (ms: number) => new Date(ms).toISOString();
/** All of today, and a little more. */
const wide = (world: World) => `from=${text(world.clock.now() - 86_400_000)}&to=${text(world.clock.now() + 1_000)}`;
const changesOf = async (world: World, query = wide(world)) => (await world.get(`${PATH}?${query}`)).body;
const ofLp = (list: readonly { readonly name: string; readonly at: string }[]) =>
  list.filter(({ name }) => name === 'lp_interval');

t.test('the last value of each setting has the time when the meter was asked, also after a restart', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { history: 'stream' });
  await world.pass(5_000);
  await world.put('/sim-1/index-number', { index: 42 });
  await world.get('/sim-1/lp-interval');
  const last = async () => (await world.get('/sim-1/settings/last')).body.data;
  const nameOf = ({ name }: { readonly name: string }) => name;
  const first = await last();
  t.match(
    first.filter((one: { readonly name: string }) => ['lp_interval', 'index_number'].includes(nameOf(one))),
    [
      { name: 'index_number', value: '0042' },
      { name: 'lp_interval', value: '100ms', at: String },
    ],
  );
  await world.pass(20_000);
  t.match((await world.get('/sim-1/lp-interval')).body, { lp_interval: '100ms', age_s: Number });
  t.same(await last(), first, 'an answer that was known makes the value no younger');
  await world.pass(60_000);
  await world.get('/sim-1/lp-interval?max_age=0');
  const again = (await last()).find((one: { readonly name: string }) => nameOf(one) === 'lp_interval');
  t.ok(world.clock.now() - Date.parse(again.at) < 5_000, 'asked again, it is as young as that');
  t.notOk((await changesOf(world)).data.some((one: { readonly name: string }) => nameOf(one) === 'index_number'));
  await world.restart(1_000);
  t.same((await last()).map(nameOf).sort(), first.map(nameOf).sort());
  t.match((await world.get('/nobody/settings/last')).body, { code: 'UNIT_NOT_FOUND' });
});

t.test('a setting that is set or found different is one change, and an equal value is no change', async (t) => {
  const world = await openWorld(t);
  for (const preset of ['100ms', '1s', '1s', '100ms']) {
    await world.put('/sim-1/lp-interval', { preset });
    await world.pass(2_000);
  }
  await world.get('/sim-1/lp-interval');
  const { data } = await changesOf(world);
  const found = ofLp(data);
  t.match(found, [
    { value: '100ms', before: null },
    { value: '1s', before: '100ms' },
    { value: '100ms', before: '1s' },
  ]);
  t.equal(found.length, 3);

  await t.test('the value at the beginning of a span: a change at this moment counts', async (t) => {
    const [, second] = found;
    const at = Date.parse(second?.at ?? '');
    const later = text(world.clock.now() + 1_000);
    const exact = await changesOf(world, `from=${text(at)}&to=${later}`);
    t.match(ofLp(exact.in_force), [{ value: '1s', since: second?.at }]);
    t.equal(ofLp(exact.data).length, 1);
    const before = await changesOf(world, `from=${text(at - 1)}&to=${text(at)}`);
    t.match(ofLp(before.in_force), [{ value: '100ms' }]);
    t.equal(ofLp(before.data).length, 0, 'the end of a span is not in it');
  });

  await t.test('pages of it, and a restart changes nothing', async (t) => {
    const all = (await changesOf(world)).data;
    await world.restart(1_000);
    const pages: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { data: unknown[]; next: string | null } = await changesOf(
        world,
        `${wide(world)}&limit=1${cursor && `&cursor=${cursor}`}`,
      );
      t.equal(page.data.length, 1);
      pages.push(...page.data);
      cursor = page.next;
    }
    t.strictSame(pages.slice(0, all.length), all);
  });

  await t.test('bad input, and a unit that is not there', async (t) => {
    t.match((await world.get(`${PATH}?from=${text(2_000)}&to=${text(1_000)}`)).body, { errors: [{ path: '/to' }] });
    t.match((await world.get(`${PATH}?${wide(world)}&cursor=x`)).body, { errors: [{ path: '/cursor' }] });
    t.match((await world.get(`/nobody/settings/changes?${wide(world)}`)).body, { code: 'UNIT_NOT_FOUND' });
  });

  await t.test('the changes of settings of a unit are removed with the unit', async (t) => {
    const config = (await world.get('/sim-1/config')).body.data;
    await world.delete('/sim-1/config');
    await world.put('/sim-1/config', { host: config.host, tcp_port: config.tcp_port, ftp_port: config.ftp_port });
    t.strictSame(ofLp((await changesOf(world)).data), []);
  });
});

t.test(`the last ${MOST_CHANGES} changes are kept`, async (t) => {
  const kept = new Map<number, SettingChangeRow>();
  const rows = standIn<Rows>({
    find: async () => [],
    put: async (table, put) => {
      if (table === SETTING_CHANGES) for (const row of put as readonly SettingChangeRow[]) kept.set(row.n, row);
    },
    remove: async (_table, { n }: { readonly n?: { readonly atMost: number } }) => {
      if (n) for (const number of kept.keys()) if (number <= n.atMost) kept.delete(number);
      return 0;
    },
  });
  const work = <T>(todo: (given: Rows) => Promise<T>) => todo(rows);
  const families = { settings: [{ name: 'lp_interval' }] };
  const host = standIn<Host>({ families, on: () => () => {}, log: createLog('silent'), clock: new VirtualClock() });
  const values = new LastValues(host, standIn<Tables>({ read: work, write: work }));
  await values.load();
  for (let change = 1; change <= MOST_CHANGES + 1; change += 1)
    values.note('sim-1', 'lp_interval', change % 2 ? '1s' : '100ms', change);
  for (let waited = 0; waited < 1_000 && kept.get(MOST_CHANGES + 1) === undefined; waited += 1)
    await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(kept.size, MOST_CHANGES);
  t.notOk(kept.has(1), 'the first one has gone');
});
