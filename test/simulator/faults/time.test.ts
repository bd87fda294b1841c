import t from 'tap';
import { HEALTHY, type Line, lineRig } from './rig.ts';

const times = (line: Line) => line.segments.map(({ at }) => at);

t.test('latency holds back every reply by its time', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('latency', { ms: 700 });
  t.equal(await client.ask('Type?', 699), '');
  t.equal(await client.pass(1), HEALTHY);
});

t.test('jitter is drawn for each reply, and the same for the same seed', async (t) => {
  const run = async (seed: number) => {
    const { client, meter } = await lineRig(t, { seed });
    meter.faults.on('latency', { ms: 100, jitter_ms: 400 });
    for (let i = 0; i < 6; i++) await client.ask('Type?', 1_000);
    return times(client).map((at, index) => at - index * 1_000);
  };
  const first = await run(1);
  t.ok(first.every((delay) => delay >= 100 && delay <= 500));
  t.ok(new Set(first).size > 4);
  t.same(await run(1), first);
  t.notSame(await run(2), first);
});

t.test('frames of a stream are late too, and stay in order', async (t) => {
  const { client, meter } = await lineRig(t);
  await client.ask('DRD?');
  meter.faults.on('latency', { ms: 250 });
  t.equal(await client.pass(300), '');
  t.match(await client.pass(50), /^ {2}1,/);
  t.match(await client.pass(100), /^ {2}2,/);
});

t.test('a late reply comes when the client has given up, in front of the next one', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('late-reply', {}, { commands: [1] });
  t.equal(await client.ask('Type?', 5_000), '');
  t.equal(await client.ask('Battery Level?', 999), '', 'nothing overtakes');
  t.equal(await client.pass(1), `${HEALTHY}R+0004\r\n$`);
  t.equal(await client.ask('Type?'), HEALTHY);
});

t.test('after a quiet time the first reply is slow, the next one is not', async (t) => {
  const { client, clock, meter } = await lineRig(t);
  await client.ask('Type?');
  meter.faults.on('wake-up', { idle_ms: 10_000, min_ms: 800, max_ms: 800 });
  t.equal(await client.ask('Type?', 799), '', 'asleep at first');
  t.equal(await client.pass(1), HEALTHY);
  t.equal(await client.ask('Type?'), HEALTHY, 'awake');
  await clock.advance(10_000);
  t.equal(await client.ask('Type?'), HEALTHY, 'not yet asleep again');
  await clock.advance(10_001);
  t.equal(await client.ask('Type?', 799), '');
  t.equal(await client.pass(1), HEALTHY);
});
