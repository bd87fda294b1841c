/** The copy before a change of the tables, and a thread that dies. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Channel } from '../../lib/history/sqlite/channel.ts';
import { keepBeforeChange, prepareFile } from '../../lib/history/sqlite/prepare.ts';

t.test('before the tables change one copy is kept, in place of an earlier one', async (t) => {
  const folder = t.testdir({ copies: { 'history-before-old.db': '', 'gateway-1.db': '' } });
  const path = join(folder, 'history.db');
  const file = await prepareFile(path);
  await file.makeTables();
  await keepBeforeChange(path, '0009-next');
  file.release();
  t.strictSame(readdirSync(join(folder, 'copies')).sort(), ['gateway-1.db', 'history-before-0009-next.db']);
  const copy = await prepareFile(join(folder, 'copies', 'history-before-0009-next.db'));
  t.equal(copy.isNew, false, 'and it is a whole history');
  copy.release();
});

t.test('a caller that waits for a thread that dies gets an error, and the next call starts another', async (t) => {
  const folder = join(t.testdir(), 'later');
  const path = join(folder, 'history.db');
  const deaths: Error[] = [];
  const channel = new Channel({ path, maxBytes: 0, minFreeBytes: 0 }, (error) => deaths.push(error));
  t.teardown(() => channel.close());
  await t.rejects(channel.call('units', undefined), { code: 'THREAD_DIED' });
  t.equal(deaths.length, 1);
  mkdirSync(folder);
  const file = await prepareFile(path);
  t.teardown(() => file.release());
  await file.makeTables();
  t.strictSame(await channel.call('units', undefined), []);
  const leaving = new AbortController();
  const reason = new Error('the caller left');
  const left = channel.call('units', undefined, leaving.signal);
  leaving.abort(reason);
  await t.rejects(left, reason);
  t.match(await channel.call('bytes', undefined), { total: Number }, 'an answer that comes late harms nobody');
  await channel.close();
  await t.rejects(channel.call('units', undefined), { code: 'CLOSED' });
});
