/** Tables of one plugin that a newer release has changed: an older one does not start without this plugin, as if nothing was missing. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t from 'tap';
import { startGateway } from '../../lib/app/gateway.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { placesIn } from '../support/empty-data.ts';

const log = createLog('silent');

t.test('alerts of a newer release keep an older gateway from its start, and nothing is left open', async (t) => {
  const settings = { port: 0, ...placesIn(t.testdir()) };
  const start = (more: object = {}) => startGateway({ ...settings, ...more }, { log, clock: new VirtualClock() });
  await (await start()).stop();
  const file = join(settings.data_dir, 'gateway.db');
  const database = new Database(file);
  database.prepare('insert into plugin_migration (name) values (?)').run('alerts/9999-later');
  database.close();
  const refusal = {
    problem: 'newer',
    message: /plugin alerts .*newer release \(alerts\/9999-later\): start that release/,
  };
  await t.rejects(start(), refusal);
  await t.rejects(start(), refusal, 'the folder is free again');
  const plugins = ['config', 'status', 'notes', 'history'];
  const without = await start({ plugins });
  t.teardown(() => without.stop());
  t.match(without.plugins.names, plugins, 'one that is not wanted keeps nobody from starting');
});
