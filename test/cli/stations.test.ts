/** Stations on the command line. */
import { join } from 'node:path';
import t from 'tap';
import { openWorld } from '../support/world.ts';
import { slm } from './setup.ts';

const world = await openWorld(t);

t.test('a station is set, sends a file, and proposes what is accepted once', async (t) => {
  const words = ['--title', 'Mast', '--units', 'sim-1', '--interval', '600'];
  t.match(await slm(world, ['station', 'set', 'mast', ...words]), { code: 0, out: 'The station mast is created.\n' });
  t.match(await slm(world, ['station', 'set', 'mast', '--interval', 'ten']), { code: 2, err: /interval_s/ });
  const time = new Date(world.clock.now() - 3_600_000).toISOString();
  const folder = t.testdir({
    'weather.csv': `time,wind_speed\n${time},7.2\n`,
    'weather.jsonl': JSON.stringify({ time, rain: 0 }),
  });
  t.match(await slm(world, ['station', 'send', 'mast', join(folder, 'weather.csv')]), {
    code: 0,
    out: /^One observation/,
  });
  t.match(await slm(world, ['station', 'send', 'mast', join(folder, 'weather.jsonl')]), { code: 0 });
  t.match(await slm(world, ['station', 'send', 'mast', join(folder, 'none.csv')]), { code: 2, err: /cannot be read/ });
  t.match((await slm(world, ['station', 'list', '--json'])).json, [{ id: 'mast', units: ['sim-1'], interval_s: 600 }]);
  const proposed = await slm(world, ['note', 'proposals', 'sim-1']);
  t.match(proposed.out, /wind +wind_speed 7.2 m\/s \(above 5\) at mast\nNot observed: wind_speed for 23\.8 h/);
  t.match(await slm(world, ['note', 'accept', 'sim-1', '--reason', 'rain']), { code: 0, out: /0 exclusions/ });
  t.match(await slm(world, ['note', 'accept', 'sim-1']), { code: 0, out: /One exclusion is/ });
  t.match(await slm(world, ['note', 'accept', 'sim-1']), { code: 0, out: /No proposals\.\n0 exclusions/ });
  t.match(await slm(world, ['station', 'remove', 'mast']), { code: 0 });
});
