/** Battery and clock of the meter. */
import t from 'tap';
import { farEnd, well } from '../support/far-end.ts';
import { openWorld } from '../support/world.ts';

t.test('the word of the battery becomes a number, and is kept', async (t) => {
  const world = await openWorld(t);
  for (const [word, level] of Object.entries({ Full: '100', Middle: '60', Low: '30', Dead: '5', Empty: '0' })) {
    world.meter.set('Battery Level', word);
    const { body } = await world.get('/sim-1/battery');
    t.same(body, { status: 'ok', battery_level: level, battery_state: word });
    t.match((await world.get('/sim-1/status')).body.data, { battery_level: level, battery_state: word });
  }
});

t.test('a battery level that the meter gives as a number stays that number, without a word', async (t) => {
  const end = await farEnd(t, (line) => well(line === 'Battery Level?' ? ' 75' : undefined));
  const world = await openWorld(t, { meters: 0 });
  await world.put('/odd/config', end.config);
  t.same((await world.get('/odd/battery')).body, { status: 'ok', battery_level: '75', battery_state: null });
});

t.test('the clock is read in the form of the API', async (t) => {
  const world = await openWorld(t);
  world.meter.set('Clock', '2025/12/24 02:10:55');
  const { body } = await world.get('/sim-1/clock');
  t.match(body, { status: 'ok', clock: /^2025\/12\/24,02:10:5\d$/ });
});

t.test('the clock is set with a comma or a space, and goes to the meter with a space', async (t) => {
  const world = await openWorld(t);
  for (const datetime of ['2024/02/29,23:59:58', '2024/02/29 23:59:58']) {
    world.meter.log.clear();
    const { status, body } = await world.put('/sim-1/clock', { datetime });
    t.match({ status, body }, { status: 200, body: { status: 'ok', message: String, clock: '2024/02/29,23:59:58' } });
    t.same(world.meter.log.commands, ['Clock,2024/02/29 23:59:58']);
  }
});

t.test('a clock that the meter refuses while measuring is 409', async (t) => {
  const world = await openWorld(t, { quirks: { clock_while_measuring: 'refused' } });
  await world.post('/sim-1/start');
  const answer = await world.put('/sim-1/clock', { datetime: '2025/12/24,02:10:55' });
  t.match(answer, { status: 409, body: { code: 'DEVICE_WRONG_STATE', detail: /Clock/ } });
});
