/** A meter that is well is not called ill because much is asked of it. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

const SUB = '\x1a';

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

t.test('a stream that is interrupted for a moment is still a stream: little is asked beside it', async (t) => {
  const world = await openWorld(t);
  await world.ftpOn();
  await world.watch('/sim-1/live');
  await world.pass(2_000);
  const examined = () => world.passing(world.asked('GET', '/sim-1/doctor'));
  await examined();
  await world.pass(2_000);
  const asked = world.asked('GET', '/sim-1/battery?max_age=0');
  while (world.meter.log.commands.at(-1) !== SUB) await world.pass(100);
  const from = world.clock.elapsed();
  const { body } = await examined();
  t.equal(body.data.healthy, true);
  t.match(body.data.checks[4], { check: 'reply', detail: 'The meter sends its levels as a stream.' });
  t.ok(world.clock.elapsed() - from < 25_000, `${world.clock.elapsed() - from} ms`);
  await asked;
});
