import t from 'tap';
import { PacedClock } from '../../../simulator/control/paced-clock.ts';
import { CATALOGUE } from '../../../simulator/faults/catalogue.ts';
import { eventually } from '../bare.ts';
import { HEALTHY, Line } from '../faults/rig.ts';
import { controlRig, controlRigOn } from './rig.ts';

t.test('GET / lists every endpoint in words', async (t) => {
  const { get } = await controlRig(t);
  const { status, body } = await get('/');
  t.equal(status, 200);
  t.ok(body.endpoints.length >= 15);
  for (const { endpoint, about } of body.endpoints) {
    t.match(endpoint, /^(GET|PUT|POST|DELETE) \//);
    t.ok(about);
  }
});

t.test('state tells what the meter is doing', async (t) => {
  const { clock, get, meter } = await controlRig(t);
  meter.set('Measure', 'Start');
  await clock.advance(5_000);
  const { body } = await get('/meters/sim-1');
  t.match(body, {
    unit_id: 'sim-1',
    tcp_port: meter.tcpPort,
    ftp_port: meter.ftpPort,
    power: 'on',
    measuring: true,
    measured_ms: 5_000,
    sound: { scenario: 'office' },
    battery: 'Full',
    power_source: 'External',
    card: { inserted: true },
    faults: [],
  });
  t.ok(body.lp_db > 20 && body.lp_db < 100);
  t.same((await get('/meters')).body, [body]);
});

t.test('a scenario and a steady level are heard from then on', async (t) => {
  const { ask, clock, get } = await controlRig(t);
  t.match(await ask('PUT', '/meters/sim-1/sound', { steady_db: 87.5 }), {
    status: 200,
    body: { sound: { steady_db: 87.5 } },
  });
  await clock.advance(20_000);
  t.ok(Math.abs((await get('/meters/sim-1')).body.lp_db - 87.5) < 0.3);
  t.match((await ask('PUT', '/meters/sim-1/sound', { scenario: 'silence' })).body.sound, { scenario: 'silence' });
  await clock.advance(20_000);
  t.ok((await get('/meters/sim-1')).body.lp_db < 35);
  t.ok((await get('/scenarios')).body.includes('roadside'));
});

t.test('values are read as the display shows them and turned as by its keys', async (t) => {
  const { ask, get, meter } = await controlRig(t);
  t.match(
    (await ask('PUT', '/meters/sim-1/values', { 'Battery Level': 'Low', 'Power Source': 'Battery' })).status,
    200,
  );
  t.same((await get('/meters/sim-1/values/Battery%20Level')).body, { name: 'Battery Level', value: 'Low' });
  t.match((await get('/meters/sim-1')).body, { battery: 'Low', power_source: 'Battery' });
  await ask('PUT', '/meters/sim-1/values', { 'Frequency Weighting (Main)': 'C', Measure: 'Start' });
  t.equal(meter.read('Frequency Weighting (Main)'), 'C');
  t.equal(meter.read('Measure'), 'Start');
  t.match((await get('/meters/sim-1/values/DOD')).body.value, /^ *[\d.]+,/);
});

t.test(
  'of several values none is set when one is wrong, and what came before a key that cannot be pressed is named',
  async (t) => {
    const { ask, get } = await controlRig(t);
    const put = (values: object) => ask('PUT', '/meters/sim-1/values', values);
    const before = (await get('/meters/sim-1')).body;
    for (const wrong of [{ Nonsense: 'On' }, { 'Lp Store Interval': '3s' }, { Measure: 1 }])
      t.equal((await put({ 'Battery Level': 'Low', Measure: 'Start', 'Power Source': 'USB', ...wrong })).status, 400);
    t.match((await get('/meters/sim-1')).body, {
      battery: before.battery,
      power_source: before.power_source,
      measuring: false,
    });
    t.same((await put({ 'Battery Level': 'Low', Pause: 'On' })).body, {
      error: 'Pause of On is not possible now; set before it: Battery Level',
    });
  },
);

t.test('another card can be put in', async (t) => {
  const { ask } = await controlRig(t);
  const exchange = (body: object) => ask('POST', '/meters/sim-1/card/exchange', body);
  const { status, body } = await exchange({ total_mb: 64, serial: '00999999', index: 2 });
  t.match({ status, card: body.card }, { status: 200, card: { inserted: true, total_mb: 64 } });
  t.match((await exchange({ serial: 'x' })).body, { error: /eight digits/ });
});

t.test('the card goes out and in, and the answer has its room', async (t) => {
  const { ask, meter } = await controlRig(t);
  t.match((await ask('PUT', '/meters/sim-1/card', { free_mb: 12 })).body.card, { inserted: true, free_mb: 12 });
  t.match((await ask('PUT', '/meters/sim-1/card', { inserted: false })).body.card, { inserted: false, free_mb: 0 });
  t.equal(meter.card.inserted, false);
  t.match((await ask('PUT', '/meters/sim-1/card', { inserted: true })).body.card, { inserted: true, free_mb: 12 });
});

t.test('a fault goes on, is seen on the wire and in the list, and goes off', async (t) => {
  const { ask, clock, get, meter } = await controlRig(t);
  const line = await Line.open(meter, clock);
  t.teardown(() => line.close());
  const when = { matching: 'Type', from_ms: 0, times: 2 };
  const on = await ask('POST', '/meters/sim-1/faults', { kind: 'latency', settings: { ms: 300 }, when });
  t.equal(on.status, 200);
  t.equal(await line.ask('Type?', 299), '');
  t.equal(await line.pass(1), HEALTHY);
  t.same((await get('/meters/sim-1/faults')).body, [
    { id: on.body.id, kind: 'latency', settings: { ms: 300, jitter_ms: 0 }, fired: 1, when },
  ]);
  t.same((await get('/meters/sim-1')).body.faults, [on.body.id]);
  t.same((await ask('DELETE', `/meters/sim-1/faults/${on.body.id}`)).body, []);
  t.equal((await ask('DELETE', `/meters/sim-1/faults/${on.body.id}`)).status, 404);
  t.equal(await line.ask('Type?'), HEALTHY);
  await ask('POST', '/meters/sim-1/faults', { kind: 'no-reply' });
  await ask('POST', '/meters/sim-1/faults', { kind: 'one-byte' });
  t.same((await ask('DELETE', '/meters/sim-1/faults')).body, []);
  t.equal(await line.ask('Type?'), HEALTHY);
});

t.test('the catalogue has every fault with its settings', async (t) => {
  const { get } = await controlRig(t);
  const { body } = await get('/faults');
  t.same(
    body.map(({ name }: { name: string }) => name),
    Object.keys(CATALOGUE),
  );
  t.match(body[0], {
    name: 'latency',
    works: 'by reply',
    settings: { ms: { default: 500, takes: 'a number from 0 to 86400000', about: /ms/ } },
    evidence: { grade: 'captured' },
  });
});

t.test('a power cycle is answered at once; the wedge is over when the meter is back', async (t) => {
  const { ask, clock, get, meter } = await controlRig(t);
  await ask('POST', '/meters/sim-1/faults', { kind: 'wedge' });
  await clock.advance(0);
  await t.rejects(Line.open(meter, clock), { code: 'ECONNREFUSED' });
  t.match((await ask('POST', '/meters/sim-1/power-cycle', { after_ms: 30_000 })).body, { power: 'off', faults: [] });
  await clock.advance(29_999);
  t.equal((await get('/meters/sim-1')).body.power, 'off');
  await clock.advance(1);
  t.equal((await get('/meters/sim-1')).body.power, 'on');
  const line = await Line.open(meter, clock);
  t.equal(await line.ask('Type?'), HEALTHY);
  line.close();
  t.equal((await ask('POST', '/meters/sim-1/power-cycle')).status, 200, 'a body is not needed');
});

t.test('the event log has bytes and times, from any event on, by kind, in pages', async (t) => {
  const { ask, clock, get, meter } = await controlRig(t);
  const line = await Line.open(meter, clock);
  t.teardown(() => line.close());
  await clock.advance(1_500);
  await line.ask('Type?');
  const { body } = await get('/meters/sim-1/events');
  t.same(body, {
    events: [
      { n: 1, at_ms: 0, kind: 'connect', connection: 1, client: '127.0.0.1' },
      { n: 2, at_ms: 1_500, kind: 'in', connection: 1, bytes: 'Type?<CR><LF>' },
      { n: 3, at_ms: 1_500, kind: 'command', connection: 1, text: 'Type?' },
      { n: 4, at_ms: 1_500, kind: 'out', connection: 1, bytes: 'R+0000<CR><LF>NL-43<CR><LF>$' },
      { n: 5, at_ms: 1_500, kind: 'reply', connection: 1, text: 'R+0000\r\nNL-43\r\n$' },
    ],
    next: 5,
    lost: 0,
  });
  const numbers = async (query: string) => {
    const page = (await get(`/meters/sim-1/events?${query}`)).body;
    return [page.events.map(({ n }: { n: number }) => n), page.next];
  };
  t.same(await numbers('since=3'), [[4, 5], 5]);
  t.same(await numbers('since=5'), [[], 5]);
  t.same(await numbers('kind=command,reply'), [[3, 5], 5]);
  t.same(await numbers('kind=command&limit=1&since=1'), [[3], 3]);
  t.same(await numbers('limit=2'), [[1, 2], 2]);
  t.equal((await ask('DELETE', '/meters/sim-1/events')).status, 200);
  meter.set('Measure', 'Start');
  t.match((await get('/meters/sim-1/events?since=2')).body, {
    events: [{ n: 6, text: 'measuring' }],
    next: 6,
    lost: 3,
  });
});

t.test('events beyond what is kept are counted as lost', async (t) => {
  const { clock, get, meter } = await controlRig(t, { keepEvents: 20 });
  const line = await Line.open(meter, clock);
  t.teardown(() => line.close());
  for (let i = 0; i < 30; i++) meter.faults.off(meter.faults.on('latency'));
  const { events, next, lost } = (await get('/meters/sim-1/events')).body;
  t.equal(next, 61);
  t.equal(lost + events.length, 61);
  t.ok(lost >= 39);
  t.equal(events.at(-1).n, 61);
});

t.test('counts tell connections and commands that came too soon', async (t) => {
  const { clock, get, meter } = await controlRig(t);
  const line = await Line.open(meter, clock);
  t.teardown(() => line.close());
  const second = await Line.open(meter, clock);
  t.teardown(() => second.close());
  await line.ask('Type?', 1_000);
  await line.ask('Pause?', 400);
  await line.ask('Clock?');
  t.same((await get('/meters/sim-1/counts')).body, {
    connections: 1,
    refused: 0,
    held: 1,
    commands: 3,
    replies: 3,
    spacing_violations: [{ command: 'Clock?', gap_ms: 400 }],
  });
  t.same((await get('/meters/sim-1/counts?rest_ms=300')).body.spacing_violations, []);
});

t.test('time can be read and moved; its speed changes if the clock has a speed', async (t) => {
  const { ask, get } = await controlRig(t);
  t.match((await get('/time')).body, { elapsed_ms: 0, speed: null });
  t.match(await ask('PUT', '/time', { speed: 5 }), {
    status: 409,
    body: { error: 'the speed of this clock is fixed' },
  });
  t.match((await ask('POST', '/time/advance', { ms: 3_600_000 })).body, { elapsed_ms: 3_600_000 });

  const paced = await controlRigOn(t, new PacedClock(0));
  t.match((await paced.ask('PUT', '/time', { speed: 1_000 })).body, { speed: 1_000 });
  t.match((await paced.ask('PUT', '/time', { speed: 0 })).body, { speed: 0 });
  const before = (await paced.get('/time')).body.elapsed_ms;
  t.equal((await paced.ask('POST', '/time/advance', { ms: 86_400_000 })).body.elapsed_ms, before + 86_400_000);
});

t.test('what is wrong is refused in words', async (t) => {
  const { ask, get, meter } = await controlRig(t);
  const wrong = async (method: string, path: string, body: unknown, status: number, error: RegExp) => {
    t.match(await ask(method, path, body), { status, body: { error } }, `${method} ${path}`);
  };
  await wrong('GET', '/nothing', undefined, 404, /no such endpoint; GET \/ lists them/);
  await wrong('GET', '/meters/sim-2', undefined, 404, /no meter "sim-2"; there are sim-1/);
  await wrong('GET', '/meters/%ff', undefined, 400, /not well encoded/);
  await wrong('GET', '//', undefined, 400, /not well encoded/);
  await wrong('POST', '/time', {}, 405, /this endpoint takes GET, PUT/);
  await wrong('PUT', '/time', undefined, 400, /the body is a JSON object with speed/);
  await wrong('PUT', '/time', { speed: 'fast' }, 400, /speed takes a number from 0 to 1000, not "fast"/);
  await wrong('PUT', '/time', { pace: 1 }, 400, /no field "pace"; it has speed/);
  await wrong('POST', '/time/advance', { ms: 1e12 }, 400, /ms takes a number from 0 to 86400000/);
  await wrong('PUT', '/meters/sim-1/sound', { scenario: '../x' }, 400, /no scenario is called/);
  await wrong(
    'PUT',
    '/meters/sim-1/sound',
    { scenario: 'office', steady_db: 3 },
    400,
    /either a scenario or a steady_db/,
  );
  await wrong('PUT', '/meters/sim-1/values', {}, 400, /the body is/);
  await wrong('PUT', '/meters/sim-1/values', { Nonsense: 'On' }, 400, /the meter has no Nonsense/);
  await wrong('PUT', '/meters/sim-1/values', { Measure: 1 }, 400, /Measure takes a text, not 1/);
  await wrong('GET', '/meters/sim-1/values/Nonsense', undefined, 400, /the meter shows no/);
  await wrong('PUT', '/meters/sim-1/card', { inserted: 'no' }, 400, /inserted takes true or false, not "no"/);
  await wrong('POST', '/meters/sim-1/power-cycle', { after_ms: -1 }, 400, /after_ms takes/);
  await wrong('POST', '/meters/sim-1/faults', {}, 400, /kind is missing/);
  await wrong('POST', '/meters/sim-1/faults', { kind: 'gremlins' }, 400, /no fault is called "gremlins"/);
  await wrong('POST', '/meters/sim-1/faults', { kind: 'latency', settings: [] }, 400, /settings is a JSON object/);
  await wrong('POST', '/meters/sim-1/faults', { kind: 'latency', settings: { ms: -1 } }, 400, /latency: ms takes/);
  await wrong(
    'POST',
    '/meters/sim-1/faults',
    { kind: 'latency', when: { fromMs: 1 } },
    400,
    /when has no field "fromMs"/,
  );
  await wrong('POST', '/meters/sim-1/faults', { kind: 'latency', when: { times: 0 } }, 400, /when: times takes/);
  await wrong('GET', '/meters/sim-1/events?since=-1', undefined, 400, /since takes a whole number/);
  await wrong('GET', '/meters/sim-1/events?kind=rumour', undefined, 400, /kind takes connect, /);
  t.same(meter.faults.active, []);
  t.equal((await get('/meters/sim-1')).status, 200);
});

t.test('a body that is no JSON, of another type or too large', async (t) => {
  const { ask, get } = await controlRig(t);
  t.match(await ask('PUT', '/time', undefined, { raw: '{"speed"' }), { status: 400, body: { error: /not JSON/ } });
  const typed = { raw: '{"speed":1}', headers: { 'content-type': 'text/plain' } };
  t.match(await ask('PUT', '/time', undefined, typed), { status: 415 });
  t.match(await ask('PUT', '/time', undefined, { raw: ' '.repeat(70_000) }), { status: 413 });
  t.equal((await get('/time')).status, 200);
});

t.test('a name that is not loopback, or a page of another site, stays outside', async (t) => {
  const { ask, server } = await controlRig(t);
  for (const host of ['meter.example', '127.0.0.1.evil.example:80', '192.0.2.1', '0.0.0.0']) {
    t.equal((await ask('GET', '/meters', undefined, { headers: { host } })).status, 403, host);
  }
  for (const host of ['localhost:1', '127.0.0.1', '[::1]:8080']) {
    t.equal((await ask('GET', '/meters', undefined, { headers: { host } })).status, 200, host);
  }
  const from = (origin: string) => ask('POST', '/meters/sim-1/power-cycle', undefined, { headers: { origin } });
  t.equal((await from('https://evil.example')).status, 403);
  t.equal((await from('null')).status, 403);
  t.equal((await from(server.url)).status, 200);
});

t.test('closing the control API leaves the meter running', async (t) => {
  const { clock, server, meter } = await controlRig(t);
  await server.close();
  await t.rejects(fetch(server.url));
  const line = await Line.open(meter, clock);
  t.equal(await line.ask('Type?'), HEALTHY);
  line.close();
  await eventually(() => meter.log.events.at(-1)?.kind === 'disconnect');
});

t.test('a calibrator is shown with the error of the meter', async (t) => {
  const { ask, clock, get } = await controlRig(t, { serial: '00144703' });
  const own = ((144_703 % 7) - 3) / 10;
  const shown = async () => {
    await clock.advance(20_000);
    return (await get('/meters/sim-1')).body.lp_db;
  };
  for (const calibrator_db of [94, 114]) {
    t.match((await ask('PUT', '/meters/sim-1/sound', { calibrator_db })).body, { sound: { calibrator_db } });
    t.ok(Math.abs((await shown()) - calibrator_db - own) < 0.051);
  }
  await ask('PUT', '/meters/sim-1/sound', { calibrator_db: 94, error_db: -0.7 });
  t.ok(Math.abs((await shown()) - 93.3) < 0.051);
  for (const wrong of [{ calibrator_db: 100 }, { calibrator_db: 94, scenario: 'office' }, { error_db: 1 }])
    t.equal((await ask('PUT', '/meters/sim-1/sound', wrong)).status, 400, JSON.stringify(wrong));
});
