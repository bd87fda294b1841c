import t from 'tap';
import { isGatewayError } from '../../lib/errors.ts';
import { ask, createBench, data, OK, outcome, patient, set } from './support/bench.ts';

const detailOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (error) {
    if (isGatewayError(error)) return error.message;
    throw error;
  }
  return 'no error';
};

const PROMPTS: readonly [string, ...(string | number)[]][] = [
  ['no prompt at all', 'R+0000\r\n43.7\r\n'],
  ['the prompt behind the reply', 'R+0000\r\n43.7\r\n$'],
  ['a prompt in front of it', '$R+0000\r\n43.7\r\n'],
  ['a prompt and a space in front of it', '$ R+0000\r\n43.7\r\n$ '],
  ['several prompts', '$$ $R+0000\r\n43.7\r\n$'],
  ['a prompt on a line of its own', '$\r\nR+0000\r\n43.7\r\n$'],
  ['a reply in single bytes', ...[...'$R+0000\r\n43.7\r\n$'].flatMap((byte) => [byte, 1])],
  ['a data line that takes three seconds', 'R+0000\r\n', 3_000, '43.7\r\n$'],
  ['the echo of the command', 'DOD?\r\nR+0000\r\n43.7\r\n$'],
  ['the echo in other letters behind a prompt', '$dod?\r\nR+0000\r\n43.7\r\n$'],
];

for (const [what, ...acts] of PROMPTS) {
  t.test(`a reply is read with ${what}, twice over one connection`, async (t) => {
    const { clock, device, meter } = createBench(t);
    device.expect('DOD?', ...acts).expect('DOD?', ...acts);
    t.equal(await clock.until(meter.run(ask('DOD'), patient())), '43.7');
    t.equal(await clock.until(meter.run(ask('DOD'), patient())), '43.7');
    t.equal(device.connects, 1);
    device.verify(t);
  });
}

t.test('a prompt that the meter shows on connecting does no harm', async (t) => {
  const { clock, device, meter, network } = createBench(t);
  device.hangUp();
  network.listen({ host: 'meter.test', port: 2255 }, (connection) => {
    connection.send(Buffer.from('$'));
    connection.receive(() => connection.send(Buffer.from('R+0000\r\n43.7\r\n$')));
  });
  t.equal(await clock.until(meter.run(ask('DOD'), patient())), '43.7');
});

t.test('a setting is done with its result line alone', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('Measure,Start', OK);
  t.equal(await clock.until(meter.run(set('Measure,Start'), patient())), undefined);
  device.verify(t);
});

const REFUSALS = [
  ['R+0001', 'DEVICE_REFUSED_COMMAND', 502],
  ['R+0002', 'DEVICE_REFUSED_PARAMETER', 422],
  ['R+0003', 'DEVICE_REFUSED_COMMAND', 502],
  ['R+0004', 'DEVICE_WRONG_STATE', 409],
] as const;

for (const [result, code, status] of REFUSALS) {
  t.test(`${result} is ${code}, names the operation, and the connection stays`, async (t) => {
    const { clock, device, meter } = createBench(t);
    device.expect('Measure,Stop', `${result}\r\n$`).expect('DOD?', data('43.7'));
    const refusal = meter.run(set('Measure,Stop'), patient());
    await t.rejects(clock.until(refusal), { code, status, message: /"Measure,Stop".*R\+000/ });
    t.equal(await clock.until(meter.run(ask('DOD'), patient())), '43.7');
    t.equal(device.connects, 1);
    t.equal(meter.reachability.reachable, true, 'a refusal is an answer');
    device.verify(t);
  });
}

t.test('a refusal for the state says in which state the meter was last seen', async (t) => {
  const { clock, device, meter } = createBench(t);
  const measuring = { ...ask('Measure'), tells: () => ({ measuring: true, paused: false }) };
  device.expect('Measure?', data('Start')).expect('Store Mode,Auto', 'R+0004\r\n$');
  await clock.until(meter.run(measuring, patient()));
  t.match(await clock.until(detailOf(meter.run(set('Store Mode,Auto'), patient()))), /R\+0004, last seen measuring/);
});

const GARBAGE: readonly [string, string][] = [
  ['a first line that is no result', 'R+00 43.7,  -.-\r\n'],
  ['the echo of the command twice', 'DOD?\r\nDOD?\r\nR+0000\r\n43.7\r\n$'],
  ['a result that does not exist', 'R+0009\r\n$'],
  ['a data line that is too long', `R+0000\r\n${'9'.repeat(5_000)}\r\n$`],
  ['a first line without an end', '9'.repeat(5_000)],
];

for (const [what, reply] of GARBAGE) {
  t.test(`${what} is DEVICE_GARBLED, and the next command goes over a new connection`, async (t) => {
    const { clock, device, meter } = createBench(t);
    device.expect('DOD?', reply).expect('Clock?', data('now'));
    t.equal(await clock.until(outcome(meter.run(ask('DOD'), patient()))), 'DEVICE_GARBLED');
    t.equal(await clock.until(meter.run(ask('Clock'), patient())), 'now');
    t.equal(device.connects, 2);
    t.ok(device.shortestRest >= 1_000, `rested ${device.shortestRest} ms`);
    t.equal(meter.report().counters.garbled, 1);
    device.verify(t);
  });
}

t.test('a text that is no reply is kept for the report, and no text for callers quotes it', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('DOD?', 'SSH-2.0-OpenSSH_9.9\r\n');
  t.match(await clock.until(detailOf(meter.run(ask('DOD'), patient()))), /"DOD\?" with something that is not a reply/);
  t.notMatch(JSON.stringify([meter.reachability, meter.report().lastEnding]), /SSH/);
  t.match(meter.report().strangeLine, { raw: 'SSH-2.0-OpenSSH_9.9', at: Number });
});

t.test('a silent meter is DEVICE_TIMEOUT that names address, command, stage and time', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('DOD?');
  const detail = detailOf(meter.run(ask('DOD'), patient()));
  await clock.advance(4_999);
  t.equal(meter.report().state, 'exchanging');
  t.match(await clock.until(detail), /meter\.test:2255.*first byte.*"DOD\?".*within 5 s/);
  t.equal(meter.report().counters.timeouts, 1);
});

t.test('a reply that stops after its result line names the data line as the missing part', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('DOD?', 'R+0000\r\n');
  t.match(await clock.until(detailOf(meter.run(ask('DOD'), patient()))), /no data line to "DOD\?" within 8 s/);
});

t.test('a setting without an answer says that its outcome is not known', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('Measure,Start');
  t.match(await clock.until(detailOf(meter.run(set('Measure,Start'), patient()))), /not known; it is not sent again/);
  await clock.advance(60_000);
  t.same(device.commands, ['Measure,Start']);
});

t.test('a reply that comes after its timeout reaches nobody', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('DOD?', 5_500, data('late')).expect('Clock?', 600, data('now'));
  const late = outcome(meter.run(ask('DOD'), patient()));
  const next = outcome(meter.run(ask('Clock'), patient()));
  t.equal(await clock.until(late), 'DEVICE_TIMEOUT');
  t.equal(await clock.until(next), 'now');
  t.equal(device.connects, 2);
  t.ok(device.shortestRest >= 1_000);
  device.verify(t);
});

t.test('a line that nobody asked for costs the connection, and the next caller gets its own answer', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('DOD?', data('43.7')).expect('Clock?', data('now'));
  await clock.until(meter.run(ask('DOD'), patient()));
  device.say('R+0000\r\n');
  await clock.advance(0);
  t.equal(meter.report().state, 'idle', 'dropped at once');
  t.match(meter.report().lastEnding, { by: 'us', reason: 'a line came that nobody asked for' });
  t.match(meter.report().strangeLine, { raw: '$R+0000' });
  t.equal(await clock.until(meter.run(ask('Clock'), patient())), 'now');
  t.equal(device.connects, 2);
});

const TWO = 'R+0000\r\n43.7\r\nR+0000\r\n44.8\r\n$';

t.test('two replies to one request: neither is believed, and it is asked again on a new connection', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('DOD?', TWO).expect('DOD?', data('45.9')).expect('Clock?', data('now'));
  t.equal(await clock.until(meter.run(ask('DOD'), patient())), '45.9');
  t.equal(await clock.until(meter.run(ask('Clock'), patient())), 'now');
  t.equal(device.connects, 2);
  t.ok(device.shortestRest >= 1_000);
  device.verify(t);
});

t.test('two replies each time are an error; a setting with two is not sent again', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.always('DOD?', TWO).expect('Measure,Start', 'R+0000\r\nR+0004\r\n$');
  t.equal(await clock.until(outcome(meter.run(ask('DOD'), patient()))), 'DEVICE_GARBLED');
  t.ok(device.commands.length <= 3, 'asked again at most twice');
  t.equal(await clock.until(outcome(meter.run(set('Measure,Start'), patient()))), 'OUTCOME_UNKNOWN');
  t.equal(device.commands.filter((text) => text === 'Measure,Start').length, 1);
});

t.test(
  'a late copy of the last reply that lies in the socket when the next command is due is not its answer',
  async (t) => {
    const { clock, device, meter } = createBench(t);
    device.expect('DOD?', data('43.7')).expect('Leq?', data('50.1'));
    await clock.until(meter.run(ask('DOD'), patient()));
    clock.after(1_000 - (clock.elapsed() - device.spokeAt), () => device.say(data('43.7')));
    t.equal(await clock.until(meter.run(ask('Leq'), patient())), '50.1');
    t.equal(device.connects, 2);
    device.verify(t);
  },
);

t.test('a late copy at the next command comes too fast, so it is found; the command is asked again', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.always('DOD?', 200, data('43.7'));
  for (let i = 0; i < 5; i++) await clock.until(meter.run(ask('DOD'), patient()));
  device.expect('Leq?', 20, data('43.7'), 180, data('50.1')).expect('Leq?', 200, data('50.1'));
  t.equal(await clock.until(meter.run(ask('Leq'), patient())), '50.1');
  t.equal(device.connects, 2);
  device.expect('Lmax?', 20, data('61.0'));
  const from = clock.elapsed();
  t.equal(await clock.until(meter.run(ask('Lmax'), patient())), '61.0', 'a quick reply alone is believed');
  t.ok(clock.elapsed() - from < 2_000);
  device.verify(t);
});

t.test(
  'a reply is doubted if it begins in less than half the time of the quickest earlier reply, and no other',
  async (t) => {
    const { clock, device, meter } = createBench(t);
    device.always('DOD?', 200, data('43.7'));
    for (let i = 0; i < 5; i++) await clock.until(meter.run(ask('DOD'), patient()));
    device.expect('Leq?', 90, data('43.7'), 110, data('50.1')).expect('Leq?', 200, data('50.1'));
    t.equal(await clock.until(meter.run(ask('Leq'), patient())), '50.1', 'after 90 of 200 ms it may be a late copy');
    for (let i = 0; i < 5; i++) await clock.until(meter.run(ask('DOD'), patient()));
    device.expect('Lmax?', 100, data('61.0'));
    await clock.advance(1_000);
    const from = clock.elapsed();
    t.equal(await clock.until(meter.run(ask('Lmax'), patient())), '61.0');
    t.ok(clock.elapsed() - from <= 110, `believed after ${clock.elapsed() - from} ms`);
    device.verify(t);
  },
);

t.test('half a line that nobody asked for is not put in front of the next answer', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('DOD?', data('43.7')).expect('Clock?', data('now'));
  await clock.until(meter.run(ask('DOD'), patient()));
  device.say('R+00');
  t.equal(await clock.until(meter.run(ask('Clock'), patient())), 'now');
  t.equal(device.connects, 2);
  t.ok(device.shortestRest >= 1_000);
});

for (const text of ['DOD?\r\nMeasure,Stop', 'DOD?\x1a', 'DOD\0?', 'Clock,２０２５', '']) {
  t.test(`${JSON.stringify(text)} is refused before a byte has left`, async (t) => {
    const { clock, device, meter } = createBench(t);
    const evil = { ...ask('DOD'), text };
    await t.rejects(clock.until(meter.run(evil, patient())), /This text is not sent/);
    await t.rejects(clock.until(meter.reserve('x', (line) => line.peek(evil), patient())), /This text is not sent/);
    t.same(device.commands, []);
    t.equal(device.connects, 0);
  });
}
