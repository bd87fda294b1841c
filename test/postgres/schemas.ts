/** Two sites on one PostgreSQL, each with a schema of its own: each has a lease and tables, and neither sees the other. */
import t from 'tap';
import { databaseAddress, databaseUrlOf } from '../../lib/domain/database-address.ts';
import { PostgresLeaseStore } from '../../lib/store/postgres/lease-store.ts';
import { aboutMember } from '../cluster/support/memory-store.ts';
import { config, folder } from '../store/setup.ts';
import { freshDatabase, inDatabase } from '../support/postgres.ts';

t.test('each site has a lease and configs in its schema, which is made where it is missing', async (t) => {
  t.testdir();
  const url = await freshDatabase(t);
  const { signal } = new AbortController();
  for (const site of ['north', 'south']) {
    const server = databaseAddress(databaseUrlOf({ database_url: url, database_schema: site }));
    const leases = new PostgresLeaseStore(server);
    t.teardown(() => leases.close());
    const taken = await leases.ask({ member: site, about: aboutMember(site), take: { seen: undefined } }, signal);
    t.match(taken, { isDone: true, lease: { member: site, incarnation: 1 } });
    t.equal(taken.members.length, 1, 'it sees no instance of the other site');
    const place = folder(t, site);
    const store = await place.open({ server, ownership: { member: site, incarnation: 1 } });
    await store.configs.change(site, () => config(site));
    t.strictSame(
      store.configs.list().map(({ unitId }) => unitId),
      [site],
    );
    await store.close();
  }
  const found = await inDatabase(url, "select schemaname from pg_tables where tablename = 'device_config' order by 1");
  t.strictSame(found, [{ schemaname: 'north' }, { schemaname: 'south' }]);
});
