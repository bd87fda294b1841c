/** The link is lost in each state, and comes back. */
import t from 'tap';
import type { Reservation } from '../../lib/meter/contract.ts';
import { data, OK, outcome, patient, UNIT } from '../meter/support/bench.ts';
import { FLOW, Flow } from '../meter/support/flow.ts';
import { Viewer } from '../meter/support/viewer.ts';
import { sentOf, twoInstances } from './support/two-instances.ts';

t.test(
  'what waits when the link is lost is not sent: its caller is told, and told that it is not known where it may have changed something',
  async (t) => {
    const { clock, device, gateway } = twoInstances(t);
    const { meter, line } = gateway();
    device.expect('Type?', 4_000, data('NL-43'));
    const asked = [
      meter.perform('model', patient()),
      meter.perform('clock', patient()),
      meter.perform('start', patient()),
      meter.writeSetting('lp_interval', '1s', patient()),
      meter.reserve('work', (on) => on.perform('stop'), patient()),
      meter.reserve('look', (on) => on.perform('battery'), patient(), { isRead: true }),
    ].map(outcome);
    await clock.advance(1_000);
    line.cut();
    t.same(await clock.until(Promise.all(asked)), [
      'OWNER_CHANGING',
      'OWNER_CHANGING',
      'OUTCOME_UNKNOWN',
      'OUTCOME_UNKNOWN',
      'OUTCOME_UNKNOWN',
      'OWNER_CHANGING',
    ]);
    t.equal(clock.elapsed() < 2_000, true, 'at once');
    await clock.advance(60_000);
    t.same(device.commands, ['Type?']);
    device.verify(t);
  },
);

t.test(
  'a command that was sent when the link was lost is finished, and the next gateway gets answers of its own',
  async (t) => {
    const { clock, device, gateway } = twoInstances(t);
    const first = gateway();
    device.expect('Pause,On', 2_000, OK).expect('Clock?', data('2026/11/21 06:00:07'));
    const sent = outcome(first.meter.perform('pause', patient()));
    await clock.advance(500);
    first.line.cut();
    t.equal(await sent, 'OUTCOME_UNKNOWN');
    const next = gateway();
    t.equal(await clock.until(next.meter.perform('clock', patient())), '2026/11/21 06:00:07');
    t.equal(device.connects, 1, 'over the same connection');
    t.equal(next.meter.deviceState.paused, true, 'what it brought is known');
    device.verify(t);
  },
);

t.test(
  'a reservation that has the meter when the link is lost ends after its command, and frees the meter',
  async (t) => {
    const { clock, device, gateway } = twoInstances(t);
    const first = gateway();
    device.expect('Type?', 2_000, data('NL-43')).expect('Clock?', data('2026/11/21 06:00:07'));
    const steps: unknown[] = [];
    const work = async (on: Reservation) => {
      steps.push(await outcome(on.perform('model')));
      steps.push(await outcome(on.perform('stop')));
    };
    const reserved = outcome(first.meter.reserve('work', work, patient()));
    await clock.advance(500);
    first.line.cut();
    t.equal(await clock.until(reserved), 'OUTCOME_UNKNOWN');
    t.same(steps, ['OWNER_CHANGING', 'OWNER_CHANGING'], 'nothing more is sent');
    const { meter } = gateway();
    t.equal(await clock.until(meter.perform('clock', patient())), '2026/11/21 06:00:07');
    t.ok(clock.elapsed() < 5_000, 'it does not wait until the reservation counts as forgotten');
    device.verify(t);
  },
);

t.test('a stream goes on while there is no gateway, and the next one gets every frame, oldest first', async (t) => {
  const { clock, device, gateway } = twoInstances(t);
  device.expect('DRD?', ...FLOW);
  const viewers = [new Viewer(), new Viewer()] as const;
  const first = gateway();
  first.meter.feed.watch(viewers[0]);
  await clock.advance(2_050);
  first.line.cut();
  await clock.advance(30_000);
  t.same(viewers[0].statuses, ['lost'], 'who watches the lost link hears of it');
  const next = gateway({ before: first.remote });
  const times: number[] = [];
  next.events.on('frame', () => {});
  next.meter.feed.watch({
    ...viewers[1],
    frame: (frame) => {
      times.push(frame.at);
      viewers[1].frame(frame);
    },
    status: () => {},
    end: () => {},
  });
  await clock.advance(5_000);
  const all = [...viewers[0].counters, ...viewers[1].counters];
  t.same(
    all,
    Array.from({ length: all.length }, (_, index) => index + 1),
    'none is missing, none comes twice',
  );
  t.ok(all.length >= 360);
  t.same(
    times,
    Array.from(times, (_, index) => (times[0] ?? 0) + index * 100),
    'with the times of their arrival',
  );
  t.same(next.heard.filter((kind) => kind === 'frame').length, viewers[1].counters.length, 'and as events');
  t.equal(device.commands.length, 1, 'the meter noticed nothing');
});

t.test('it is known of which units frames are kept, until the next gateway has asked for them', async (t) => {
  const { clock, device, served, gateway } = twoInstances(t);
  device.expect('DRD?', ...FLOW);
  const first = gateway();
  const leave = first.meter.feed.watch(new Viewer());
  await clock.advance(1_050);
  t.notOk(served.keeps(UNIT));
  first.line.isSilent = true;
  await clock.advance(4_000);
  t.ok(served.keeps(UNIT), 'a gateway that is silent may be lost');
  t.notOk(served.keeps('another'));
  first.line.cut();
  await clock.advance(1_000);
  t.ok(served.keeps(UNIT));
  t.notOk(served.keeps('another'));
  const next = gateway();
  await clock.advance(1_000);
  t.ok(served.keeps(UNIT), 'it has not asked yet');
  next.meter.feed.watch(new Viewer());
  await clock.advance(100);
  t.notOk(served.keeps(UNIT));
  leave();
  next.remote.leaving();
  await clock.advance(100);
  t.ok(served.keeps(UNIT), 'a gateway that leaves is followed by another one');
  await clock.advance(600_000);
  t.notOk(served.keeps(UNIT), 'not for ever');
});

t.test('frames that were sent into a silent line come over the next link', async (t) => {
  for (const isSame of [true, false]) {
    const { clock, device, gateway } = twoInstances(t);
    device.expect('DRD?', ...FLOW);
    const [before, after] = [new Viewer(), new Viewer()];
    const first = gateway();
    first.meter.feed.watch(before);
    await clock.advance(5_350);
    first.line.isSilent = true;
    await clock.advance(20_000);
    first.line.cut();
    await clock.advance(5_000);
    const next = gateway(isSame ? { before: first.remote } : {});
    next.meter.feed.watch(after);
    await clock.advance(5_000);
    const [last = 0, begin = 0] = [before.counters.at(-1), after.counters[0]];
    t.same(
      after.counters,
      Array.from(after.counters, (_, index) => begin + index),
      'none is missing, in order',
    );
    t.ok(after.counters.length >= 290);
    if (isSame) t.equal(begin, last + 1, 'to the same gateway none comes twice');
    else t.ok(begin <= last + 1 && begin > last - 4, 'another one gets those of the last moment again');
  }
});

t.test('of frames that are kept for too long the oldest go, and the next gateway is told how many', async (t) => {
  const { clock, device, gateway } = twoInstances(t, { keptMs: 10_000 });
  device.expect('DRD?', ...FLOW);
  const first = gateway();
  first.meter.feed.watch(new Viewer());
  await clock.advance(1_050);
  first.line.cut();
  await clock.advance(30_000);
  const viewer = new Viewer();
  const next = gateway({ before: first.remote });
  next.meter.feed.watch(viewer);
  await clock.advance(1_000);
  const lost = sentOf(next.far)
    .map((message) => message.lost)
    .find((told) => told !== undefined);
  const [from = 0] = viewer.counters;
  t.same(lost, { [UNIT]: from - 11 }, 'ten came before the loss');
  t.ok(from > 195 && from < 215, `the first one is ${from}`);
});

t.test('where the frames need too much memory the oldest go, too', async (t) => {
  const { clock, device, gateway } = twoInstances(t, { keptBytes: 4_000 });
  device.expect('DRD?', ...FLOW);
  const first = gateway();
  first.meter.feed.watch(new Viewer());
  await clock.advance(1_050);
  first.line.cut();
  await clock.advance(30_000);
  const viewer = new Viewer();
  const next = gateway();
  next.meter.feed.watch(viewer);
  await clock.advance(1_000);
  t.ok(viewer.counters.length < 50 && viewer.counters.length > 10);
  t.equal(viewer.counters.at(-1), 320, 'the newest are there');
});

t.test('if no gateway comes for ten minutes the stream ends', async (t) => {
  const { clock, device, gateway } = twoInstances(t);
  const flow = new Flow({ clock, device });
  const { meter, line } = gateway();
  meter.feed.watch(new Viewer());
  await clock.advance(1_000);
  line.cut();
  await clock.advance(590_000);
  t.equal(device.commands.at(-1), 'DRD?');
  await clock.advance(20_000);
  t.equal(device.commands.at(-1), '\x1a');
  t.ok(flow);
});

t.test('a stream that the next gateway does not ask for ends two minutes after it has come', async (t) => {
  const { clock, device, gateway } = twoInstances(t);
  const flow = new Flow({ clock, device });
  const first = gateway();
  first.meter.feed.watch(new Viewer());
  await clock.advance(1_000);
  first.line.cut();
  await clock.advance(5_000);
  gateway();
  await clock.advance(110_000);
  t.equal(device.commands.at(-1), 'DRD?');
  await clock.advance(15_000);
  t.equal(device.commands.at(-1), '\x1a');
  t.ok(flow);
});

t.test('a second gateway ends the link of the first one, and takes its stream over', async (t) => {
  const { clock, device, gateway } = twoInstances(t);
  device.expect('DRD?', ...FLOW);
  const first = gateway();
  const [early, late] = [new Viewer(), new Viewer()];
  first.meter.feed.watch(early);
  await clock.advance(1_050);
  const second = gateway({ before: first.remote });
  t.match(await first.remote.ended, /another link/);
  await clock.advance(1_000);
  second.meter.feed.watch(late);
  await clock.advance(1_000);
  const all = [...early.counters, ...late.counters];
  t.same(
    all,
    Array.from({ length: all.length }, (_, index) => index + 1),
  );
  t.equal(
    await outcome(first.meter.perform('model', patient())),
    'OWNER_CHANGING',
    'the first one may ask nothing more',
  );
  t.throws(() => first.remote.meter(UNIT), { code: 'OWNER_CHANGING' });
});

t.test('a link that is silent: deadlines hold, and after a while it counts as lost', async (t) => {
  const { clock, device, gateway } = twoInstances(t);
  const { meter, line, remote } = gateway();
  device.always('Type?', data('NL-43'));
  await clock.until(meter.perform('model', patient()));
  line.isSilent = true;
  const asked = outcome(meter.perform('model', patient({ deadlineMs: 5_000 })));
  const from = clock.elapsed();
  t.equal(await clock.until(asked), 'DEVICE_TIMEOUT');
  t.ok(clock.elapsed() - from <= 6_100);
  const work = outcome(meter.reserve('work', (on) => on.perform('stop'), patient({ deadlineMs: 100_000 })));
  t.equal(await clock.until(work), 'OUTCOME_UNKNOWN');
  t.match(await remote.ended, /does not answer/);
  t.ok(clock.elapsed() < 60_000);
});

t.test('what is left of a deadline need not be a whole number, and may be over', async (t) => {
  const { clock, device, gateway } = twoInstances(t);
  const { meter } = gateway();
  device.expect('Type?', data('NL-43'));
  const asked = meter.reserve('look', (on) => on.perform('model'), patient({ deadlineMs: 59_999.9996 }));
  t.equal(await clock.until(asked), 'NL-43');
  t.equal(await clock.until(outcome(meter.perform('model', patient({ deadlineMs: -0.5 })))), 'QUEUE_TIMEOUT');
  device.verify(t);
});

t.test('a gateway that does not take what is sent loses the link, and no frame is lost', async (t) => {
  const { clock, device, gateway } = twoInstances(t);
  device.expect('DRD?', ...FLOW);
  const first = gateway();
  const [early, late] = [new Viewer(), new Viewer()];
  first.meter.feed.watch(early);
  await clock.advance(1_050);
  first.far.waiting = 97 * 1_024 * 1_024;
  await clock.advance(1_000);
  t.match(await first.remote.ended, /does not take/);
  const second = gateway();
  second.meter.feed.watch(late);
  await clock.advance(1_000);
  const all = new Set([...early.counters, ...late.counters]);
  t.equal(all.size, late.counters.at(-1));
});

t.test('frames that were not confirmed outlive a link that ends before they are asked for', async (t) => {
  const { clock, device, gateway } = twoInstances(t);
  device.expect('DRD?', ...FLOW);
  const first = gateway();
  const viewer = new Viewer();
  first.meter.feed.watch(viewer);
  await clock.advance(2_000);
  first.line.isSilent = true;
  await clock.advance(5_000);
  first.line.cut();
  const second = gateway({ before: first.remote });
  await clock.advance(200);
  second.line.cut();
  const third = gateway({ before: first.remote });
  const late = new Viewer();
  third.meter.feed.watch(late);
  await clock.advance(1_000);
  const all = [...viewer.counters, ...late.counters];
  t.same(
    all,
    Array.from({ length: all.length }, (_, index) => index + 1),
  );
});

t.test('a frame that is on its way when the gateway leaves is kept for the next one', async (t) => {
  const { clock, device, gateway } = twoInstances(t);
  device.expect('DRD?', ...FLOW);
  const first = gateway();
  const viewer = new Viewer();
  const leave = first.meter.feed.watch(viewer);
  await clock.advance(1_900);
  do await clock.advance(1);
  while (device.spokeAt !== clock.elapsed());
  first.remote.leaving();
  leave();
  await clock.advance(500);
  first.remote.close('stopped');
  await clock.advance(500);
  const second = gateway();
  const late = new Viewer();
  second.meter.feed.watch(late);
  await clock.advance(1_000);
  const all = [...viewer.counters, ...late.counters];
  t.same(
    all,
    Array.from({ length: all.length }, (_, index) => index + 1),
  );
});
