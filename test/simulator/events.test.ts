import t from 'tap';
import { rig, typing } from './rig.ts';

t.test(
  'a rest is measured from the last byte of a reply, prompt included, to the first byte of the next command',
  async (t) => {
    const { clock, meter, typist } = await typing(t, { think_query_ms: [100, 100], prompt_delay_ms: 50 });
    typist.type('Clock?\r\n');
    await clock.until(typist.take('$'), { stepMs: 10 });
    const answered = clock.elapsed();
    await clock.advance(1_000);
    typist.type('Pau');
    await clock.advance(1);
    await clock.advance(500);
    typist.type('se?\r\n');
    await clock.until(typist.take('$'), { stepMs: 10 });
    t.same(meter.log.spacingViolations(1_000), []);
    const [gap] = meter.log.spacingViolations(5_000);
    t.equal(gap?.command, 'Pause?');
    t.ok(gap && gap.gapMs >= 1_000 && gap.gapMs < 1_060, `${gap?.gapMs} ms since ${answered}`);
  },
);

t.test('a command that does not wait for its reply violates the rest in full', async (t) => {
  const { clock, meter, typist } = await typing(t, { think_query_ms: [100, 100], busy_input: 'queued' });
  typist.type('Pause?\r\nMeasure?\r\n');
  await clock.until(typist.take('Stop\r\n$'));
  t.same(meter.log.spacingViolations(), [{ command: 'Measure?', gapMs: 0 }]);
});

t.test('SUB owes no rest, the command after it does', async (t) => {
  const { clock, meter, typist } = await typing(t);
  await typist.stream();
  await clock.advance(5_000);
  typist.type('\x1a');
  await typist.take('$');
  await clock.advance(250);
  await typist.ask('Pause?');
  t.same(meter.log.spacingViolations(), [{ command: 'Pause?', gapMs: 250 }]);
  t.same(meter.log.commands, ['DRD?', '\x1a', 'Pause?']);
});

t.test('the rest holds across connections', async (t) => {
  const { client, clock, meter } = await rig(t);
  const first = await client();
  await first.ask('Pause?');
  const gone = new Promise<void>((resolve) => {
    meter.log.follow((event) => event.kind === 'disconnect' && resolve());
  });
  first.close();
  await gone;
  await clock.advance(300);
  await (await client()).ask('Clock?');
  t.same(meter.log.spacingViolations(), [{ command: 'Clock?', gapMs: 300 }]);
});
