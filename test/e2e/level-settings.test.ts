/** Settings beside the levels: the percentage of each place of the display, and the weightings. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

const POLLED = { poll_enabled: true, poll_interval_seconds: 10 };

t.test('percentiles are given by the percentage that the meter has set, and null before it is known', async (t) => {
  const world = await openWorld(t);
  const meter = world.meter;
  meter.set('Percentile 1', '1');
  meter.set('Percentile 2', '10');
  await world.post('/sim-1/start');
  await world.pass(5_000);
  const before = (await world.get('/sim-1/live')).body.data;
  t.equal(before.ln, null, 'a person who reads the display does not wait for it');
  t.match(before, { frequency_weighting: null, time_weighting: null });

  await world.put('/sim-1/config', POLLED);
  await world.pass(60_000);
  const { data } = (await world.get('/sim-1/status')).body;
  t.strictSame(Object.keys(data.ln), ['1', '10', '50', '90', '95']);
  t.equal(data.ln['1'], Number(data.ln1));
  t.equal(data.ln['95'], Number(data.ln5));
  t.match(data, { frequency_weighting: 'A', time_weighting: 'F' });
  const [unit] = (await world.get('/_status')).body.data;
  t.strictSame([unit.ln['10'], unit.ln1], [unit.ln2, unit.ln['1']]);
  t.match((await world.get('/sim-1/live')).body.data, { ln: { 50: Number }, frequency_weighting: 'A' });
  t.equal(meter.log.commands.filter((text) => text === 'Percentile 3?').length, 1, 'asked once');
});

t.test('a percentage that was changed at the keys is seen within an hour', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { poll_enabled: true, poll_interval_seconds: 600 });
  await world.pass(60_000);
  world.meter.set('Percentile 5', '99');
  t.same(Object.keys((await world.get('/sim-1/status')).body.data.ln), ['5', '10', '50', '90', '95']);
  await world.clock.advance(4_800_000);
  t.same(Object.keys((await world.get('/sim-1/status')).body.data.ln), ['5', '10', '50', '90', '99']);
});

t.test('levels keep the weighting with which they were read', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', POLLED);
  await world.pass(30_000);
  await world.put('/sim-1/config', { poll_enabled: false });
  t.match((await world.get('/sim-1/status')).body.data, { frequency_weighting: 'A', time_weighting: 'F' });
  await world.put('/sim-1/frequency-weighting', { weighting: 'C' });
  t.equal((await world.get('/sim-1/status')).body.data.frequency_weighting, null, 'the levels were read before');
  await world.pass(2_000);
  await world.get('/sim-1/live');
  t.equal((await world.get('/sim-1/status')).body.data.frequency_weighting, 'C');
});
