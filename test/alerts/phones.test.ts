/** How many phones there can be, and what a restart of the gateway keeps of them. */
import t from 'tap';
import { MOST_OF_ONE, MOST_PHONES, Phones } from '../../plugins/alerts/delivery/push/phones.ts';
import { ALERT_MIGRATIONS, ALERT_TABLES, PHONES } from '../../plugins/alerts/tables.ts';
import { folder } from '../store/setup.ts';

t.test('200 phones in all, also when many subscribe at once; a removed phone makes room', async (t) => {
  const { clock, open } = folder(t);
  const store = await open();
  const tables = await store.tables('alerts', ALERT_TABLES, ALERT_MIGRATIONS);
  const parts = {
    tables,
    clock,
    secrets: store.secrets('alerts'),
    rightsOf: () => ({ role: 'viewer', units: null }) as const,
  };
  const phones = new Phones(parts);
  await phones.load();
  const add = (owner: number, n: number) =>
    phones.add(
      { owner: `person ${owner}`, person: `Person ${owner}`, name: '', language: null },
      { endpoint: `https://push.example.org/${owner}/${n}`, p256dh: '', auth: '' },
    );
  const owners = MOST_PHONES / MOST_OF_ONE;
  // One more than each may have.
  const all = Array.from({ length: owners }, (_, owner) =>
    Array.from({ length: MOST_OF_ONE + 1 }, (_, n) => add(owner, n)),
  );
  const outcomes = await Promise.allSettled(all.flat());
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  t.equal(refused.length, owners);
  t.equal(phones.list().length, MOST_PHONES);
  await t.rejects(add(owners, 0), /200 phones/);
  t.match(await add(0, 0), { id: 1 }, 'the same browser again needs no room');
  await phones.remove(7, 'a test');
  t.match(await add(owners, 0), { id: MOST_PHONES + 1 }, 'an id is not used again');

  const again = new Phones(parts);
  await again.load();
  t.same(again.list(), phones.list());
  const [first] = again.list();
  t.match(first && (await again.subscriptionOf(first)), { endpoint: 'https://push.example.org/0/0' });
  t.same(await tables.read((rows) => rows.find(PHONES, { where: { id: 7 } })), []);
});
