import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { CATALOGUE } from '../../../simulator/faults/catalogue.ts';
import type { SimulatedMeter } from '../../../simulator/index.ts';
import { eventually } from '../bare.ts';
import { counters, faultRig, HEALTHY, lineRig, SUB, texts } from './rig.ts';

const SILENT = '';

t.test('by number of the command, counted from the switching on', async (t) => {
  const { client, meter } = await lineRig(t);
  await client.ask('Type?');
  meter.faults.on('no-reply', {}, { commands: [2, 4] });
  const replies = [];
  for (let number = 1; number <= 5; number++) replies.push(await client.ask('Type?'));
  t.same(replies, [HEALTHY, SILENT, HEALTHY, SILENT, HEALTHY]);
});

t.test('by the beginning of the command, case ignored', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('no-reply', {}, { matching: 'battery' });
  t.equal(await client.ask('BATTERY LEVEL?'), SILENT);
  t.equal(await client.ask('Type?'), HEALTHY);
});

t.test('from and until, counted from the switching on', async (t) => {
  const { client, clock, meter } = await lineRig(t);
  await clock.advance(5_000);
  meter.faults.on('no-reply', {}, { fromMs: 100, untilMs: 300 });
  const replies = [];
  for (let at = 0; at < 400; at += 100) replies.push(await client.ask('Type?', 100));
  t.same(replies, [HEALTHY, SILENT, SILENT, HEALTHY]);
});

t.test('a fault with a number of times happens so often, and no more', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('no-reply', {}, { times: 2 });
  const replies = [];
  for (let number = 1; number <= 4; number++) replies.push(await client.ask('Type?'));
  t.same(replies, [SILENT, SILENT, HEALTHY, HEALTHY]);
  t.match(meter.faults.active, [{ kind: 'no-reply', fired: 2, when: { times: 2 } }]);
});

t.test('with a probability: seeded, and about as often as told', async (t) => {
  const run = async (seed: number) => {
    const { client, meter } = await lineRig(t, { seed });
    meter.faults.on('no-reply', {}, { probability: 0.3 });
    const lost = [];
    for (let number = 0; number < 60; number++) lost.push((await client.ask('Type?')) === SILENT);
    return lost;
  };
  const first = await run(1);
  const count = first.filter(Boolean).length;
  t.ok(count > 8 && count < 30, `${count} of 60`);
  t.same(await run(1), first);
  t.notSame(await run(2), first);
});

t.test('a fault with several conditions happens only where all of them hold', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('no-reply', {}, { matching: 'Type', commands: [2, 3], times: 1 });
  t.equal(await client.ask('Type?'), HEALTHY);
  t.not(await client.ask('Pause?'), SILENT);
  t.equal(await client.ask('Type?'), SILENT);
  t.equal(await client.ask('Type?'), HEALTHY);
});

t.test('several at once, in the order of switching on', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('prompt-doubled', { place: 'before' });
  meter.faults.on('unsolicited', { place: 'before', line: 'X' });
  meter.faults.on('latency', { ms: 100 });
  meter.faults.on('one-byte', { gap_ms: 1 });
  const expected = `X\r\n$${HEALTHY}`;
  t.equal(await client.ask('Type?', 99), '');
  t.equal(await client.pass(100), expected);
  t.same(
    client.segments.map(({ text }) => text),
    [...expected],
  );
  t.same(client.segments.map(({ at }) => at).slice(0, 3), [100, 101, 102]);
});

t.test('garbled, in pieces, and then reset in the middle of a stream', async (t) => {
  const { client, meter } = await lineRig(t);
  meter.faults.on('garbled', { share: 0.01 });
  meter.faults.on('split', { max_bytes: 50, gap_ms: 1 });
  meter.faults.on('reset-mid-reply', { at_byte: 1_500 });
  await client.ask('DRD?', 2_000);
  await eventually(() => client.ended === 'reset');
  t.equal(
    client.segments.reduce((sum, { text }) => sum + text.length, 0),
    1_500,
  );
  t.ok(client.segments.length > 30);
});

t.test('the same seed gives the same bytes at the same times, with many faults', async (t) => {
  const day = async (seed: number) => {
    const { clock, line, meter } = await faultRig(t, { seed });
    meter.faults.on('latency', { ms: 20, jitter_ms: 60 });
    meter.faults.on('garbled', {}, { probability: 0.2 });
    meter.faults.on('split', { max_bytes: 30, gap_ms: 2 });
    meter.faults.on('frames-lost', { every: 1 }, { probability: 0.1 });
    meter.faults.on('unsolicited', {}, { probability: 0.2 });
    const client = await line();
    for (let round = 0; round < 10; round++) {
      await client.ask('DOD?', 1_000);
      if (round % 3) continue;
      await client.ask('DRD?', 1_500);
      await client.type(SUB);
      await client.pass(1_000);
    }
    await clock.advance(1_000);
    return client.segments;
  };
  const first = await day(7);
  t.ok(first.length > 200);
  t.same(await day(7), first);
  t.notOk(isDeepStrictEqual(await day(8), first), 'another seed is another day');
});

t.test('one fault more does not change the chance of the others', async (t) => {
  const run = async (more: boolean) => {
    const { line, meter } = await faultRig(t);
    meter.faults.on('no-reply', {}, { probability: 0.5 });
    if (more) meter.faults.on('latency', { ms: 1, jitter_ms: 3 }, { probability: 0.5 });
    const client = await line();
    const lost = [];
    for (let number = 0; number < 30; number++) lost.push((await client.ask('Type?', 10)) === SILENT);
    return lost;
  };
  t.same(await run(true), await run(false));
});

t.test('what is wrong is refused with its name, and nothing is switched on', async (t) => {
  const { meter } = await faultRig(t);
  const wrong = (run: () => unknown, message: RegExp) => t.throws(run, { name: 'TypeError', message });
  wrong(() => meter.faults.on('gremlins'), /no fault is called "gremlins"; there are latency, /);
  wrong(() => meter.faults.on('toString'), /no fault is called/);
  wrong(() => meter.faults.on('latency', { speed: 3 }), /latency has no setting "speed"; it has ms, jitter_ms/);
  wrong(() => meter.faults.on('latency', { ms: -1 }), /latency: ms takes a number from 0 to 86400000, not -1/);
  wrong(() => meter.faults.on('latency', { ms: '5' }), /not "5"/);
  wrong(() => meter.faults.on('garbled', { by: 'gnomes' }), /by takes "noise" or "mixture", not "gnomes"/);
  wrong(() => meter.faults.on('asleep', { deep: true }), /asleep has no setting "deep"; it has none/);
  wrong(() => meter.faults.on('half-line', { at_byte: 1.5 }), /a whole number from 0, or null/);
  wrong(() => meter.faults.on('latency', {}, { probability: 2 }), /when: probability takes a number from 0 to 1/);
  wrong(() => meter.faults.on('latency', {}, { commands: [0] }), /commands takes a list of whole numbers from 1/);
  wrong(() => meter.faults.on('latency', {}, { often: true } as object), /when has no "often"/);
  wrong(() => meter.faults.on('unserved', {}, { commands: [1] }), /decided for every connection/);
  t.same(meter.faults.active, []);
});

t.test('the log tells when a fault went on, fired and went off', async (t) => {
  const { client, meter } = await lineRig(t);
  const id = meter.faults.on('no-reply', {}, { commands: [2] });
  await client.ask('Type?');
  await client.ask('Type?');
  t.equal(meter.faults.off(id), true);
  t.equal(meter.faults.off(id), false, 'only once');
  t.same(texts(meter, 'fault'), [`${id} on`, `${id} fired at command 2 "Type?"`, `${id} off`]);
});

t.test('what the issue lists is in the catalogue, with words and evidence', async (t) => {
  const wanted = `latency wake-up split joined one-byte garbled half-line late-reply off-by-one prompt-missing prompt-doubled
    unsolicited reset-mid-reply half-close nat-forgets refused wedge asleep reboot frozen stall frames-lost data-after-sub
    endless-data refusing ftp-login-refused ftp-delayed-start ftp-no-data-connection ftp-cut ftp-stall ftp-wrong-size
    ftp-growing ftp-hostile-names ftp-endless-listing`;
  for (const name of wanted.split(/\s+/)) t.ok(CATALOGUE[name], name);
  for (const [name, entry] of Object.entries(CATALOGUE)) {
    t.equal(entry.name, name);
    t.match(entry.summary, /\.$/);
    t.ok(entry.evidence.source, `${name}: where it is known from`);
    for (const [setting, { about }] of Object.entries(entry.settings)) t.ok(about, `${name}.${setting}`);
  }
});

async function traffic(meter: SimulatedMeter, line: Awaited<ReturnType<typeof faultRig>>['line']): Promise<void> {
  const client = await line().catch(() => null);
  if (!client || meter.log.events.at(-1)?.kind !== 'connect') return;
  await client.ask('DOD?', 2_500);
  await client.ask('DRD?', 2_500);
  await client.type(SUB);
  await client.pass(40_000);
  await client.ask('Type?', 10_000);
  if (client.ended !== 'closed' && client.ended !== 'reset') await client.leave();
}

t.test('every fault, switched off, leaves a healthy meter and no timer', async (t) => {
  const { clock, line, meter } = await faultRig(t);
  for (const kind of Object.keys(CATALOGUE)) {
    const id = meter.faults.on(kind);
    await traffic(meter, line);
    meter.faults.off(id);
    await clock.advance(60_000);
    // A place that stays taken is freed by the power alone.
    if (kind === 'half-open') await clock.until(meter.powerCycle(0));
    const client = await line();
    t.equal(await client.ask('Type?', 100), HEALTHY, kind);
    t.match(counters(await client.ask('DRD?', 300)), [1, 2, 3], kind);
    await client.leave();
    t.equal(clock.pending, 0, `${kind}: no timer`);
  }
});

t.test('clear switches all faults off', async (t) => {
  const { clock, line, meter } = await faultRig(t);
  for (const kind of Object.keys(CATALOGUE)) meter.faults.on(kind, {}, { fromMs: 1_000, untilMs: 2_000 });
  meter.faults.clear();
  t.same(meter.faults.active, []);
  t.equal(clock.pending, 0);
  t.equal(await (await line()).ask('Type?', 5_000), HEALTHY);
});

t.test('a meter that stops takes the timers of its faults along', async (t) => {
  const { clock, meter } = await faultRig(t);
  meter.faults.on('refused', {}, { fromMs: 10_000, untilMs: 20_000 });
  meter.faults.on('wedge', {}, { fromMs: 10_000 });
  await meter.stop();
  t.equal(clock.pending, 0);
});
