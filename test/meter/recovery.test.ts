/** A line that fails: how often it is tried, who tries it, the errors of the others, and its recovery. */
import t from 'tap';
import { ask, createBench, data, OK, outcome, patient, set } from './support/bench.ts';
import { ADDRESS, CLOSE, RESET, ScriptedMeter } from './support/scripted-meter.ts';

/** For what takes minutes. */
const COARSE = { stepMs: 1_000 };
const background = (deadlineMs = 600_000) => patient({ priority: 'background', deadlineMs });

/** Counts dials to an address that refuses. */
function dials(bench: ReturnType<typeof createBench>): () => number {
  return () => bench.meter.report().counters.connectFailures;
}

t.test(
  'when an operator asks again and again, a port that refuses is dialled every 2 s for a minute, then every 5 s',
  async (t) => {
    const bench = createBench(t);
    const { clock, device, meter } = bench;
    device.hangUp();
    const at: number[] = [];
    for (let i = 0; i < 36; i++) {
      t.equal(await clock.until(outcome(meter.run(ask('DOD'), patient()))), 'DEVICE_UNREACHABLE');
      at.push(Math.round(clock.elapsed() / 100) / 10);
    }
    const pauses = at.slice(1).map((time, index) => Math.round(time - (at[index] ?? 0)));
    t.same(pauses.slice(0, 5), [1, 2, 2, 2, 2]);
    t.same(pauses.slice(-4), [5, 5, 5, 5]);
    t.equal(dials(bench)(), 36);
  },
);

t.test('for background reads the port is dialled less and less often, up to once a minute', async (t) => {
  const bench = createBench(t);
  const { clock, device, meter } = bench;
  device.hangUp();
  for (let i = 0; i < 8; i++) await clock.until(outcome(meter.run(ask('DOD'), background())), COARSE);
  const before = dials(bench)();
  const from = clock.elapsed();
  for (let i = 0; i < 10; i++) await clock.until(outcome(meter.run(ask('DOD'), background())), COARSE);
  t.equal(dials(bench)() - before, 10);
  t.ok(clock.elapsed() - from >= 599_000, `ten tries took ${clock.elapsed() - from} ms`);
});

t.test('a background read that will not wait for the next try fails at once, with the last reason', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.hangUp();
  for (let i = 0; i < 8; i++) await clock.until(outcome(meter.run(ask('DOD'), background())), COARSE);
  const from = clock.elapsed();
  t.ok((meter.report().retryInMs ?? 0) > 30_000);
  const hasty = meter.run(ask('DOD'), background(30_000));
  await t.rejects(hasty, { code: 'DEVICE_UNREACHABLE', message: /tried again in \d+ s.*The last try: .*refused/ });
  t.equal(clock.elapsed(), from);
});

t.test('an operator does not wait for the pause of the background', async (t) => {
  const { clock, device, meter, network } = createBench(t);
  device.hangUp();
  for (let i = 0; i < 8; i++) await clock.until(outcome(meter.run(ask('DOD'), background())), COARSE);
  const poll = meter.run(ask('Clock'), background());
  await clock.advance(5_000);
  new ScriptedMeter(network, clock).always('DOD?', data('43.7')).always('Clock?', data('now'));
  const from = clock.elapsed();
  t.equal(await clock.until(meter.run(ask('DOD'), patient())), '43.7');
  t.ok(clock.elapsed() - from < 100, 'the last try is 5 s ago');
  t.equal(await clock.until(poll), 'now', 'and the line is open for the background too');
  t.ok(clock.elapsed() - from < 2_000);
});

t.test('while a meter says nothing, two tests of the line answer twenty callers', async (t) => {
  const { clock, device, meter } = createBench(t);
  for (let i = 0; i < 20; i++) device.always(`Name ${i}?`);
  const names = Array.from({ length: 20 }, (_, index) => ask(`Name ${index}`));
  const all = names.map((command) => outcome(meter.run(command, patient())));
  t.same(new Set(await clock.until(Promise.all(all))), new Set(['DEVICE_TIMEOUT']));
  t.ok(clock.elapsed() < 12_000, `took ${clock.elapsed()} ms`);
  t.equal(device.commands.length, 2, 'the others were not sent');
  const more = names.map((command) => meter.run(command, patient()));
  await t.rejects(clock.until(Promise.any(more)), {
    errors: [{ message: /gave no first byte/ }, { message: /does not answer.*not sent/ }],
  });
  t.equal(device.commands.length, 3, 'one more test');
});

t.test('one lost reply fails its own caller and nobody else', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('Type?').expect('DOD?', data('43.7'));
  const lost = outcome(meter.run(ask('Type'), patient()));
  const next = meter.run(ask('DOD'), patient());
  t.equal(await clock.until(lost), 'DEVICE_TIMEOUT');
  t.equal(await clock.until(next), '43.7');
  device.verify(t);
});

t.test(
  'a reservation of a meter that says nothing ends after two timeouts, however many commands it has',
  async (t) => {
    const { clock, device, meter } = createBench(t);
    for (const name of ['A', 'B', 'C', 'D', 'E']) device.always(`${name}?`);
    const reading = meter.reserve(
      'all',
      (line) => Promise.allSettled(['A', 'B', 'C', 'D', 'E'].map((name) => line.send(ask(name)))),
      patient(),
    );
    const settled = await clock.until(reading);
    t.same(new Set(settled.map(({ status }) => status)), new Set(['rejected']));
    t.same(device.commands, ['A?', 'B?']);
    t.ok(clock.elapsed() < 12_000);
  },
);

t.test('a caller is answered at its deadline whatever the meter does, and a running setting is finished', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('Measure,Start', 4_000, OK).expect('DOD?', data('43.7'));
  const start = meter.run(set('Measure,Start'), patient({ deadlineMs: 1_500 }));
  const read = meter.run(ask('DOD'), patient());
  await t.rejects(clock.until(start), {
    code: 'DEVICE_TIMEOUT',
    message: /within 1\.5 s\..*whether it took effect is not known/,
  });
  t.ok(clock.elapsed() < 1_600);
  t.equal(await clock.until(read), '43.7', 'on the same line');
  t.equal(device.connects, 1);
  device.verify(t);
});

t.test('a command that was not sent before its caller left is not sent', async (t) => {
  const { clock, device, meter, network } = createBench(t);
  const back = network.hang(ADDRESS);
  const start = outcome(meter.run(set('Measure,Start'), patient({ deadlineMs: 2_000 })));
  t.equal(await clock.until(start), 'DEVICE_TIMEOUT');
  back();
  await clock.advance(60_000);
  t.same(device.commands, []);
});

t.test('a setting whose line cannot be proved is not sent, and its error says so', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('DOD?', data('43.7'));
  await clock.until(meter.run(ask('DOD'), patient()));
  await clock.advance(60_000);
  device.always('Proof?');
  const start = meter.run(set('Measure,Start'), patient());
  await t.rejects(clock.until(start), { code: 'DEVICE_TIMEOUT', message: /"Measure,Start" was therefore not sent/ });
});

t.test('a meter that refuses the proof has answered', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('DOD?', data('43.7')).expect('Proof?', 'R+0001\r\n$').expect('Measure,Start', OK);
  await clock.until(meter.run(ask('DOD'), patient()));
  await clock.advance(60_000);
  t.equal(await clock.until(meter.run(set('Measure,Start'), patient())), undefined);
});

t.test('a request that gets no answer is sent again only on a connection that was quiet for long', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('DOD?', data('43.7')).expect('DOD?').expect('DOD?', data('44.0'));
  await clock.until(meter.run(ask('DOD'), patient()));
  await clock.advance(60_000);
  t.equal(await clock.until(meter.run(ask('DOD'), patient())), '44.0');
  t.match(meter.reachability, { state: 'online', consecutiveFailures: 0 });
  device.expect('DOD?');
  t.equal(await clock.until(outcome(meter.run(ask('DOD'), patient()))), 'DEVICE_TIMEOUT');
  device.verify(t);
});

t.test('the costs of one unit are counted over all its sessions', async (t) => {
  const { clock, device, configs, fleet, meter } = createBench(t);
  const since = clock.now();
  device.always('DOD?', data('43.7'));
  await clock.until(meter.run(ask('DOD'), patient()));
  configs.set({ tcpEnabled: false });
  configs.set({ tcpEnabled: true });
  await clock.advance(10_000);
  await clock.until(fleet.meter('roof').run(ask('DOD'), patient()));
  t.not(fleet.meter('roof'), meter, 'another session');
  t.match(fleet.meter('roof').report(), {
    counters: { connects: 2, commands: 2, bytesSent: 12, bytesReceived: 30 },
    countedSince: since,
  });
});

t.test('a session that fails in every way leaves no timer behind', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('A?', RESET).expect('B?', CLOSE).expect('C?').expect('D?', 'garbage\r\n');
  for (const name of ['A', 'B', 'C', 'D']) await clock.until(outcome(meter.run(ask(name), patient())));
  await clock.advance(5_000);
  t.equal(clock.pending, 0);
});
