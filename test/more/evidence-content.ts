/** A package of a meter at work: what happened in its span is in it, and both verifiers find it whole. `npm run test:more` */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { verifyPackage } from '../../lib/evidence/verify/index.ts';
import { sourceOf } from '../support/evidence.ts';
import { downloaded, madePackage } from '../support/packages.ts';
import { unzip } from '../support/unzip.ts';
import { openWorld } from '../support/world.ts';

const SCRIPT = fileURLToPath(new URL('../../client/python/verify.py', import.meta.url));
const HAS_PYTHON = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;
const SECOND = { steps: 10, lmax: 90, lmin: 88, lpeak: 101, leq: 89 };

t.test('an alert, flags, settings that changed and records of the audit log', async (t) => {
  const world = await openWorld(t);
  const text = (ms: number) => new Date(ms).toISOString();
  await world.put('/sim-1/lp-interval', { preset: '100ms' });
  await world.pass(2_000);
  const from = text(world.clock.now());
  await world.put('/sim-1/config', { timezone: 'Asia/Kathmandu', history: 'stream' });
  await world.put('/sim-1/lp-interval', { preset: '1s' });
  const rule = { name: 'Night', units: ['sim-1'], kind: 'level', quantity: 'leq', window: '1m', limit_db: 70 };
  await world.post('/_alerts/rules', { ...rule, align: 'sliding', record: false });
  world.meter.instrument.play({ steadyDb: 90 });
  for (let waited = 0; (await world.get('/_alerts/events')).body.data.length === 0; waited += 1) {
    if (waited === 300) throw new Error('there is no alert');
    await world.pass(1_000);
  }
  const at = Math.floor(world.clock.now() / 1_000) - 1;
  world.gateway.history.append({
    ...{ unitId: 'sim-1', source: 'card', weighting: { frequency: 'A', time: 'F' } },
    seconds: [{ ...SECOND, at, lp: Array<number>(10).fill(89), flags: { over: true, frozen: true } }],
  });
  await world.gateway.history.flush();
  await world.pass(2_000);
  const { href } = await madePackage(world, { from, to: text(world.clock.now()) });
  const { bytes } = await downloaded(world, href);
  const files = unzip(bytes);
  const fileOf = (name: string) => String(files.get(name));

  const [event] = JSON.parse(fileOf('alerts.json'));
  t.match(event, { rule_name: 'Night', unit_id: 'sim-1' });
  const levels = [...files.keys()].filter((name) => /^levels.*seconds\.csv$/.test(name)).map(fileOf);
  t.match(levels.join('\n'), /over frozen/);
  const settings = JSON.parse(fileOf('settings.json'));
  t.match(
    settings.meter_settings.filter(({ name }: { name: string }) => name === 'lp_interval'),
    [{ value: '100ms' }],
  );
  t.match(
    settings.meter_setting_changes.filter(({ name }: { name: string }) => name === 'lp_interval'),
    [{ value: '1s', before: '100ms' }],
  );
  const records = fileOf('audit.jsonl').trim().split('\n');
  t.match(
    records.map((line) => JSON.parse(line).route),
    ['/{unit_id}/config', '/{unit_id}/lp-interval'],
  );
  t.notMatch(fileOf('settings.json'), /127\.0\.0\.1|port|password/);

  t.match(await verifyPackage(sourceOf(bytes)), { outcome: 'whole', differences: [] });
  const path = join(t.testdir(), 'package.zip');
  writeFileSync(path, bytes);
  if (HAS_PYTHON)
    t.match(spawnSync('python3', ['-B', SCRIPT, path], { encoding: 'utf8' }).stdout, /WHOLE|NOTHING DIFFERS/);
});
