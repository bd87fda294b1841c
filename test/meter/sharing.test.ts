import t from 'tap';
import { GatewayError } from '../../lib/errors.ts';
import type { CommandReservation } from '../../lib/meter/parts.ts';
import { ask, type Bench, createBench, data, OK, outcome, patient, STREAM, set, UNIT } from './support/bench.ts';
import { RESET, SUB } from './support/scripted-meter.ts';

/** What FTP keeps. */
function gapOf(fleet: Bench['fleet']) {
  const gap = fleet.commandGap(UNIT);
  if (!gap) throw new Error('there is no such unit');
  return gap;
}

const immediate = () => new Promise((resolve) => setImmediate(resolve));

t.test('a command to an idle meter is sent without waiting for any timer', async (t) => {
  const { device, meter } = createBench(t);
  device.expect('DOD?', data('43.7'));
  t.equal(await meter.run(ask('DOD'), patient()), '43.7');
});

t.test('a prompt that comes late counts: the rest begins with the last byte', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('DOD?', 'R+0000\r\n43.7\r\n', 400, '$').expect('Clock?', data('now'));
  await clock.until(meter.run(ask('DOD'), patient()));
  await clock.until(meter.run(ask('Clock'), patient()));
  t.ok(device.shortestRest >= 1_000, `rested ${device.shortestRest} ms`);
});

t.test('the meter rests also after a failed command and across the reconnect', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('Measure,Start', 700, RESET).expect('DOD?', data('43.7'));
  const failed = outcome(meter.run(set('Measure,Start'), patient()));
  const next = meter.run(ask('DOD'), patient());
  t.equal(await clock.until(failed), 'OUTCOME_UNKNOWN');
  const failedAt = clock.elapsed();
  await clock.until(next);
  t.ok((device.heard[1]?.at ?? 0) - failedAt >= 960);
  t.equal(device.connects, 2);
});

t.test('an operator that comes during the rest goes before a background read that waited', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('Type?', data('NL-43')).expect('Clock?', data('now')).expect('DOD?', data('43.7'));
  await clock.until(meter.run(ask('Type'), patient()));
  const poll = meter.run(ask('DOD'), patient({ priority: 'background' }));
  await clock.advance(500);
  const asked = meter.run(ask('Clock'), patient());
  t.same(await clock.until(Promise.all([poll, asked])), ['43.7', 'now']);
  device.verify(t);
});

t.test(
  'a caller that leaves after its command was sent: the command is finished, the next gets its own answer',
  async (t) => {
    const { clock, device, meter } = createBench(t);
    device.expect('DOD?', 500, data('43.7')).expect('Clock?', data('now'));
    const leaver = new AbortController();
    const left = outcome(meter.run(ask('DOD'), patient({ signal: leaver.signal })));
    await clock.advance(100);
    leaver.abort(new Error('hung up'));
    t.equal(await clock.until(meter.run(ask('Clock'), patient())), 'now');
    t.equal(await left, '43.7');
    t.equal(device.connects, 1);
  },
);

t.test('a caller whose deadline is over before its turn gets QUEUE_TIMEOUT, and nothing is sent', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('DOD?', 4_000, data('43.7'));
  const first = meter.run(ask('DOD'), patient());
  const second = outcome(meter.run(ask('Clock'), patient({ deadlineMs: 1_000 })));
  t.equal(await clock.until(second), 'QUEUE_TIMEOUT');
  t.ok(clock.elapsed() < 1_100);
  await clock.until(first);
  await clock.advance(10_000);
  device.verify(t);
});

t.test('nobody comes between the commands of a reservation, and each of them waits for the gap', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('Sleep Mode,Off', OK).expect('Measure,Start', OK).expect('DOD?', data('43.7'));
  const start = meter.reserve(
    'start',
    async (line) => {
      await line.send(set('Sleep Mode,Off'));
      await line.send(set('Measure,Start'));
      return 'started';
    },
    patient(),
  );
  const read = meter.run(ask('DOD'), patient());
  t.same(await clock.until(Promise.all([start, read])), ['started', '43.7']);
  t.ok(device.shortestRest >= 1_000);
  device.verify(t);
});

t.test('a reservation that asks for several at once gets them one by one', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('A?', 10, data('a')).expect('B?', 10, data('b')).expect('C?', 10, data('c'));
  const work = (line: CommandReservation) => Promise.all(['A', 'B', 'C'].map((name) => line.send(ask(name))));
  t.same(await clock.until(meter.reserve('all', work, patient())), ['a', 'b', 'c']);
  t.ok(device.shortestRest >= 1_000);
  device.verify(t);
});

t.test('reservations with an equal join share one run', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('Type?', data('NL-43')).expect('DOD?', data('43.7'));
  const busy = meter.run(ask('Type'), patient());
  const live = () => meter.reserve('live', (line) => line.send(ask('DOD')), patient(), { join: 'live' });
  t.same(await clock.until(Promise.all([live(), live(), live()])), ['43.7', '43.7', '43.7']);
  await busy;
  device.verify(t);
});

t.test(
  'when the meter cannot be reached all commands of one reservation fail at once with the same words',
  async (t) => {
    const { clock, meter, network } = createBench(t);
    network.hang({ host: 'meter.test', port: 2255 });
    const texts = async (line: CommandReservation) => {
      const names = ['A', 'B', 'C', 'D', 'E'];
      const settled = await Promise.allSettled(names.map((name) => line.send(ask(name))));
      return settled.map((each) => (each.status === 'rejected' ? each.reason.message : ''));
    };
    const all = await clock.until(meter.reserve('settings', texts, patient()));
    t.equal(new Set(all).size, 1);
    t.match(all[0], /No connection/);
    t.ok(clock.elapsed() < 5_200);
  },
);

t.test('work that throws frees the meter, at any time and with any error', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('DOD?', data('43.7'));
  const sync = meter.reserve(
    'sync',
    () => {
      throw new Error('boom');
    },
    patient(),
  );
  const later = meter.reserve('later', () => Promise.reject('a word'), patient()).catch((reason) => reason);
  const read = meter.run(ask('DOD'), patient());
  await t.rejects(clock.until(sync), { message: 'boom' });
  t.equal(await later, 'a word');
  t.equal(await clock.until(read), '43.7');
});

t.test('a reservation that is forgotten ends, and sends nothing afterwards', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('DOD?', data('43.7'));
  let kept: CommandReservation | undefined;
  const forgetful = meter.reserve(
    'forgetful',
    (line) => {
      kept = line;
      return new Promise(() => {});
    },
    patient(),
  );
  const read = meter.run(ask('DOD'), patient());
  await t.rejects(clock.until(forgetful), { code: 'INTERNAL', message: /reserved the meter for 10 s/ });
  t.equal(await clock.until(read), '43.7');
  t.equal(await outcome(kept?.send(ask('Clock')) ?? Promise.resolve()), 'INTERNAL');
  device.verify(t);
});

t.test('a command that its reservation did not wait for is finished before the next command', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('A?', 2_000, data('a')).expect('B?', data('b'));
  let dangling: Promise<unknown> | undefined;
  const careless = meter.reserve(
    'careless',
    async (line) => {
      dangling = outcome(line.send(ask('A')));
    },
    patient(),
  );
  const next = meter.run(ask('B'), patient());
  await clock.until(careless);
  t.equal(await clock.until(next), 'b');
  t.equal(await dangling, 'a');
  t.ok(device.shortestRest >= 1_000);
  await clock.advance(60_000);
  t.equal(clock.pending, 0);
});

t.test('an observation that throws costs no answer', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('DOD?', data('43.7'));
  const careless = {
    ...ask('DOD'),
    tells: () => {
      throw new Error('boom');
    },
  };
  t.equal(await clock.until(meter.run(careless, patient())), '43.7');
});

t.test(
  'one frame of a stream is read, the stream ended and drained, and the next command gets its own answer',
  async (t) => {
    const { clock, device, meter } = createBench(t);
    device
      .expect('DRD?status', 'R+0000\r\n', 100, '1,frame\r\n2,fr')
      .expect(SUB, 'ame\r\n3,frame\r\n$')
      .expect('DOD?', data('43.7'));
    const peek = meter.reserve('status', (line) => line.peek({ ...STREAM, text: 'DRD?status' }), patient());
    t.equal((await clock.until(peek)).counter, 1);
    t.equal(await clock.until(meter.run(ask('DOD'), patient())), '43.7');
    t.equal(device.connects, 1);
    t.ok(device.shortestRest >= 1_000);
    device.verify(t);
  },
);

t.test('a frame that cannot be read is DEVICE_GARBLED, and the stream is ended first', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('DRD?status', 'R+0000\r\nrubbish\r\n').expect(SUB, '$');
  const peek = meter.reserve('status', (line) => line.peek({ ...STREAM, text: 'DRD?status' }), patient());
  t.equal(await clock.until(outcome(peek)), 'DEVICE_GARBLED');
  t.match(meter.report().unreadable, [{ command: 'DRD?status', raw: 'rubbish', times: 1 }]);
  device.verify(t);
});

t.test('a stream that the meter refuses is an answer, and the connection stays', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('DRD?status', 'R+0003\r\n$').expect('DOD?', data('43.7'));
  const peek = meter.reserve('status', (line) => line.peek({ ...STREAM, text: 'DRD?status' }), patient());
  t.equal(await clock.until(outcome(peek)), 'DEVICE_REFUSED_COMMAND');
  t.equal(await clock.until(meter.run(ask('DOD'), patient())), '43.7');
  t.equal(device.connects, 1);
});

t.test('FTP gets its turn when the meter has rested, and the next command rests after it', async (t) => {
  const { clock, device, fleet, meter } = createBench(t);
  device.expect('DOD?', data('43.7')).expect('Clock?', data('now'));
  await clock.until(meter.run(ask('DOD'), patient()));
  const repliedAt = device.spokeAt;
  const ftp = gapOf(fleet);
  await clock.until(ftp.wait({ signal: new AbortController().signal }));
  const begun = clock.elapsed();
  t.ok(begun - repliedAt >= 1_000);
  await clock.advance(5_000);
  ftp.restart();
  const ended = clock.elapsed();
  await clock.until(meter.run(ask('Clock'), patient()));
  t.ok((device.heard[1]?.at ?? 0) - ended >= 1_000);
});

t.test('FTP does not need the control port', async (t) => {
  const { clock, device, fleet } = createBench(t);
  device.hangUp();
  const ftp = gapOf(fleet);
  await clock.until(ftp.wait({ signal: new AbortController().signal }));
  await t.rejects(ftp.wait({ signal: AbortSignal.abort(new Error('left')) }), { message: 'left' });
});

t.test('the report has the running job, the waiting jobs, and the costs of the meter', async (t) => {
  const { clock, device, meter } = createBench(t);
  t.match(meter.report(), { state: 'idle', reservation: null, waiting: [], connectedSince: null });
  device.expect('DOD?', 100, data('43.7')).expect('Clock?', data('now'));
  const all = [meter.run(ask('DOD'), patient()), meter.run(ask('Clock'), patient({ priority: 'background' }))];
  await immediate();
  t.match(meter.report(), {
    state: 'exchanging',
    reservation: { label: 'DOD?', callers: 1 },
    waiting: [{ label: 'Clock?', priority: 'background', callers: 1 }],
    connectedSince: clock.now(),
  });
  await clock.until(Promise.all(all));
  t.match(meter.report(), { state: 'ready', reservation: null, waiting: [] });
  t.match(meter.report().counters, { commands: 2, bytesSent: 14, bytesReceived: 29 });
});

t.test('a fault in foreign code is passed on as it is', async (t) => {
  const { clock, meter } = createBench(t);
  const mine = new GatewayError('INVALID', 'mine');
  await t.rejects(clock.until(meter.reserve('x', () => Promise.reject(mine), patient())), mine);
});
