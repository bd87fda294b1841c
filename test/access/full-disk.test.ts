/** Keys and sessions on a full disk and after a crash: a change that was confirmed stays, and any other one is refused. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startGateway } from '../../lib/app/gateway.ts';
import { createLog } from '../../lib/log.ts';
import { openKeyedGateway } from '../support/keyed-gateway.ts';
import { FakeBrowser, makePeople, PASSWORD } from '../support/people.ts';
import { send } from '../support/send.ts';
import { fill, smallDisk } from '../support/small-disk.ts';

const onServer = Boolean(process.env.DATABASE_URL) && 'the database is not on this disk';

t.test(
  'on a full disk, sign-in, sign-out and changes of keys are refused and not done',
  { skip: onServer },
  async (t) => {
    const place = await smallDisk(t, 8);
    if ('reason' in place) return void t.comment(`not tried: ${place.reason}`);
    const people = [{ name: 'Anna', role: 'operator' }] as const;
    const keyed = await openKeyedGateway(t, {}, (dataDir, clock) => makePeople(dataDir, clock, people), place.disk);
    const { headers } = await keyed.key({ name: 'admin', role: 'admin' });
    const other = await keyed.key({ name: 'other' });
    const page = new FakeBrowser(keyed);
    t.equal((await page.signIn({ name: 'Anna', password: PASSWORD })).status, 201);
    const filler = join(place.disk, 'filler');
    await fill(filler);
    const store = keyed.gateway.store;
    // The file of the last changes has some room of its own.
    for (let port = 1; port < 2_000 && store.trouble() === undefined; port += 1)
      await store.configs
        .change('roof', (unit) => ({ ...(unit ?? store.configs.of('roof')), ftpPort: port }))
        .catch(() => {});
    const refused = { status: /^50[37]$/, body: { code: /^STORAGE_(FULL|FAILED)$/ } };
    t.match(await page.ask('DELETE', '/_session'), refused);
    t.equal((await page.ask('GET', '/_session')).status, 200, 'the session lasts');
    t.match(await new FakeBrowser(keyed).signIn({ name: 'Anna', password: PASSWORD }), refused);
    t.match(await keyed.ask('DELETE', `/_keys/${other.id}`, { headers }), refused);
    t.equal((await keyed.ask('GET', '/_session', { headers: other.headers })).status, 200, 'the key is good');
    t.match(await keyed.post('/_keys', { name: 'third', role: 'viewer' }, headers), refused);
    t.equal((await keyed.ask('GET', '/_keys', { headers })).body.data.length, 2);
    rmSync(filler, { recursive: true });
    while (store.trouble() !== undefined) await keyed.clock.advance(1_000);
    t.equal((await page.ask('DELETE', '/_session')).status, 200);
    t.equal((await keyed.ask('DELETE', `/_keys/${other.id}`, { headers })).status, 200);
  },
);

t.test('a confirmed sign-out and a confirmed revocation stay after a crash', { skip: onServer }, async (t) => {
  const keyed = await openKeyedGateway(t, {}, (dataDir, clock) =>
    makePeople(dataDir, clock, [{ name: 'Anna', role: 'operator' }]),
  );
  const { headers } = await keyed.key({ name: 'admin', role: 'admin' });
  const other = await keyed.key({ name: 'other' });
  const page = new FakeBrowser(keyed);
  await page.signIn({ name: 'Anna', password: PASSWORD });
  const before = { Cookie: page.cookie };
  t.equal((await page.ask('DELETE', '/_session')).status, 200);
  t.equal((await keyed.ask('DELETE', `/_keys/${other.id}`, { headers })).status, 200);
  const folder = t.testdir({});
  const data_dir = join(folder, 'data');
  mkdirSync(data_dir, { mode: 0o700 });
  // The state after a power cut. Another process copies: to open the files here would end the locks of SQLite.
  const files = ['gateway.db', 'gateway.db-wal'].map((name) => join(keyed.dataDir, name));
  execFileSync('cp', [...files, data_dir]);
  execFileSync('cp', [join(keyed.dataDir, '..', 'key'), folder]);
  const settings = { port: 0, data_dir, key_file: join(folder, 'key') };
  const next = await startGateway(settings, { clock: keyed.clock, log: createLog('silent') });
  const status = async (given: Record<string, string>) =>
    (await send(new URL(`${next.baseUrl}/_session`), { method: 'GET', headers: given })).status;
  t.strictSame([await status(headers), await status(other.headers), await status(before)], [200, 401, 401]);
  await keyed.clock.until(next.stop());
});
