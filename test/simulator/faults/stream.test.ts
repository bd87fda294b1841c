import t from 'tap';
import { counters, HEALTHY, lineRig, SUB } from './rig.ts';

t.test('frozen: the display repeats itself while sound and time go on', async (t) => {
  const { client, meter } = await lineRig(t);
  await client.ask('Measure,Start', 3_000);
  const id = meter.faults.on('frozen');
  const first = await client.ask('DOD?', 5_000);
  t.match(first, /^R\+0000\r\n[^$]{300,}\r\n\$$/);
  t.equal(await client.ask('DOD?', 5_000), first);
  t.equal(await client.ask('DLC?'), await client.ask('DLC?'));
  t.equal(await client.ask('Type?'), HEALTHY, 'other replies are their own');
  meter.faults.off(id);
  t.not(await client.ask('DOD?'), first);
});

t.test('frozen: frames repeat themselves, their counter goes on', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('frozen');
  await client.ask('DRD?', 1_000);
  const frames = (await client.pass(1_000)).trim().split('\r\n');
  t.same(counters(frames.join('\n')), [11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  t.equal(new Set(frames.map((frame) => frame.slice(frame.indexOf(',')))).size, 1);
});

t.test('a refusal is not frozen', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('frozen');
  t.equal(await client.ask('DOD'), 'R+0001\r\n$');
  t.match(await client.ask('DOD?'), /^R\+0000/);
});

t.test('a stream stalls and then bursts, once or again and again', async (t) => {
  for (const again of [false, true]) {
    const { client, meter } = await lineRig(t);
    meter.faults.on('stall', { after_frames: 5, stall_ms: 3_000, again });
    await client.ask('DRD?');
    t.same(counters(await client.pass(500)), [1, 2, 3, 4, 5]);
    t.equal(await client.pass(3_000), '', 'nothing for three seconds');
    t.equal(counters(await client.pass(100)).length, 31, 'everything at once');
    t.equal(counters(await client.pass(400)).length, 4);
    t.equal(counters(await client.pass(3_000)).length, again ? 0 : 30);
  }
});

t.test('frames are lost by the count, and the counter jumps', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('frames-lost', { every: 5, lost: 2 });
  await client.ask('DRD?');
  t.same(counters(await client.pass(1_000)), [1, 2, 3, 6, 7, 8]);
});

t.test('frames are lost by chance, and the same ones for the same seed', async (t) => {
  const run = async (seed: number) => {
    const { client, meter } = await lineRig(t, { seed });
    meter.faults.on('frames-lost', { every: 1 }, { probability: 0.3 });
    return counters(await client.ask('DRD?', 10_000));
  };
  const first = await run(1);
  t.ok(first.length > 50 && first.length < 90, `${first.length} of 100`);
  t.same(await run(1), first);
  t.notSame(await run(2), first);
});

t.test('frames still come after SUB, before the prompt or after it', async (t) => {
  for (const place of ['before', 'after']) {
    const { client, meter } = await lineRig(t);
    meter.faults.on('data-after-sub', { frames: 2, place, gap_ms: 30 });
    await client.ask('DRD?', 300);
    await client.type(SUB);
    const text = await client.pass(1_000);
    t.same(counters(text.replace('$', '')), [4, 5]);
    t.equal(text.indexOf('$'), place === 'before' ? text.length - 1 : 0);
    t.equal(await client.ask('Type?'), HEALTHY);
  }
});

t.test('one line that never ends', async (t) => {
  const { client, meter } = await lineRig(t);
  const id = meter.faults.on('endless-data', { bytes: 600, every_ms: 10 });
  t.equal(await client.ask('DOD?'), 'R+0000\r\n');
  const text = await client.pass(1_000);
  t.equal(text.length, 60_000);
  t.notMatch(text, /[\r\n$]/);
  t.equal(await client.ask('Type?', 5).then((more) => /R\+/.test(more)), false, 'no other command is answered');
  meter.faults.off(id);
  await client.pass();
  t.equal(await client.pass(1_000), '');
  t.equal(await client.ask('Type?'), HEALTHY);
});

t.test('lines that never end go with their connection, and come again on the next', async (t) => {
  const { client, clock, line, meter } = await lineRig(t);
  meter.faults.on('endless-data', { shape: 'lines' }, { matching: 'DRD?' });
  t.equal(await client.ask('Type?'), HEALTHY);
  await client.ask('DRD?');
  await client.type(SUB);
  t.match(await client.pass(1_000), /^( 45\.8,[^\r$]*\r\n){10,}/);
  await client.leave();
  await clock.advance(1_000);
  t.equal(clock.pending, 0, 'nothing flows any more');
  const next = await line();
  t.equal(await next.ask('Type?'), 'R+0000\r\n');
  t.ok((await next.pass(1_000)).length > 5_000);
});

t.test('a client that does not read holds no memory', async (t) => {
  const { client, clock, meter } = await lineRig(t);
  meter.faults.on('endless-data', { bytes: 65_536, every_ms: 1 });
  await client.ask('DOD?');
  client.stall();
  const before = process.memoryUsage().arrayBuffers;
  await clock.advance(5_000);
  const said = client.segments.reduce((sum, { text }) => sum + text.length, 0);
  t.ok(said < 64 * 1_048_576, `${said} bytes of 330 MB`);
  t.ok(process.memoryUsage().arrayBuffers - before < 128 * 1_048_576);
});
