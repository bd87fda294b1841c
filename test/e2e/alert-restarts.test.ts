/** A restart leaves no trace: one event stays one, and what a limit still allows is the same. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

const LIMIT = { units: ['sim-1'], kind: 'level', quantity: 'leq', window: '1m', limit_db: 70 };

t.test('an event of a sliding window goes on through three restarts, and ends once', async (t) => {
  const world = await openWorld(t);
  world.meter.instrument.play({ steadyDb: 55 });
  await world.put('/sim-1/config', { history: 'stream', timezone: 'UTC' });
  await world.post('/_alerts/rules', { ...LIMIT, name: 'Sliding', align: 'sliding' });
  await world.post('/_alerts/rules', { ...LIMIT, name: 'Quarter', window: '15m' });
  await world.pass(65_000);
  world.meter.instrument.play({ steadyDb: 90 });
  await world.pass(5_000);
  const eventsOf = async (name: string) =>
    (await world.get('/_alerts/events')).body.data.filter((event: { rule_name: string }) => event.rule_name === name);
  const [first] = await eventsOf('Sliding');
  t.match(first, { closed_at: null });
  const spent = async () => (await world.get('/sim-1/budget')).body.data[1];
  const energy = (seconds: number, level: number) => seconds * 10 ** (level / 10);
  for (let restart = 0; restart < 3; restart++) {
    // Most of the window is silence from before: a part of it alone is below the level at which an event ends.
    const before = await spent();
    await world.restart(500);
    // The history is read in a thread of its own, in real time.
    for (let tries = 0; (await spent()).leq_so_far === null && tries < 100; tries++) await world.pass(100);
    const after = await spent();
    // All that came since then is at 90 dB.
    const more = energy(after.measured_s - before.measured_s + 1, 90);
    const most = 10 * Math.log10((energy(before.measured_s, before.leq_so_far) + more) / after.measured_s);
    const [was, is] = [before.leq_so_far, after.leq_so_far];
    t.ok(is >= was - 0.05 && is < most + 0.3, `the budget goes on: ${was} dB, then ${is} dB, at most ${most}`);
    await world.pass(2_000);
  }
  t.match(await eventsOf('Sliding'), [{ id: first.id, closed_at: null, opened_at: first.opened_at }]);
  t.equal((await eventsOf('Sliding')).length, 1);
  world.meter.instrument.play({ steadyDb: 40 });
  await world.pass(66_000);
  const all = await eventsOf('Sliding');
  t.equal(all.length, 1);
  t.type(all[0].closed_at, 'string', 'it has ended');
});
