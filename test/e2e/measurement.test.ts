/** Control of a measurement, in every state of the meter. */
import t from 'tap';
import { openWorld, type World } from '../support/world.ts';

t.test('start switches the sleep mode off first', async (t) => {
  const world = await openWorld(t);
  world.meter.set('Sleep Mode', 'On');
  const { status, body } = await world.post('/sim-1/start');
  t.match({ status, body }, { status: 200, body: { status: 'ok', message: String } });
  t.same(world.meter.log.commands, ['Sleep Mode,Off', 'Measure,Start']);
  await world.pass(1_500);
  t.equal(world.meter.read('Measure'), 'Start');
  t.equal(world.meter.read('Sleep Mode'), 'Off');
});

t.test('a sleep mode that the meter refuses to switch off does not stop the start', async (t) => {
  const world = await openWorld(t, {
    quirks: { sleep_off_while_measuring: 'refused', start_while_measuring: 'done' },
  });
  world.meter.set('Measure', 'Start');
  const { status, body } = await world.post('/sim-1/start');
  t.match({ status, body }, { status: 200, body: { message: String, warning: /sleep mode/ } });
});

t.test('a second start, and a stop while stopped, are 409 that names operation and state', async (t) => {
  const world = await openWorld(t, { quirks: { start_while_measuring: 'refused' } });
  t.match(await world.post('/sim-1/stop'), { status: 409, body: { code: 'DEVICE_WRONG_STATE', detail: /Measure/ } });
  await world.post('/sim-1/start');
  t.match(await world.post('/sim-1/start'), { status: 409, body: { code: 'DEVICE_WRONG_STATE', detail: /Measure/ } });
  t.equal(world.meter.log.connects <= 1, true, 'a refusal keeps the connection');
});

t.test('the state has the words of the meter, with pause', async (t) => {
  const world = await openWorld(t);
  const state = async () => (await world.get('/sim-1/measurement-state')).body;
  t.match(await state(), { status: 'ok', measurement_state: 'Stop', is_measuring: false, is_paused: false });
  await world.post('/sim-1/start');
  t.match(await state(), { measurement_state: 'Start', is_measuring: true, is_paused: false });
  t.equal((await world.post('/sim-1/pause')).status, 200);
  t.equal(world.meter.read('Pause'), 'On');
  t.match(await state(), { measurement_state: 'Start', is_measuring: true, is_paused: true });
  t.equal((await world.post('/sim-1/resume')).status, 200);
  t.match(await state(), { is_measuring: true, is_paused: false });
  t.equal((await world.post('/sim-1/stop')).status, 200);
  t.match(await state(), { measurement_state: 'Stop', is_measuring: false, is_paused: false });
});

t.test('whether a measuring meter is paused is unknown at first', async (t) => {
  const world = await openWorld(t);
  await world.set('Measure', 'Start');
  t.match((await world.get('/sim-1/measurement-state')).body, { is_measuring: true, is_paused: null });
});

t.test('pause and resume while stopped are 409', async (t) => {
  const world = await openWorld(t);
  t.match(await world.post('/sim-1/pause'), { status: 409, body: { code: 'DEVICE_WRONG_STATE' } });
  t.match(await world.post('/sim-1/resume'), { status: 409, body: { code: 'DEVICE_WRONG_STATE' } });
});

t.test('a meter without reset is restarted while measuring, and asked for it once only', async (t) => {
  const world = await openWorld(t, { quirks: { reset: 'R+0001' } });
  await world.post('/sim-1/start');
  const first = (await world.get('/sim-1/status')).body.data.measurement_start_time;
  world.meter.log.clear();
  t.match(await world.post('/sim-1/reset'), { status: 200, body: { message: /start/ } });
  t.same(world.meter.log.commands, ['Reset', 'Measure?', 'Measure,Stop', 'Measure,Start']);
  await world.pass(1_500);
  t.equal(world.meter.read('Measure'), 'Start');
  const second = (await world.get('/sim-1/status')).body.data.measurement_start_time;
  t.ok(Date.parse(second) > Date.parse(first), 'the measurement began anew');
  world.meter.log.clear();
  await world.post('/sim-1/reset');
  t.same(world.meter.log.commands, ['Measure?', 'Measure,Stop', 'Measure,Start']);
});

t.test('a stopped meter without reset answers 409 and says what to do', async (t) => {
  const world = await openWorld(t, { quirks: { reset: 'R+0001' } });
  t.match(await world.post('/sim-1/reset'), { status: 409, body: { code: 'DEVICE_WRONG_STATE', detail: /new start/ } });
  t.same(world.meter.log.commands, ['Reset', 'Measure?']);
});

t.test('a meter that knows reset is reset', async (t) => {
  const world = await openWorld(t, { quirks: { reset: 'restarts' } });
  await world.post('/sim-1/start');
  world.meter.log.clear();
  t.match(await world.post('/sim-1/reset'), { status: 200, body: { message: String } });
  t.same(world.meter.log.commands, ['Reset']);
});

t.test('store puts a finished measurement on the card; while measuring it is 409', async (t) => {
  const world = await openWorld(t);
  await world.post('/sim-1/start');
  t.match(await world.post('/sim-1/store'), { status: 409, body: { code: 'DEVICE_WRONG_STATE' } });
  await world.post('/sim-1/stop');
  t.match(await world.post('/sim-1/store'), { status: 200, body: { message: String } });
  t.equal(world.meter.card.exists('Manual', 1, 1), true);
});

t.test('nobody comes between the two commands of a start', async (t) => {
  const world = await openWorld(t);
  const both = Promise.all([world.asked('POST', '/sim-1/start'), world.asked('GET', '/sim-1/clock')]);
  for (const { status } of await world.passing(both)) t.equal(status, 200);
  const { commands } = world.meter.log;
  t.equal(commands.indexOf('Measure,Start'), commands.indexOf('Sleep Mode,Off') + 1);
});

const OF_A_MEASUREMENT = ['leq', 'lmax', 'lmin', 'lpeak', 'le', 'ln1', 'over_range', 'under_range', 'measured_at'];

const metricsOf = async ({ base }: World) => (await fetch(new URL('/metrics', base))).text();
const SERIES = /slm_level_db\{[^}]*quantity="leq"/;

for (const history of ['off', 'stream'] as const) {
  t.test(`after a start, stop or reset no level of the measurement before is shown, history ${history}`, async (t) => {
    const world = await openWorld(t, { quirks: { reset: 'R+0001' } });
    await world.put('/sim-1/config', { history });
    await world.pass(5_000);
    await world.post('/sim-1/start');
    const socket = await world.watch('/_live?events=state,reading');
    const shown = () =>
      socket.messages
        .flatMap(({ data }) => [data, data?.levels])
        .findLast((data) => data && 'leq' in data && 'measured_at' in data);
    for (const control of ['stop', 'start', 'reset']) {
      await world.pass(3_000);
      const before = (await world.get('/sim-1/live?max_age=0')).body.data;
      t.not(before.leq, null, `known before ${control}`);
      t.match(await metricsOf(world), SERIES);
      t.equal((await world.post(`/sim-1/${control}`)).status, 200);
      const { data } = (await world.get('/sim-1/status')).body;
      for (const name of OF_A_MEASUREMENT) t.equal(data[name], null, `${name} after ${control}`);
      t.match(shown(), { leq: null, lmax: null, ln1: null, measured_at: null }, `on the socket after ${control}`);
      t.notMatch(await metricsOf(world), SERIES, `metrics after ${control}`);
      const { data: after } = (await world.get('/sim-1/live')).body;
      t.ok(Date.parse(after.measured_at) > Date.parse(before.measured_at), `read again after ${control}`);
      t.equal((await world.get('/sim-1/status')).body.data.leq, after.leq);
    }
    socket.socket.terminate();
  });
}
