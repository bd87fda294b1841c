/** Every endpoint that sends commands, on a meter that refuses, says nothing, answers nonsense, or is gone. */
import t, { type Test } from 'tap';
import { CONTROLS, type Endpoint, nameOf } from '../support/endpoints.ts';
import { type FarEnd, farEnd, type Reaction, refusal, well } from '../support/far-end.ts';
import { openWorld, type World } from '../support/world.ts';

/** `settings/all` reports failures inside its 200; see settings.test.ts. */
const ENDPOINTS = CONTROLS.filter(({ path }) => path !== '/settings/all');
/** After so long earlier trouble has no effect: no back-off, no stale connection. */
const LONG_MS = 120_000;

const ask = (world: World, { method, path, body }: Endpoint) =>
  world.ask(method, `/odd${path}`, body ? { json: body } : {});

/** A world with one unit, `odd`, that is configured while it is still well. */
async function oddWorld(t: Test, react: (line: string) => Reaction): Promise<{ world: World; end: FarEnd }> {
  const end = await farEnd(t, () => well());
  const world = await openWorld(t, { meters: 0 });
  await world.put('/odd/config', { ...end.config, poll_enabled: false });
  end.react = react;
  return { world, end };
}

t.test('a meter that refuses in its present state: 409, and the connection stays', async (t) => {
  const { world, end } = await oddWorld(t, () => refusal(4));
  for (const endpoint of ENDPOINTS) {
    const answer = await ask(world, endpoint);
    t.match(answer, { status: 409, body: { code: 'DEVICE_WRONG_STATE', detail: String } }, nameOf(endpoint));
  }
  t.equal(end.connects, 1);
});

t.test('a meter that does not know the command: 502 DEVICE_REFUSED_COMMAND', async (t) => {
  for (const code of [1, 3] as const) {
    const { world, end } = await oddWorld(t, () => refusal(code));
    for (const endpoint of ENDPOINTS) {
      const answer = await ask(world, endpoint);
      t.match(answer, { status: 502, body: { code: 'DEVICE_REFUSED_COMMAND', detail: String } }, nameOf(endpoint));
    }
    t.equal(end.connects, 1);
  }
});

t.test('a meter that refuses the value: 422 DEVICE_REFUSED_PARAMETER', async (t) => {
  const { world } = await oddWorld(t, (line) => (line === 'Store Mode?' ? well('Manual') : refusal(2)));
  for (const endpoint of ENDPOINTS.filter(({ method }) => method === 'PUT')) {
    const answer = await ask(world, endpoint);
    t.match(answer, { status: 422, body: { code: 'DEVICE_REFUSED_PARAMETER', detail: String } }, nameOf(endpoint));
  }
});

t.test('a meter that says nothing: 504 that names seconds', async (t) => {
  const { world } = await oddWorld(t, () => 'silence');
  for (const endpoint of ENDPOINTS) {
    const answer = await ask(world, endpoint);
    t.match(answer, { status: 504, body: { code: 'DEVICE_TIMEOUT', detail: /\d+(\.\d+)? s\b/ } }, nameOf(endpoint));
    await world.clock.advance(LONG_MS);
  }
});

t.test('a meter that is gone: 502 DEVICE_UNREACHABLE', async (t) => {
  const world = await openWorld(t);
  const { tcpPort } = world.meter;
  await world.passing(world.meter.stop());
  await world.put('/odd/config', { host: '127.0.0.1', tcp_port: tcpPort });
  for (const endpoint of ENDPOINTS) {
    await world.clock.advance(LONG_MS);
    const answer = await ask(world, endpoint);
    t.match(answer, { status: 502, body: { code: 'DEVICE_UNREACHABLE', detail: String } }, nameOf(endpoint));
  }
});

t.test('a control port that refuses while FTP answers: 502 DEVICE_WEDGED with the cure', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  const [well, gone] = world.meters;
  if (!well || !gone) return t.fail('two meters');
  await world.post('/sim-1/ftp/enable');
  await world.pass(2_000);
  await world.passing(gone.stop());
  await world.put('/odd/config', { host: '127.0.0.1', tcp_port: gone.tcpPort, ftp_port: well.ftpPort });
  await world.clock.advance(LONG_MS);
  const answer = await world.get('/odd/battery');
  t.match(answer, { status: 502, body: { code: 'DEVICE_WEDGED', detail: /power/i } });
});

t.test('nonsense in place of a value: 502 DEVICE_GARBLED, never a value', async (t) => {
  const { world } = await oddWorld(t, () => well(' 43.7, 44.'));
  for (const endpoint of ENDPOINTS.filter(({ method }) => method === 'GET')) {
    const answer = await ask(world, endpoint);
    t.match(answer, { status: 502, body: { code: 'DEVICE_GARBLED', detail: String } }, nameOf(endpoint));
    await world.clock.advance(LONG_MS);
  }
});

t.test('a connection lost after a setting was sent: 502 OUTCOME_UNKNOWN, and it is not sent again', async (t) => {
  // The question before a setting gets its answer.
  const answers: Readonly<Record<string, string>> = { 'Store Mode?': 'Manual', 'Clock?': '2026/11/21 06:00:07' };
  const { world, end } = await oddWorld(t, (line) => (answers[line] ? well(answers[line]) : 'reset'));
  for (const endpoint of ENDPOINTS.filter(({ method }) => method !== 'GET')) {
    const sent = end.lines.length;
    const answer = await ask(world, endpoint);
    t.match(answer, { status: 502, body: { code: 'OUTCOME_UNKNOWN', detail: String } }, nameOf(endpoint));
    await world.clock.advance(LONG_MS);
    const settings = end.lines.slice(sent).filter((line) => !line.endsWith('?'));
    t.equal(settings.length, 1, `${nameOf(endpoint)} sent ${settings.join()}`);
  }
});

t.test('the meter is well again as soon as its trouble is over', async (t) => {
  const { world, end } = await oddWorld(t, () => 'silence');
  t.equal((await world.get('/odd/battery')).status, 504);
  t.match((await world.get('/odd/status')).body.data, { is_reachable: false, last_error: { code: 'DEVICE_TIMEOUT' } });
  end.react = () => well('Middle');
  await world.clock.advance(LONG_MS);
  t.match(await world.get('/odd/battery'), { status: 200, body: { battery_level: '60' } });
  t.match((await world.get('/odd/status')).body.data, { is_reachable: true, consecutive_failures: 0 });
});
