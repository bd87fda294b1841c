/** Stations on the command line. */
import { join } from 'node:path';
import t from 'tap';
import { openWorld } from '../support/world.ts';
import { slm } from './setup.ts';

const world = await openWorld(t);

t.test('a station is set, sends a file, and proposes exclusions that are accepted once', async (t) => {
  const words = ['--title', 'Mast', '--units', 'sim-1', '--interval', '600'];
  t.match(await slm(world, ['station', 'set', 'mast', ...words]), { code: 0, out: 'The station mast is created.\n' });
  t.match(await slm(world, 'station set mast --interval ten'), { code: 2, err: /interval_s/ });
  const time = new Date(world.clock.now() - 3_600_000).toISOString();
  const folder = t.testdir({
    'weather.csv': `time,wind_speed\n${time},7.2\n`,
    'weather.jsonl': JSON.stringify({ time, rain: 0 }),
  });
  t.match(await slm(world, ['station', 'send', 'mast', join(folder, 'weather.csv')]), {
    code: 0,
    out: /^1 observation is kept/,
  });
  t.match(await slm(world, ['station', 'send', 'mast', join(folder, 'weather.jsonl')]), { code: 0 });
  t.match(await slm(world, ['station', 'send', 'mast', join(folder, 'none.csv')]), { code: 2, err: /cannot be read/ });
  t.match((await slm(world, 'station list --json')).json, [{ id: 'mast', units: ['sim-1'], interval_s: 600 }]);
  const proposed = await slm(world, 'note proposals sim-1');
  t.match(proposed.out, /wind +wind speed 7.2 m\/s \(above 5\) at mast\nNot observed: wind_speed for 23\.8 h/);
  const since = (seconds: number) => new Date(world.clock.now() - seconds * 1_000).toISOString();
  const short = await slm(world, ['note', 'proposals', 'sim-1', '--from', since(100)]);
  t.match(short.out, /Not observed: wind_speed for (99|100) s\. /, 'a short time is not said to be none');
  t.match(await slm(world, 'note accept sim-1 --reason rain'), { code: 0, out: /0 exclusions/ });
  t.match(await slm(world, 'note accept sim-1 --reason snow'), {
    code: 2,
    err: /must be one of calibration, rain, wind/,
  });
  t.match(await slm(world, 'note accept sim-1'), { code: 0, out: /1 exclusion is/ });
  t.match(await slm(world, 'note accept sim-1'), { code: 0, out: /No proposals\.\n0 exclusions/ });
  const shown = await slm(world, 'note rules sim-1');
  t.match(shown.out, /wind_speed +above 5 +wind[\s\S]*Such times are only proposed/);
  t.match(await slm(world, 'note rules sim-1 --auto-exclude yes'), { code: 2, err: /on or off/ });
  t.match(await slm(world, 'note rules sim-1 --auto-exclude on'), {
    code: 0,
    out: /are changed[\s\S]*excluded without asking; the observations are judged until/,
  });
  t.match((await slm(world, 'note rules sim-1 --json')).json, { auto_exclude: true, rules: [{}, {}] });
  t.match(await slm(world, 'note rules sim-1 --auto-exclude off'), { code: 0, out: /only proposed/ });
  t.match(await slm(world, 'station set mast --silent-after 90'), { code: 0 });
  t.match((await slm(world, 'station list --json')).json, [{ silent_after_s: 90, silent_limit_s: 90 }]);
  t.match(await slm(world, 'station set mast --silent-after soon'), { code: 2, err: /silent_after_s/ });
  t.match(await slm(world, 'station set mast --silent-after auto'), { code: 0 });
  t.match((await slm(world, 'station list')).out, /mast +Mast +sim-1/);
  t.match(await slm(world, 'station remove mast'), { code: 0 });
});
