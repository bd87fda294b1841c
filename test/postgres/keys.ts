/** Keys in a database that several computers share. */
import { join } from 'node:path';
import t from 'tap';
import type { MadeKey } from '../../lib/access/key-admin.ts';
import { startGateway } from '../../lib/app/gateway.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { nameDatabase, withKeys } from '../support/keys.ts';
import { freshDatabase } from '../support/postgres.ts';
import { send } from '../support/send.ts';

t.test('revocations at two computers at once are all kept, and the gateway knows them within a second', async (t) => {
  const url = await freshDatabase(t);
  const folder = t.testdir({});
  const clock = new VirtualClock();
  const [one, two] = ['one', 'two'].map((name) => join(folder, name)) as [string, string];
  for (const dataDir of [one, two]) nameDatabase(dataDir, url);
  const made: MadeKey[] = [];
  for (let n = 0; n < 12; n += 1)
    made.push(
      await withKeys(n % 2 === 0 ? one : two, (admin) =>
        admin.addKey({ name: `key ${n}`, role: 'viewer', units: null, tags: null, expires_at: null }),
      ),
    );
  const settings = { port: 0, database_url: url, data_dir: join(folder, 'gateway'), key_file: join(folder, 'key') };
  const gateway = await startGateway(settings, { clock, log: createLog('silent') });
  t.teardown(() => clock.until(gateway.stop()));
  const status = async ({ text }: { text: string }) =>
    (
      await send(new URL(`${gateway.baseUrl}/_session`), {
        method: 'GET',
        headers: { Authorization: `Bearer ${text}` },
      })
    ).status;
  for (const key of made) t.equal(await status(key), 200);
  const revoked = await Promise.all(
    made.map(({ record }, n) => withKeys(n % 2 === 0 ? one : two, (admin) => admin.revokeKey(record.id))),
  );
  t.ok(revoked.every((key) => key?.revoked_at !== null));
  const keys = await withKeys(one, (admin) => admin.keys());
  t.strictSame(
    keys.map(({ name, revoked_at }) => [name, revoked_at !== null]),
    made.map(({ record }) => [record.name, true]),
  );
  const all = async () => (await Promise.all(made.map(status))).every((one) => one === 401);
  while (!(await all())) await clock.advance(1_000);
  t.ok(await all());
});
