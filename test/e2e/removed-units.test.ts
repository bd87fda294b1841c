/** A unit was removed while the database took nothing else, and the gateway ended: the next unit of this name has nothing of it. */
import t from 'tap';
import { databaseAddress } from '../../lib/domain/database-address.ts';
import { createLog } from '../../lib/log.ts';
import { openStore } from '../../lib/store/index.ts';
import { placesIn } from '../support/empty-data.ts';
import { PNG, sendPicture } from '../support/pictures.ts';
import { openWorld, type World } from '../support/world.ts';

/** The gateway ends; of what it has of the unit only config and last values go. */
async function endedWithout(world: World, unitId: string): Promise<void> {
  await world.passing(world.gateway.stop());
  await world.gateway.history.close();
  const { data_dir: dataDir, key_file: keyFile } = placesIn(world.dataDir);
  const server = world.databaseUrl === '' ? undefined : databaseAddress(world.databaseUrl);
  const store = await world.passing(
    openStore({ dataDir, keyFile, server, timezone: () => 'UTC', clock: world.clock, log: createLog('silent') }),
  );
  await store.configs.remove(unitId);
  await world.passing(store.close());
}

t.test('data that could not be removed with a unit is removed at the next start', async (t) => {
  const world = await openWorld(t);
  const shown = async (path: string) => (await world.get(path)).body.data;
  await world.put('/_profiles/night', { description: 'Nights', settings: { frequency_weighting: 'C' } });
  await world.passing(sendPicture(world.base, PNG));
  /** All that a unit of this name has from before `end`. */
  const kept = async (end: number) => {
    const span = `from=2025-12-01T00:00:00Z&to=${new Date(end).toISOString()}`;
    return {
      schedule: await shown('/sim-1/schedule'),
      drift: await shown('/_profiles/night/drift'),
      marks: (await shown('/_plan')).marks,
      rules: await shown('/sim-1/notes/rules'),
      changes: await shown(`/sim-1/settings/changes?${span}`),
      log: await shown(`/sim-1/log?${span}`),
    };
  };
  const fresh = { ...(await kept(world.clock.now())), changes: [], log: [] };
  await world.post('/_profiles/night/apply', { units: ['sim-1'] });
  const entries = [{ cron: '0 6 * * *', action: 'clock_sync' }];
  t.equal((await world.put('/sim-1/schedule', { entries })).status, 200);
  await world.put('/sim-1/plan', { x: 0.5, y: 0.5 });
  await world.put('/sim-1/notes/rules', { rules: [] });
  await world.pass(10_000);
  const before = await kept(world.clock.now());
  for (const [name, value] of Object.entries(before))
    t.not(JSON.stringify(value), JSON.stringify(Reflect.get(fresh, name)), name);
  await endedWithout(world, 'sim-1');
  const end = world.clock.now();
  await world.restart(1_000);
  await world.configure('sim-1', world.meter);
  t.strictSame(await kept(end), fresh);
});
