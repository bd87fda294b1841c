/** A database that cannot be used: refused at the start, in a sentence that says what to do and shows no password. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { databaseAddress } from '../../lib/domain/database-address.ts';
import { isBroken, openingError, serverTrouble } from '../../lib/store/postgres/problems.ts';
import { config } from '../store/setup.ts';
import { freshDatabase, inDatabase } from '../support/postgres.ts';
import { openRelay } from './support/relay.ts';
import { serverFolder } from './support/server-folder.ts';

const PASSWORD = 'canary-0417';

/** Opens with this address instead, and expects to be refused. */
async function refused(t: Test, url: string, problem: string, words: RegExp, place = serverFolder(t)) {
  const error = await place.open({ server: databaseAddress(url) }).then(
    () => t.fail('it opened'),
    (error) => error,
  );
  t.match(error, { name: 'StoreError', problem, message: words });
  t.notMatch(`${error.message} ${place.lines.join()}`, PASSWORD);
  return error;
}

t.test('a wrong password, an unknown database, nobody there', async (t) => {
  const url = new URL(await freshDatabase(t));
  const wrong = new URL(url);
  wrong.password = PASSWORD;
  await refused(
    t,
    wrong.href,
    'refused',
    /does not let the user postgres in .*: check user and password in database_url$/,
  );
  const unknown = new URL(url);
  unknown.pathname = '/nothing_of_this_name';
  await refused(t, unknown.href, 'refused', /there is no database nothing_of_this_name.*createdb --owner=postgres/);
  const relay = await openRelay(t, url.href);
  await relay.close();
  await refused(t, relay.url, 'unreachable', /cannot be reached .*ECONNREFUSED.*: see whether PostgreSQL runs there/);
});

t.test('encryption that the server does not have is refused with both ways on', async (t) => {
  const relay = await openRelay(t, await freshDatabase(t));
  await refused(t, `${relay.url}?sslmode=verify-full`, 'refused', /does not encrypt connections: .*sslmode=disable/);
  await refused(t, `${relay.url}?sslmode=require&sslrootcert=/none`, 'refused', /certificates .* cannot be read/);
});

t.test('an answer that came too late for the server is no reason to give the start up', (t) => {
  const error = Object.assign(new Error('terminating connection due to idle-in-transaction timeout'), {
    code: '25P03',
  });
  t.match(openingError(error, databaseAddress('postgresql://slm:x@db/slm')), { problem: 'unreachable' });
  t.match(serverTrouble(error), { code: 'STORAGE_FAILED' }, 'nor is a change then answered with 500');
  t.ok(isBroken(error), 'its connection is given up');
  t.end();
});

t.test('the wait for a server that is starting does not advise a new start of the gateway', (t) => {
  const error = Object.assign(new Error('the database system is starting up'), { code: '57P03' });
  const { problem, message } = openingError(error, databaseAddress('postgresql://slm:x@db/slm'));
  t.equal(problem, 'unreachable', 'an instance waits for it');
  t.match(message, /takes no work now \(the database system is starting up\): its log says why/);
  t.end();
});

t.test('a newer schema, and a plugin that was newer', async (t) => {
  const place = serverFolder(t);
  await (await place.open()).close();
  await inDatabase(await place.url(), "insert into store_migration (name) values ('9999-later')");
  await refused(t, await place.url(), 'newer', /written by a newer release \(9999-later\): start that release/, place);
});

t.test('a database that can only be read', async (t) => {
  const url = await freshDatabase(t);
  const name = new URL(url).pathname.slice(1);
  await inDatabase(url, `alter database ${name} set default_transaction_read_only = on`);
  await refused(t, url, 'read-only', /can only be read: .*default_transaction_read_only to off/);
});

t.test('a database with tables of something else', async (t) => {
  const url = await freshDatabase(t);
  await inDatabase(url, 'create table customers (x int)');
  await refused(t, url, 'other', /has tables of something else \(customers\): give the gateway a database of its own/);
  t.same(
    await inDatabase(url, "select to_regclass('device_config') as made"),
    [{ made: null }],
    'and nothing was made in it',
  );
});

t.test('a user who may not make tables', async (t) => {
  const url = new URL(await freshDatabase(t));
  const user = `guest_${url.pathname.slice(-12)}`;
  await inDatabase(url.href, `create role ${user} login password '${PASSWORD}'`);
  t.teardown(() => inDatabase(url.href, `drop role ${user}`).catch(() => {}));
  url.username = user;
  url.password = PASSWORD;
  await refused(t, url.href, 'refused', /may not make tables .*: make the user its owner/);
});

t.test('a search_path without a schema that is there', async (t) => {
  const url = new URL(await freshDatabase(t));
  const user = `lost_${url.pathname.slice(-12)}`;
  await inDatabase(url.href, `create role ${user} login password '${PASSWORD}'`);
  t.teardown(() => inDatabase(url.href, `drop role ${user}`).catch(() => {}));
  await inDatabase(url.href, `alter role ${user} set search_path = nowhere`);
  url.username = user;
  url.password = PASSWORD;
  await refused(t, url.href, 'refused', /has no schema .* make one, or set search_path of the user lost_/);
});

t.test('the database of another gateway, and an empty one in the place of the own', async (t) => {
  const [own, other] = [serverFolder(t), serverFolder(t, 'other')];
  for (const place of [own, other]) {
    const store = await place.open();
    await store.configs.change('roof', () => config('roof'));
    await store.close();
  }
  await refused(t, await other.url(), 'other', /holds the data of another gateway.*remove instance\.json/, own);
  await refused(
    t,
    await freshDatabase(t),
    'other',
    /is a new one, and the data folder .* belongs to a different database/,
    own,
  );
  t.ok((await own.open()).configs.get('roof'), 'the right one still opens');
});

t.test('an empty database beside a folder with data', async (t) => {
  const place = serverFolder(t);
  const local = await place.open({ server: undefined });
  await local.close();
  await refused(
    t,
    await place.url(),
    'lost',
    /gateway\.db shows that there was one\. .*npm run database -- copy.*--accept-loss/,
    place,
  );
});

t.test('a damaged instance.json', async (t) => {
  const place = serverFolder(t);
  await (await place.open()).close();
  await writeFile(join(place.dataDir, 'instance.json'), '{"member":');
  await refused(t, await place.url(), 'folder', /instance\.json is damaged: restore it/, place);
});
