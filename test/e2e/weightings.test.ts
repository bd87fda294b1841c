/** Frequency and time weighting of every channel. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

const CHANNELS = ['Main', 'Sub1', 'Sub2', 'Sub3'];

t.test('the weighting of the main channel is read by default', async (t) => {
  const world = await openWorld(t);
  t.same((await world.get('/sim-1/frequency-weighting')).body, {
    status: 'ok',
    frequency_weighting: 'A',
    channel: 'Main',
  });
  t.same((await world.get('/sim-1/time-weighting')).body, { status: 'ok', time_weighting: 'F', channel: 'Main' });
  t.same(world.meter.log.commands, ['Frequency Weighting (Main)?', 'Time Weighting (Main)?']);
});

t.test('a weighting that is set on a channel is read from that channel', async (t) => {
  const world = await openWorld(t);
  for (const [index, channel] of CHANNELS.entries()) {
    const frequency = ['Z', 'A', 'C', 'Z'][index] ?? 'A';
    const time = ['S', 'I', 'S', 'F'][index] ?? 'F';
    const set = await world.put('/sim-1/frequency-weighting', { weighting: frequency, channel });
    t.match(set.body, { status: 'ok', message: String, frequency_weighting: frequency, channel });
    t.equal(world.meter.read(`Frequency Weighting (${channel})`), frequency);
    t.match((await world.get(`/sim-1/frequency-weighting?channel=${channel}`)).body, {
      frequency_weighting: frequency,
      channel,
    });
    const timed = await world.put('/sim-1/time-weighting', { weighting: time, channel });
    t.match(timed.body, { status: 'ok', message: String, time_weighting: time, channel });
    t.match((await world.get(`/sim-1/time-weighting?channel=${channel}`)).body, { time_weighting: time, channel });
  }
});

t.test('without a channel, the main channel is set', async (t) => {
  const world = await openWorld(t);
  t.match((await world.put('/sim-1/frequency-weighting', { weighting: 'C' })).body, { channel: 'Main' });
  t.match((await world.put('/sim-1/time-weighting', { weighting: 'S' })).body, { channel: 'Main' });
  t.same(world.meter.log.commands, ['Frequency Weighting (Main),C', 'Time Weighting (Main),S']);
});

t.test('a weighting that the meter refuses while measuring is 409', async (t) => {
  const world = await openWorld(t, { quirks: { settings_while_measuring: 'refused' } });
  await world.post('/sim-1/start');
  const answer = await world.put('/sim-1/time-weighting', { weighting: 'S' });
  t.match(answer, { status: 409, body: { code: 'DEVICE_WRONG_STATE', detail: /Time Weighting/ } });
  t.equal(world.meter.read('Time Weighting (Main)'), 'F');
});
