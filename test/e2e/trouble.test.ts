/** Every endpoint that sends commands, on a meter that refuses, says nothing, answers nonsense, or is gone. */
import t from 'tap';
import { CONTROLS, type Endpoint, nameOf } from '../support/endpoints.ts';
import { openWorld, type World } from '../support/world.ts';

/** `settings/all` tells of failures inside its 200; see settings.test.ts. */
const ENDPOINTS = CONTROLS.filter(({ path }) => path !== '/settings/all');

const ask = (world: World, { method, path, body }: Endpoint) =>
  world.ask(method, `/sim-1${path}`, body ? { json: body } : {});

t.test('a meter that refuses in its present state: 409 that names the operation', async (t) => {
  const world = await openWorld(t);
  world.meter.faults.on('answer', { result: 'R+0004' });
  for (const endpoint of ENDPOINTS) {
    const answer = await ask(world, endpoint);
    t.match(answer, { status: 409, body: { code: 'DEVICE_WRONG_STATE', detail: String } }, nameOf(endpoint));
  }
  t.equal(world.meter.log.connects, 1, 'a refusal is an answer: the connection stays');
});

t.test('a meter that does not know the command: 502 DEVICE_REFUSED_COMMAND', async (t) => {
  const world = await openWorld(t);
  world.meter.faults.on('answer', { result: 'R+0001' });
  for (const endpoint of ENDPOINTS) {
    const answer = await ask(world, endpoint);
    t.match(answer, { status: 502, body: { code: 'DEVICE_REFUSED_COMMAND', detail: String } }, nameOf(endpoint));
  }
});

t.test('a meter that refuses the value: 422 DEVICE_REFUSED_PARAMETER', async (t) => {
  const world = await openWorld(t);
  world.meter.faults.on('answer', { result: 'R+0002' });
  for (const endpoint of ENDPOINTS.filter(({ method }) => method === 'PUT')) {
    const answer = await ask(world, endpoint);
    t.match(answer, { status: 422, body: { code: 'DEVICE_REFUSED_PARAMETER', detail: String } }, nameOf(endpoint));
  }
});

t.test('a meter that says nothing: 504 that names milliseconds', async (t) => {
  const world = await openWorld(t);
  world.meter.faults.on('silence');
  for (const endpoint of ENDPOINTS) {
    const answer = await ask(world, endpoint);
    t.match(answer, { status: 504, body: { code: 'DEVICE_TIMEOUT', detail: /\d+ ms/ } }, nameOf(endpoint));
    await world.pass(30_000);
  }
});

t.test('a meter that does not take the connection: 504', async (t) => {
  const world = await openWorld(t);
  world.meter.faults.on('hang');
  await world.pass(120_000);
  const answer = await world.get('/sim-1/battery');
  t.match(answer, { status: 504, body: { code: 'DEVICE_TIMEOUT', detail: /\d+ ms/ } });
});

t.test('a meter that is gone: 502 DEVICE_UNREACHABLE', async (t) => {
  const world = await openWorld(t);
  await world.passing(world.meter.stop());
  for (const endpoint of ENDPOINTS) {
    const answer = await ask(world, endpoint);
    t.match(answer, { status: 502, body: { code: 'DEVICE_UNREACHABLE', detail: String } }, nameOf(endpoint));
    await world.pass(61_000);
  }
});

t.test('a control port that refuses while FTP answers: 502 DEVICE_WEDGED with the cure', async (t) => {
  const world = await openWorld(t);
  await world.post('/sim-1/ftp/enable');
  world.meter.faults.on('wedge');
  await world.pass(120_000);
  const answer = await world.get('/sim-1/battery');
  t.match(answer, { status: 502, body: { code: 'DEVICE_WEDGED', detail: /power/i } });
});

t.test('nonsense in place of a value: 502 DEVICE_GARBLED, never a value', async (t) => {
  const world = await openWorld(t);
  world.meter.faults.on('garble');
  for (const endpoint of ENDPOINTS.filter(({ method }) => method === 'GET')) {
    const answer = await ask(world, endpoint);
    t.match(answer, { status: 502, body: { code: 'DEVICE_GARBLED', detail: String } }, nameOf(endpoint));
    await world.pass(30_000);
  }
});

t.test('a connection lost after a setting was sent: 502 OUTCOME_UNKNOWN, and it is not sent again', async (t) => {
  const world = await openWorld(t);
  world.meter.faults.on('reset', {}, { matching: 'Measure,Stop' });
  const answer = await world.post('/sim-1/stop');
  t.match(answer, { status: 502, body: { code: 'OUTCOME_UNKNOWN', detail: String } });
  await world.pass(30_000);
  t.equal(world.meter.log.commands.filter((text) => text === 'Measure,Stop').length, 1);
});

t.test('the meter is well again as soon as its trouble is over', async (t) => {
  const world = await openWorld(t);
  const id = world.meter.faults.on('silence');
  t.equal((await world.get('/sim-1/battery')).status, 504);
  world.meter.faults.off(id);
  await world.pass(61_000);
  t.match(await world.get('/sim-1/battery'), { status: 200, body: { battery_level: '100' } });
  t.match((await world.get('/sim-1/status')).body.data, { is_reachable: true, consecutive_failures: 0 });
});
