/** Many meters in one answer and on one socket. */
import t from 'tap';
import { openWorld, type Watched } from '../support/world.ts';

// biome-ignore lint/suspicious/noExplicitAny: the body of an answer is what the test says it is
const ids = (units: any[]) => units.map(({ unit_id }) => unit_id);
// biome-ignore lint/suspicious/noExplicitAny: as above
const told = (client: Watched, event: string): any[] => client.messages.filter((message) => message.event === event);

t.test('GET _status shows every unit with names, numbers and reachability, and filters them', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  await world.put('/sim-1/config', { name: 'North roof', place: 'Harbour', tags: ['port', 'night'] });
  await world.put('/away/config', { host: '192.0.2.9', tcp_enabled: false, name: 'Depot' });
  await world.get('/sim-1/live');
  world.meter.log.clear();
  const { status, body } = await world.get('/_status');
  t.equal(status, 200);
  t.same(ids(body.data), ['away', 'sim-1', 'sim-2']);
  t.match(body.data[1], {
    name: 'North roof',
    place: 'Harbour',
    tags: ['port', 'night'],
    lp: Number,
    leq: null,
    battery_level: 100,
    sd_free_ratio: Number,
    state: 'online',
    is_reachable: true,
    stale: false,
    implausible: false,
    warning: null,
    last_error: null,
  });
  t.match(body.data[0], { name: 'Depot', lp: null, state: 'unknown', is_reachable: null, stale: true });
  t.same(world.meter.log.commands, [], 'no meter is contacted');
  const filtered = async (query: string) => ids((await world.get(`/_status?${query}`)).body.data);
  t.same(await filtered('units=sim-1,away,nobody'), ['away', 'sim-1']);
  t.same(await filtered('tag=port'), ['sim-1']);
  t.same(await filtered('state=online,unknown&q=DEPO'), ['away']);
  t.same(await filtered('q=harbour'), ['sim-1']);
  t.same(await filtered('state=offline,asleep?'), []);
  t.match(await world.get('/_status?state=ofline'), { status: 422, body: { errors: [{ path: '/state' }] } });
});

t.test('a job on the socket has the names, the id and the times that GET _jobs shows', async (t) => {
  const world = await openWorld(t);
  const client = await world.watch('/_live?events=job');
  await world.until('the hello', () => client.messages.length > 0);
  const { job } = (await world.post('/sim-1/cycle/start')).body;
  await world.until('the job to end', () => told(client, 'job').some(({ data }) => data.ended_at !== null));
  t.same(told(client, 'job').at(-1)?.data, (await world.get(`/_jobs/${job}`)).body.data);
});

t.test('a hello comes first, then events of every unit, and frames only for named units', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  const all = await world.watch('/_live?events=reading,frame,state,reachability,config');
  await world.until('the hello', () => all.messages.length > 0);
  t.match(all.messages[0], { event: 'hello', seq: 1, missed: 0, subscription: { units: ['*'], hz: 10 } });
  t.same(ids(all.messages[0].data), ['sim-1', 'sim-2']);
  await world.post('/sim-1/start');
  await world.get('/sim-2/live');
  await world.put('/sim-2/config', { name: 'Yard' });
  await world.until('the config', () => told(all, 'config').length > 0);
  const states = told(all, 'state').filter(({ unit_id }) => unit_id === 'sim-1');
  t.match(states.at(-1)?.data, { measurement_state: 'Measure', is_paused: false });
  t.match(told(all, 'reading')[0], { unit_id: 'sim-2', time: String, data: { lp: Number, measured_at: String } });
  t.match(told(all, 'config')[0], { unit_id: 'sim-2', data: { change: 'changed', unit: { name: 'Yard' } } });
  t.same(told(all, 'frame'), [], 'all units is no name');
  t.notOk(world.meter.log.commands.some((text) => text.startsWith('DRD')));

  all.socket.send(JSON.stringify({ units: ['sim-1'], events: ['frame'], hz: 2 }));
  await world.until('frames', () => told(all, 'frame').length > 0);
  const before = told(all, 'frame').length;
  await world.pass(5_000);
  const frames = told(all, 'frame').slice(before);
  t.ok(frames.length >= 9 && frames.length <= 11, `${frames.length} frames in 5 s`);
  t.match(frames[0], {
    unit_id: 'sim-1',
    data: { lp: Number, counter: Number, over_range: false, implausible: false, frequency_weighting: null },
  });
  t.match(told(all, 'hello').at(-1), { subscription: { units: ['sim-1'], events: ['frame'], hz: 2 } });
  const readings = told(all, 'reading').length;
  await world.get('/sim-2/live');
  t.equal(told(all, 'reading').length, readings, 'what is not wanted any more does not come');

  all.socket.send(JSON.stringify({ events: ['state'] }));
  await world.until('the end of the stream', () => world.meter.log.commands.includes('\u001a'));
  all.socket.send(JSON.stringify({ hz: 99 }));
  await world.until('a refusal', () => all.messages.at(-1).code === 'INVALID');
  t.equal(all.closed, undefined);
  all.socket.close(1000);
});

t.test('while a stream runs, a listener for readings gets one each second, with the age of each value', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  await world.put('/sim-1/config', { history: 'stream' });
  await world.post('/sim-1/start');
  await world.pass(2_000);
  await world.get('/sim-1/live');
  const client = await world.watch('/_live?events=reading,setting');
  await world.until('readings of the stream', () => told(client, 'reading').length > 2);
  let from = 0;
  await world.undisturbed(10_000, () => {
    from = told(client, 'reading').length;
  });
  const readings = told(client, 'reading').slice(from);
  t.ok(readings.length >= 8 && readings.length <= 13, `${readings.length} readings in 10 s`);
  const { unit_id, time, data } = readings.at(-1) ?? t.fail();
  t.equal(unit_id, 'sim-1');
  t.match(data, { lp: Number, leq: Number, lp_at: time, measured_at: String, implausible: false, warning: null });
  t.match(data, { frequency_weighting: 'A', time_weighting: 'F' });
  t.ok(data.measured_at < data.lp_at, 'the display is read rarely meanwhile');
  t.same(told(client, 'frame'), []);

  await world.get('/sim-2/lp-interval');
  await world.until('the setting', () => told(client, 'setting').length > 0);
  t.match(told(client, 'setting')[0], { unit_id: 'sim-2', data: { name: 'lp_interval', value: '100ms' } });
});

t.test('too many sockets are refused before the upgrade, on both paths', async (t) => {
  const world = await openWorld(t, { settings: { plugin_settings: { live: { streams: 1 } } } });
  const first = await world.watch('/_live');
  for (const path of ['/_live', '/sim-1/live'])
    t.match((await world.watch(path)).refused, { status: 503, body: { code: 'TOO_MANY_STREAMS' } }, path);
  first.socket.terminate();
  await world.pass(200);
  const second = await world.watch('/_live?units=sim-1');
  await world.until('a hello', () => second.messages.length > 0);
  await world.passing(world.gateway.stop());
  await world.until('the close', () => second.closed !== undefined);
  t.equal(second.closed?.code, 1001);
});
