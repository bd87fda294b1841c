import t from 'tap';
import { HEALTHY, lineRig, SUB } from './rig.ts';

t.test('garbled by noise: wrong bytes, right line ends and prompt; the same for the same seed', async (t) => {
  const run = async (seed: number) => {
    const { client, meter } = await lineRig(t, { seed });
    const healthy = await client.ask('Measurement Time Preset Manual?');
    meter.faults.on('garbled', { share: 0.5 });
    const garbled = await client.ask('Measurement Time Preset Manual?');
    t.not(garbled, healthy);
    t.equal(garbled.length, healthy.length);
    t.same(
      [...garbled.matchAll(/[\r\n$]/g)].map(({ index }) => index),
      [...healthy.matchAll(/[\r\n$]/g)].map(({ index }) => index),
    );
    return garbled;
  };
  const first = await run(1);
  t.equal(await run(1), first);
  t.not(await run(2), first);
});

t.test('garbled by mixture: a line ends in bytes of the reply before', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('garbled', { by: 'mixture' });
  const before = await client.ask('DOD?');
  t.match(before, /^R\+0000\r\n +\d/, 'the first has nothing to be mixed with');
  const mixed = await client.ask('DOD?');
  t.not(mixed, before);
  const [result, data] = mixed.split('\r\n');
  t.match(result, /^R\+0/);
  t.equal(data?.split(',').length === 64, false, 'fields have moved');
  t.ok(mixed.endsWith('\r\n$'));
});

t.test('half a line, then silence; the connection stays open and dead', async (t) => {
  const { client, line, meter } = await lineRig(t);
  meter.faults.on('half-line', {}, { times: 1 });
  t.equal(await client.ask('Type?', 60_000), HEALTHY.slice(0, HEALTHY.length / 2));
  t.equal(await client.ask('Type?', 60_000), '', 'the fault is spent, the connection stays silent');
  t.equal(client.ended, 'open');
  await client.leave();
  t.equal(await (await line()).ask('Type?'), HEALTHY);
});

t.test('half a line breaks off at the given byte', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('half-line', { at_byte: HEALTHY.length + 11 });
  t.equal(await client.ask('Type?'), HEALTHY);
  t.equal(await client.ask('Type?', 1_000), 'R+0000\r\nNL-');
});

t.test('no reply: the command is done all the same', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('no-reply', {}, { matching: 'measure,' });
  t.equal(await client.ask('Measure,Start', 5_000), '');
  t.equal(await client.ask('Measure?'), 'R+0000\r\nStart\r\n$');
});

t.test('off by one: each command gets the reply of the command before it', async (t) => {
  const { client, line, meter } = await lineRig(t);
  const id = meter.faults.on('off-by-one', { connections: 'every' });
  t.equal(await client.ask('Type?', 3_000), '');
  t.equal(await client.ask('Pause?'), HEALTHY);
  t.equal(await client.ask('Nonsense?'), 'R+0000\r\nOff\r\n$');
  await client.leave();
  const next = await line();
  t.equal(await next.ask('Type?', 3_000), '', 'a new connection has nothing left over');
  meter.faults.off(id);
  t.equal(await next.ask('Type?'), HEALTHY);
});

t.test('off by one on one connection: a new one is in order again', async (t) => {
  const { client, line, meter } = await lineRig(t);
  meter.faults.on('off-by-one');
  t.equal(await client.ask('Type?', 3_000), '');
  t.equal(await client.ask('Pause?'), HEALTHY);
  await client.leave();
  const next = await line();
  t.equal(await next.ask('Type?'), HEALTHY);
  t.equal(await next.ask('Type?'), HEALTHY);
});

t.test('off by one from the nth command on', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('off-by-one', {}, { commands: [2] });
  t.equal(await client.ask('Type?'), HEALTHY);
  t.equal(await client.ask('Pause?', 1_000), '');
  t.equal(await client.ask('Type?'), 'R+0000\r\nOff\r\n$');
});

t.test('a refusing meter does not do what it refuses', async (t) => {
  const { client, meter } = await lineRig(t);
  for (const result of ['R+0001', 'R+0002', 'R+0003', 'R+0004']) {
    const id = meter.faults.on('refusing', { result }, { matching: 'Measure,Start' });
    t.equal(await client.ask('Measure,Start'), `${result}\r\n$`);
    t.equal(await client.ask('Measure?'), 'R+0000\r\nStop\r\n$');
    meter.faults.off(id);
  }
  t.equal(await client.ask('Measure,Start'), 'R+0000\r\n$');
});

t.test('a prompt is missing', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('prompt-missing');
  t.equal(await client.ask('Type?', 1_000), 'R+0000\r\nNL-43\r\n');
  t.equal(await client.ask('Nonsense', 1_000), 'R+0001\r\n');
  await client.ask('DRD?');
  await client.type(SUB);
  t.equal(await client.pass(1_000), '');
});

t.test('a prompt is doubled, after the reply or in front of it', async (t) => {
  const { client, meter } = await lineRig(t);
  const id = meter.faults.on('prompt-doubled');
  t.equal(await client.ask('Type?'), `${HEALTHY}$`);
  meter.faults.off(id);
  meter.faults.on('prompt-doubled', { place: 'before' });
  t.equal(await client.ask('Type?'), `$${HEALTHY}`);
});

t.test('a line that nobody asked for comes between two commands', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('unsolicited', { line: ' 45.8, 46.1', after_ms: 400 }, { commands: [1] });
  t.equal(await client.ask('Type?', 399), HEALTHY);
  t.equal(await client.pass(1), ' 45.8, 46.1\r\n');
  t.equal(await client.ask('Type?', 1_000), HEALTHY);
});

t.test('a line that nobody asked for comes before a reply', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('unsolicited', { place: 'before' });
  t.equal(await client.ask('Type?'), `R+0000\r\n${HEALTHY}`);
});

t.test('an unsolicited line that is still to come goes with the fault', async (t) => {
  const { client, clock, meter } = await lineRig(t);
  const pending = clock.pending;
  const id = meter.faults.on('unsolicited', { after_ms: 400 });
  t.equal(await client.ask('Type?'), HEALTHY);
  meter.faults.off(id);
  t.equal(clock.pending, pending);
  t.equal(await client.pass(1_000), '');
});
