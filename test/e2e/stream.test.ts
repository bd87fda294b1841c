/** The fast stream over WebSocket: messages, sharing, interruption, and how it ends. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

t.test('a client gets a frame every 100 ms, with everything in it', async (t) => {
  const world = await openWorld(t);
  const client = await world.watch('/sim-1/live');
  await world.until('ten frames', () => client.frames.length >= 10);
  const [first, second] = client.frames;
  t.match(first, {
    unit_id: 'sim-1',
    timestamp: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
    seq: 1,
    missed: 0,
    counter: Number,
    lp: /^\d+\.\d$/,
    leq: /^\d+\.\d$/,
    lmax: /^\d+\.\d$/,
    lmin: /^\d+\.\d$/,
    lpeak: /^\d+\.\d$/,
    over_range: false,
    under_range: false,
  });
  t.ok('measurement_state' in first);
  t.match(second, { seq: 2, counter: first.counter + 1 });
  client.socket.close(1000);
  await world.until('the close', () => client.closed !== undefined);
});

t.test('the measured levels of the snapshot are not those of a frame', async (t) => {
  const world = await openWorld(t);
  await world.post('/sim-1/start');
  await world.pass(10_000);
  const before = (await world.get('/sim-1/live')).body.data;
  world.meter.instrument.play({ steadyDb: 90 });
  const client = await world.watch('/sim-1/live');
  await world.until('frames', () => client.frames.length >= 30);
  const after = (await world.get('/sim-1/status')).body.data;
  const { leq, lmax, lmin, lpeak } = before;
  t.match(after, { leq, lmax, lmin, lpeak });
  t.ok(Number(after.lp) > Number(before.lp) + 10, 'Lp is from the stream');
  client.socket.terminate();
});

t.test('two clients share one stream; it ends some time after the last one left', async (t) => {
  const world = await openWorld(t);
  const one = await world.watch('/sim-1/live');
  const two = await world.watch('/sim-1/live');
  await world.until('frames for both', () => one.frames.length > 5 && two.frames.length > 5);
  t.same(world.meter.log.commands, ['DRD?status'], 'one request');
  t.equal(one.frames.at(-1).counter, two.frames.at(-1).counter);
  one.socket.close(1000);
  const seen = two.frames.length;
  await world.until('the other one goes on', () => two.frames.length > seen + 10);
  two.socket.close(1000);
  await world.until('the end of the stream', () => world.meter.log.commands.includes('\u001a'));
});

t.test('a command in between interrupts the stream, is answered, and the stream goes on', async (t) => {
  const world = await openWorld(t);
  const client = await world.watch('/sim-1/live');
  await world.until('frames', () => client.frames.length >= 5);
  t.equal((await world.get('/sim-1/sleep/status')).body.sleep_mode, 'Off');
  const seen = client.frames.length;
  await world.until('frames again', () => client.frames.length >= seen + 5);
  const words = client.messages.filter((message) => 'feed_status' in message).map((message) => message.feed_status);
  t.same(words, ['interrupted', 'ok']);
  t.match(
    client.messages.find((message) => message.feed_status === 'interrupted'),
    { unit_id: 'sim-1', detail: String, timestamp: String },
  );
  t.match(world.meter.log.commands, ['DRD?status', '\u001a', 'Sleep Mode?', 'DRD?status']);
  client.socket.terminate();
});

t.test('a start is seen in the next frames', async (t) => {
  const world = await openWorld(t);
  const client = await world.watch('/sim-1/live');
  await world.post('/sim-1/start');
  await world.until('a measuring frame', () => client.frames.at(-1)?.measurement_state === 'Measure');
  client.socket.terminate();
});

t.test('too many streams of one meter are refused before the upgrade, with the time to wait', async (t) => {
  const world = await openWorld(t, {
    meters: 2,
    settings: { plugin_settings: { live: { streams_per_unit: 1, streams: 2 } } },
  });
  const first = await world.watch('/sim-1/live');
  const second = await world.watch('/sim-1/live');
  t.match(second.refused, { status: 503, body: { code: 'TOO_MANY_STREAMS', detail: /at most 1/ } });
  t.equal(first.closed, undefined);
  const other = await world.watch('/sim-2/live');
  await world.until('frames of the other meter', () => other.frames.length > 0);
  first.socket.terminate();
  await world.pass(200);
  const third = await world.watch('/sim-1/live');
  await world.until('a place was free again', () => third.frames.length > 0);
  third.socket.terminate();
  other.socket.terminate();
});

t.test('a removed config ends its streams with 1008, disabled TCP too', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  const removed = await world.watch('/sim-1/live');
  const disabled = await world.watch('/sim-2/live');
  await world.until('frames', () => removed.frames.length > 0 && disabled.frames.length > 0);
  await world.delete('/sim-1/config');
  await world.put('/sim-2/config', { tcp_enabled: false });
  await world.until('both are closed', () => removed.closed !== undefined && disabled.closed !== undefined);
  t.equal(removed.closed?.code, 1008);
  t.equal(disabled.closed?.code, 1008);
});

t.test('a gateway that stops ends its streams with 1001 and the stream of the meter with SUB', async (t) => {
  const world = await openWorld(t);
  const client = await world.watch('/sim-1/live');
  await world.until('frames', () => client.frames.length > 0);
  await world.passing(world.gateway.stop());
  await world.until('the close', () => client.closed !== undefined);
  t.equal(client.closed?.code, 1001);
  t.ok(world.meter.log.commands.includes('\u001a'));
});

t.test('a meter that dies is reported as lost, and the stream is back with the meter', async (t) => {
  const world = await openWorld(t);
  const client = await world.watch('/sim-1/live');
  await world.until('frames', () => client.frames.length > 0);
  await world.passing(world.meter.powerCycle(20_000));
  await world.until('the loss', () => client.messages.some(({ feed_status }) => feed_status === 'lost'));
  const seen = client.frames.length;
  await world.until('frames again', () => client.frames.length > seen || client.closed !== undefined);
  t.equal(client.closed, undefined);
  const contacts = client.messages.filter((message) => 'reachability' in message);
  t.match(contacts.at(-1), { unit_id: 'sim-1', reachability: 'online', reason: String, timestamp: String });
  t.ok(
    contacts.some(({ reachability }) => reachability !== 'online'),
    'the reachability of the meter is reported',
  );
  client.socket.terminate();
});

t.test('a request without a stream is refused before the upgrade, with the answer of a GET', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  await world.put('/sim-2/config', { tcp_enabled: false });
  world.meter.log.clear();
  const refusals = {
    '/nobody/live': { status: 404, body: { code: 'UNIT_NOT_FOUND', detail: String } },
    '/__proto__/live': { status: 404, body: { code: 'UNIT_NOT_FOUND' } },
    '/sim-2/live': { status: 403, body: { code: 'TCP_DISABLED', detail: String } },
    '/sim-1/clock': { status: 404, body: { code: 'NOT_FOUND' } },
  };
  for (const [path, answer] of Object.entries(refusals)) t.match((await world.watch(path)).refused, answer, path);
  t.same(world.meter.log.commands, []);
});

t.test('a stall of the meter is reported after 3 s, and frames that the meter left out are counted', async (t) => {
  const world = await openWorld(t);
  const client = await world.watch('/sim-1/live');
  await world.until('frames', () => client.frames.length > 5);
  t.ok(
    client.frames.every(({ lost_at_meter }) => lost_at_meter === 0),
    'nothing is lost',
  );
  world.meter.faults.on('frames-lost', { every: 10, lost: 7 });
  await world.until('a step of the counter', () => client.frames.some(({ lost_at_meter }) => lost_at_meter === 7));
  world.meter.faults.clear();
  t.ok(
    client.frames.every(({ missed }) => missed === 0),
    'the client was not slow',
  );
  await world.pass(1_000);
  world.meter.faults.on('stall', { after_frames: 1, stall_ms: 8_000 });
  await world.pass(2_500);
  const told = () => client.messages.filter(({ feed_status }) => feed_status !== undefined);
  t.same(told(), []);
  await world.pass(1_500);
  t.match(told(), [{ feed_status: 'interrupted', detail: /no frame for 3 s/ }]);
  await world.until('frames again', () => told().at(-1)?.feed_status === 'ok');
});

t.test('frames of a meter that is neither recorded nor polled have their weightings within a minute', async (t) => {
  const world = await openWorld(t);
  world.meter.set('Frequency Weighting (Main)', 'C');
  const client = await world.watch('/sim-1/live');
  await world.until('frames', () => client.frames.length > 0);
  for (let s = 0; s < 60 && (client.frames.at(-1)?.time_weighting ?? null) === null; s += 1) await world.pass(1_000);
  t.match(client.frames.at(-1), { frequency_weighting: 'C', time_weighting: 'F' });
  const asked = world.meter.log.commands.filter((text) => text.includes('Weighting'));
  await world.pass(120_000);
  t.same(
    world.meter.log.commands.filter((text) => text.includes('Weighting')),
    asked,
    'they are asked for once',
  );
});
