/** The first seconds of a meter: levels come at once after it is added, before the other questions of the gateway. */
import t from 'tap';
import { configOf, openWorld } from '../support/world.ts';

t.test(
  'levels of a meter that was just added, and whose stream is recorded, come within the time of a request',
  async (t) => {
    const world = await openWorld(t);
    await world.delete('/sim-1/config');
    const { meter, clock } = world;
    for (const wait of [0, 500, 4_000]) {
      const added = await world.put('/roof/config', { ...configOf(meter), poll_enabled: true, history: 'stream' });
      t.equal(added.status, 200);
      await world.pass(wait);
      const asked = clock.elapsed();
      const live = await world.get('/roof/live');
      t.equal(live.status, 200, `asked ${wait} ms after it was added: ${JSON.stringify(live.body.detail)}`);
      t.ok(clock.elapsed() - asked < 25_000, `after ${clock.elapsed() - asked} ms`);
      await world.delete('/roof/config');
      await world.pass(2_000);
    }
  },
);
