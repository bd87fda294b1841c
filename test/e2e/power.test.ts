/** The sleep mode as a setting. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

t.test('sleep and wake switch the setting, and status reads it', async (t) => {
  const world = await openWorld(t);
  t.same((await world.get('/sim-1/sleep/status')).body, { status: 'ok', sleep_mode: 'Off' });
  t.match(await world.post('/sim-1/sleep'), { status: 200, body: { status: 'ok', message: String } });
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
