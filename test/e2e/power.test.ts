/** The sleep mode as a setting. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

t.test('sleep and wake switch the setting, and status reads it', async (t) => {
  const world = await openWorld(t);
  t.same((await world.get('/sim-1/sleep/status')).body, { status: 'ok', sleep_mode: 'Off' });
  t.match(await world.post('/sim-1/sleep'), {
    status: 200,
    body: {
      status: 'ok',
      message: /may stop answering whenever it does not measure; then only a person at the meter can wake/,
    },
  });
  t.equal(world.meter.read('Sleep Mode'), 'On');
  t.same((await world.get('/sim-1/sleep/status')).body, { status: 'ok', sleep_mode: 'On' });
  t.match(await world.post('/sim-1/wake'), { status: 200, body: { status: 'ok', message: String } });
  t.equal(world.meter.read('Sleep Mode'), 'Off');
});

t.test('a measuring meter refuses to sleep: 409', async (t) => {
  const world = await openWorld(t);
  await world.post('/sim-1/start');
  t.match(await world.post('/sim-1/sleep'), {
    status: 409,
    body: { code: 'DEVICE_WRONG_STATE', detail: /Sleep Mode/ },
  });
});

t.test('a sleep mode that was not switched off with a config is one log line with the unit once', async (t) => {
  const world = await openWorld(t);
  await world.passing(world.meter.stop());
  await world.put('/sim-1/config', { web_enabled: true });
  const lines = world.log.filter((line) => line.includes('sleep mode not switched off'));
  t.equal(lines.length, 1);
  // The JSON parser here accepts a key twice; others do not.
  t.equal(lines[0]?.match(/"unit_id":"sim-1"/g)?.length, 1);
});
