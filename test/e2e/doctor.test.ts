/** A meter that is well is not called ill because much is asked of it. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

t.test('beside a watched stream and two programs that ask all the time the doctor finds nothing wrong', async (t) => {
  const world = await openWorld(t);
  await world.ftpOn();
  await world.watch('/sim-1/live');
  await world.pass(2_000);
  let isOver = false;
  const asking = ['battery', 'clock'].map(async (what) => {
    while (!isOver) {
      await world.asked('GET', `/sim-1/${what}`);
      await new Promise<void>((resolve) => world.clock.after(200, resolve));
    }
  });
  const examined = world.asked('GET', '/sim-1/doctor').finally(() => (isOver = true));
  const { status, body } = await world.passing(examined);
  t.equal(status, 200, JSON.stringify(body));
  const failed = body.data.checks.filter(({ outcome }: { outcome: string }) => outcome === 'failed');
  t.same(failed, []);
  t.equal(body.data.healthy, true);
  await world.passing(Promise.all(asking));
});
