import t from 'tap';
import { counters, HEALTHY, type Line, lineRig, SUB } from './rig.ts';

const pieces = (line: Line) => line.segments.map(({ text }) => text);

t.test('split: the same bytes in segments of random length', async (t) => {
  const run = async (seed: number) => {
    const { client, meter } = await lineRig(t, { seed });
    meter.faults.on('split', { max_bytes: 4, gap_ms: 5 });
    t.equal(await client.ask('Type?', 200), HEALTHY);
    return client.segments;
  };
  const first = await run(1);
  t.ok(first.length >= 4);
  t.ok(first.every(({ text }) => text.length <= 4));
  t.ok(new Set(first.map(({ text }) => text.length)).size > 1);
  first.forEach(({ at }, index) => void t.equal(at, index * 5));
  t.same(await run(1), first);
  t.notSame(await run(3), first);
});

t.test('one byte at a time', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('one-byte');
  t.equal(await client.ask('Type?', 100), HEALTHY);
  t.same(pieces(client), [...HEALTHY]);
});

t.test('a stream a byte at a time keeps up where the gap is short', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('one-byte', { gap_ms: 0.4 });
  await client.ask('DRD?', 1_000);
  const text = await client.pass(90);
  t.same(counters(text).at(-1), 10);
  t.ok(pieces(client).every((piece) => piece.length === 1));
});

t.test('joined: what came apart comes in one segment', async (t) => {
  const profile = { think_query_ms: [0, 0], data_delay_ms: 30, prompt_delay_ms: 20 } as const;
  const { client, meter } = await lineRig(t, { profile });
  await client.ask('Type?', 100);
  t.equal(client.segments.length, 3, 'without the fault');
  meter.faults.on('joined');
  t.equal(await client.ask('Type?', 100), HEALTHY);
  t.same(client.segments.slice(3), [{ at: 150, text: HEALTHY }]);
});

t.test('joined: frames come in bunches, and the prompt after them', async (t) => {
  const { client, meter } = await lineRig(t);
  await client.ask('DRD?');
  meter.faults.on('joined', { frames: 3 });
  t.equal(await client.pass(299), '');
  t.same(counters(await client.pass(1)), [1, 2, 3]);
  t.equal(client.segments.length, 2);
  await client.pass(100);
  await client.type(SUB);
  t.match(await client.pass(), /^ {2}4,.*\r\n\$$/);
});
