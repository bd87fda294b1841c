/** The coverage has the time that a fault of the meter or of the link costs: no more, and above all no less. */
import t from 'tap';
import { openWorld, type World } from '../support/world.ts';

const iso = (ms: number) => new Date(ms).toISOString();

/** Seconds of the last `count` that are over, as [coverage, leq]. The last two may still be open. */
async function lastSeconds(world: World, count: number): Promise<readonly (readonly [number, number | null])[]> {
  await world.gateway.history.flush();
  const end = Math.floor(world.clock.now() / 1_000) * 1_000 - 2_000;
  const query = `from=${iso(end - count * 1_000)}&to=${iso(end)}&step=1s&quantities=leq`;
  const { body } = await world.get(`/sim-1/history?${query}`);
  return body.data.rows.map(([, leq, coverage]: [string, number | null, number]) => [coverage, leq]);
}

const frames = async (world: World) => (await world.get('/sim-1/history/extent')).body.data.recording.frames;

t.test('coverage has exactly the missing time', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { history: 'stream' });
  // The file of the history is made on a real disk, which does not follow the clock of the test.
  while (!((await frames(world)) > 0)) await world.pass(1_000);

  await t.test('a tenth of the frames lost is a tenth of each second', async (t) => {
    world.meter.faults.on('frames-lost', { every: 10, lost: 1 });
    await world.undisturbed(9_000);
    const rows = await lastSeconds(world, 5);
    t.strictSame(
      rows.map(([coverage]) => coverage),
      [0.9, 0.9, 0.9, 0.9, 0.9],
    );
    world.meter.faults.clear();
  });

  await t.test('frames that come five in one segment are all there, each in its second', async (t) => {
    world.meter.faults.on('joined', { frames: 5 });
    await world.undisturbed(9_000);
    t.strictSame(
      (await lastSeconds(world, 5)).map(([coverage]) => coverage),
      [1, 1, 1, 1, 1],
    );
    world.meter.faults.clear();
  });

  await t.test('frames that were held back for five seconds are all there, each in its second', async (t) => {
    // Frames that the last fault still held back are lost with it.
    await world.pass(2_000);
    world.meter.faults.on('stall', { after_frames: 10, stall_ms: 5_000 });
    await world.pass(10_000);
    t.strictSame(
      (await lastSeconds(world, 8)).map(([coverage]) => coverage),
      [1, 1, 1, 1, 1, 1, 1, 1],
    );
    world.meter.faults.clear();
  });

  await t.test('a meter that loses its power is missing until it streams again, and no second longer', async (t) => {
    const before = await frames(world);
    world.meter.faults.on('reboot', { boot_ms: 4_000 });
    await world.pass(25_000);
    const rows = await lastSeconds(world, 25);
    const gap = rows.filter(([coverage]) => coverage === 0);
    t.ok(gap.length >= 3, `${gap.length} seconds without anything`);
    t.ok(
      gap.every(([, leq]) => leq === null),
      'and without a level',
    );
    const after = rows.slice(rows.findLastIndex(([coverage]) => coverage < 1) + 1);
    t.ok(after.length >= 2, 'whole seconds again afterwards');
    t.ok((await frames(world)) > before);
  });

  await t.test('a wedged meter is missing until its listener is back', async (t) => {
    world.meter.faults.on('wedge', { connections: 'reset' });
    await world.pass(12_000);
    t.strictSame(
      await lastSeconds(world, 6),
      Array.from({ length: 6 }, () => [0, null]),
    );
    world.meter.faults.clear();
    await world.pass(15_000);
    t.strictSame(
      (await lastSeconds(world, 3)).map(([coverage]) => coverage),
      [1, 1, 1],
    );
  });

  await t.test('the recorded frames are as many as the received frames', async (t) => {
    await world.put('/sim-1/config', { history: 'off' });
    await world.pass(2_000);
    await world.gateway.history.flush();
    const { data } = (await world.get('/sim-1/history/extent')).body;
    const query = `from=${data.first}&to=${data.last}&step=1s&quantities=leq&format=csv`;
    const { body } = await world.get(`/sim-1/history?${query}`);
    const lines = String(body).trimEnd().split('\r\n').slice(1);
    const steps = lines.reduce((sum, line) => sum + Math.round(Number(line.split(',')[3]) * 10), 0);
    t.equal(Math.round(data.series[0].measured_s * 10), steps);
  });
});
