/** What the gateway's plugins see of a unit whose session moves between instances, with simulated meters over TCP. */
import t, { type Test } from 'tap';
import { RemoteMeter } from '../../lib/remote/remote-meter.ts';
import { openRoof, outcomeOf, patient, Viewer } from './support/shared-world.ts';

/** Two instances and one simulated meter, which the first one serves. */
async function openOne(t: Test) {
  const world = await openRoof(t);
  const { meter } = world;
  const commands = () => meter.log.events.flatMap((event) => (event.kind === 'command' ? [event.text] : []));
  /** Connections that the meter had at once, at most. */
  const together = () => {
    let open = 0;
    return meter.log.events.reduce((most, { kind }) => {
      if (kind === 'connect') open += 1;
      if (kind === 'disconnect') open -= 1;
      return Math.max(most, open);
    }, 0);
  };
  const knocks = () => meter.log.events.filter(({ kind }) => kind === 'held' || kind === 'refused');
  return { ...world, commands, together, knocks };
}

t.test(
  'a unit moves back and forth while it is watched and polled: the meter object, the stream and the sums stay',
  async (t) => {
    const { clock, shared, give, knocks, together, members } = await openOne(t);
    const meter = shared.meter('roof');
    const viewer = new Viewer();
    meter.feed.watch(viewer);
    const answers: unknown[] = [];
    const poll = () => {
      void outcomeOf(meter.perform('battery', patient())).then((answer) => answers.push(answer));
      clock.after(1_000, poll);
    };
    poll();
    let frames = 0;
    let counted = 0;
    for (const owner of ['b', 'here', 'b', 'here', 'b'] as const) {
      await clock.pass(10_000);
      t.ok(viewer.frames.length > frames + 40, `frames come before the move to ${owner}`);
      t.equal(meter.report().state === 'closed', false);
      await clock.until(give(['roof'], owner));
      t.equal(meter.session instanceof RemoteMeter, owner === 'b', 'the session is where the unit is');
      t.equal(shared.meter('roof'), meter, 'plugins keep their meter');
      frames = viewer.frames.length;
      const { commands = 0 } = shared.counters('roof') ?? {};
      t.ok(commands > counted, 'sums grow');
      counted = commands;
    }
    await clock.pass(10_000);
    t.ok(viewer.frames.length > frames + 40, 'and after the last one');
    t.equal(viewer.ended, undefined);
    t.ok(viewer.said.some(({ detail }) => /No instance of the gateway serves the meter roof/.test(detail)));
    t.notOk(viewer.statuses.includes('lost'), 'a move in order is no loss');
    t.equal(meter.feed.state, 'ok');
    t.ok(answers.length > 40);
    t.strictSame(
      answers.filter((answer) => typeof answer === 'string'),
      [],
      'who asks during a move waits',
    );
    const own = ['here', 'b'] as const;
    const perPlace = own.map((name) => members[name].counted('roof'));
    t.ok((shared.counters('roof')?.commands ?? 0) > Math.max(...perPlace), 'over all instances');
    t.equal(meter.report().watchers, 1, 'of those here, and not of those that watch for them');
    t.strictSame(knocks(), []);
    t.equal(together(), 1, 'no meter saw two of them');
  },
);

t.test('work that waits is done where the unit goes; work that has begun is done once', async (t) => {
  const { shared, give, until, clock, commands } = await openOne(t);
  const meter = shared.meter('roof');
  await until(meter.perform('battery', patient()));
  const runs = { change: 0, read: 0, late: 0 };
  const held = Promise.withResolvers<void>();
  const change = outcomeOf(
    meter.reserve(
      'change',
      async (reservation) => {
        runs.change += 1;
        await reservation.perform('setSleepMode', false);
        await held.promise;
        await reservation.perform('setSleepMode', true);
      },
      patient(),
    ),
  );
  const late = meter.reserve(
    'late',
    async (reservation) => {
      runs.late += 1;
      return reservation.readSetting('lp_interval');
    },
    patient(),
  );
  const asked = meter.perform('firmware', patient());
  await clock.pass(3_000);
  const moved = give(['roof'], 'b');
  await clock.pass(100);
  held.resolve();
  t.equal(await until(change), 'OUTCOME_UNKNOWN', 'what took effect is not known');
  await until(moved);
  t.type(await until(late), 'string');
  t.type(await until(asked), 'string');
  t.strictSame(runs, { change: 1, read: 0, late: 1 });
  t.equal(commands().filter((text) => text === 'Sleep Mode,On').length, 0, 'nothing more of it was sent');
  const reading = Promise.withResolvers<void>();
  const read = outcomeOf(
    meter.reserve(
      'read',
      async (reservation) => {
        runs.read += 1;
        await reservation.perform('battery');
        await reading.promise;
        await reservation.perform('battery');
      },
      patient(),
      { isRead: true },
    ),
  );
  await clock.pass(3_000);
  const back = give(['roof'], 'here');
  await clock.pass(100);
  reading.resolve();
  t.equal(await until(read), 'OWNER_CHANGING', 'a reading may be asked for again');
  await until(back);
  t.equal(runs.read, 1);
});

t.test('a unit that nobody serves: who asks waits two seconds, and later comers are told at once', async (t) => {
  const { clock, shared, claim, until, configs, meter } = await openOne(t);
  configs.put('new', { host: meter.host, tcpPort: meter.tcpPort });
  const from = clock.elapsed();
  const nobody = shared.meter('new').perform('battery', patient());
  await t.rejects(until(nobody), {
    code: 'OWNER_CHANGING',
    message: 'No instance of the gateway serves the meter new at this moment. Ask again in a few seconds.',
    headers: { 'Retry-After': '5' },
  });
  t.equal(clock.elapsed() - from, 2_000);
  await t.rejects(shared.meter('new').readSetting('lp_interval', patient()), { code: 'OWNER_CHANGING' }, 'at once');
  await t.rejects(shared.meter('new').readSetting('colour', patient()), { code: 'NOT_SUPPORTED' });
  t.match(shared.meter('new').report(), { state: 'closed', watchers: 0, waiting: [], identity: { model: null } });
  t.equal(shared.reachability('new'), undefined, 'it was never tried');
  configs.put('newer', { host: meter.host, tcpPort: meter.tcpPort });
  const asked = shared.meter('newer').perform('battery', patient());
  const leaver = new AbortController();
  const left = shared.meter('newer').perform('battery', patient({ signal: leaver.signal }));
  const hasty = shared.meter('newer').perform('battery', patient({ deadlineMs: 500 }));
  leaver.abort(new Error('gone'));
  await t.rejects(left, { message: 'gone' });
  await t.rejects(until(hasty), { code: 'OWNER_CHANGING' });
  t.equal(clock.elapsed() - from, 2_500, 'its own deadline counts');
  await clock.pass(1_000);
  await claim(['newer'], 'b');
  t.match(await until(asked), { percent: 100 }, 'a request right after the config works');
});

t.test('an instance that cannot be reached is no silence: reachability, event, feed and report say so', async (t) => {
  const { clock, shared, give, unlink, link, until, told, configs } = await openOne(t);
  const meter = shared.meter('roof');
  const viewer = new Viewer();
  meter.feed.watch(viewer);
  await until(give(['roof'], 'b'));
  await clock.pass(5_000);
  const { serialNumber } = meter.identity;
  t.match(shared.reachability('roof'), { state: 'online', reachable: true });
  const before = told.length;
  unlink();
  await clock.pass(1_000);
  const why = 'The instance of the gateway that serves the meter roof cannot be reached.';
  t.strictSame(viewer.said.at(-1), { status: 'lost', detail: why });
  await clock.pass(8_900);
  t.equal(told.length, before, 'a short break is not told');
  await clock.pass(200);
  t.match(told.slice(before), [
    { state: 'degraded', reachable: false, reason: why, lastError: { code: 'OWNER_CHANGING' } },
  ]);
  t.strictSame(shared.reachability('roof'), told.at(-1));
  t.strictSame(meter.reachability, told.at(-1));
  t.equal(meter.feed.state, 'lost');
  t.type(told.at(-1)?.lastSuccess, 'number', 'what was known stays');
  await clock.pass(80_000);
  t.match(told.at(-1), { state: 'offline', reason: why });
  t.equal(told.length, before + 2);
  t.equal(meter.report().state, 'closed');
  t.equal(meter.identity.serialNumber, serialNumber);
  t.match(meter.deviceState, { measuring: false });
  await t.rejects(meter.perform('battery', patient()), {
    code: 'OWNER_CHANGING',
    message: `${why} Ask again in a few seconds.`,
  });
  const counted = shared.counters('roof')?.commands ?? 0;
  link();
  await clock.pass(1_500);
  t.match(told.at(-1), { state: 'online', reachable: true }, 'it is told that it is back');
  t.match(shared.reachability('roof'), { state: 'online' });
  await clock.pass(5_000);
  t.equal(meter.feed.state, 'ok');
  t.equal(viewer.ended, undefined);
  t.ok((shared.counters('roof')?.commands ?? 0) >= counted);
  t.match(await until(meter.perform('battery', patient())), { percent: 100 });
  configs.put('unused', {});
  await clock.pass(120_000);
  t.equal(shared.reachability('unused'), undefined, 'nobody has asked for it');
});

t.test(
  'a feed ends when the unit is removed, its TCP switched off, its meter another one, or the gateway stops',
  async (t) => {
    const { clock, shared, until, configs, claim, meter: device } = await openOne(t);
    const watched = () => {
      const viewer = new Viewer();
      const meter = shared.meter('roof');
      meter.feed.watch(viewer);
      return { viewer, meter };
    };
    for (const owner of ['here', 'b'] as const) {
      await until(claim(['roof'], owner));
      const off = watched();
      await clock.pass(3_000);
      configs.put('roof', { tcpEnabled: false });
      t.equal(off.viewer.ended, 'removed', owner);
      t.throws(() => shared.meter('roof'), { code: 'TCP_DISABLED' });
      await t.rejects(off.meter.perform('battery', patient()), { code: 'TCP_DISABLED' });
      t.match(shared.reachability('roof'), { state: 'online' }, 'how it was last reached');
      configs.put('roof', { tcpEnabled: true });
      const other = watched();
      t.not(other.meter, off.meter);
      await clock.pass(8_000);
      t.ok(other.viewer.frames.length > 10, 'switched on again it streams');
      configs.put('roof', { host: 'localhost' });
      t.equal(other.viewer.ended, 'failed', 'another address is another meter');
      t.equal(shared.reachability('roof')?.reachable ?? null, null, 'of which nothing is known');
      await t.rejects(other.meter.perform('battery', patient()), { code: 'DEVICE_UNREACHABLE' });
      configs.put('roof', { host: device.host });
      const again = watched();
      await clock.pass(8_000);
      t.ok(again.viewer.frames.length > 10);
      configs.remove('roof');
      t.equal(again.viewer.ended, 'removed');
      t.throws(() => shared.meter('roof'), { code: 'UNIT_NOT_FOUND' });
      await t.rejects(again.meter.perform('battery', patient()), { code: 'UNIT_NOT_FOUND' });
      t.equal(shared.counters('roof'), undefined);
      configs.put('roof', { host: device.host, tcpPort: device.tcpPort });
    }
    const last = watched();
    await clock.pass(3_000);
    await shared.close();
    t.equal(last.viewer.ended, 'stopping');
    t.throws(() => shared.meter('roof'), { code: 'STOPPING' });
    await t.rejects(last.meter.perform('battery', patient()), { code: 'STOPPING' });
  },
);

t.test('FTP waits for the command gap wherever the session is', async (t) => {
  const { shared, until, give, claim, clock } = await openOne(t);
  const gap = shared.commandGap('roof');
  const { signal } = new AbortController();
  await until(shared.meter('roof').perform('battery', patient()));
  t.equal(gap?.commands, 1);
  await until(gap?.wait(signal) ?? Promise.reject(new Error('none')));
  await until(give(['roof'], 'b'));
  const from = clock.elapsed();
  gap?.restart();
  await until(gap?.wait(signal) ?? Promise.reject(new Error('none')));
  t.ok(clock.elapsed() > from, 'that of the other instance');
  await until(claim(['roof'], undefined));
  t.equal(await until(outcomeOf(gap?.wait(signal) ?? Promise.resolve())), 'OWNER_CHANGING');
  t.equal(shared.commandGap('nowhere'), undefined);
});

t.test('the lines of a unit that is traced come from where its session is', async (t) => {
  const { until, give, taps, shared, clock } = await openOne(t);
  const lines: string[] = [];
  const meter = shared.meter('roof');
  const end = taps.listen('roof', ({ text }) => lines.push(text));
  for (const owner of ['b', 'here', 'b'] as const) {
    await until(give(['roof'], owner));
    lines.splice(0);
    await until(meter.perform('battery', patient()));
    await clock.pass(100);
    t.ok(
      lines.some((text) => text.includes('Battery Level?')),
      owner,
    );
  }
  end();
  end();
  lines.splice(0);
  await until(meter.perform('firmware', patient()));
  await clock.pass(100);
  t.strictSame(lines, []);
});

t.test('after its instance was lost a meter counts as online again when it has answered, not before', async (t) => {
  const { clock, shared, claim, give, unlink, until, told, meter: device } = await openOne(t);
  const meter = shared.meter('roof');
  await until(give(['roof'], 'b'));
  await until(meter.perform('battery', patient()));
  unlink();
  await clock.pass(20_000);
  t.match(told.at(-1), { state: 'degraded' });
  const before = told.length;
  await until(claim(['roof'], 'here'));
  await clock.pass(5_000);
  t.match(told.slice(before), [{ state: 'unknown', reachable: null, reason: 'not tried yet' }], 'nobody has asked it');
  t.type(shared.reachability('roof')?.lastSuccess, 'number', 'what was known stays');
  void device.powerCycle(60_000);
  t.equal(await until(outcomeOf(meter.perform('battery', patient()))), 'DEVICE_UNREACHABLE');
  t.notOk(told.slice(before).some(({ reachable }) => reachable === true));
  await clock.pass(61_000);
  t.match(await until(meter.perform('battery', patient())), { percent: 100 });
  t.match(shared.reachability('roof'), { state: 'online', reachable: true });
  t.match(told.at(-1), { state: 'online' });
});
