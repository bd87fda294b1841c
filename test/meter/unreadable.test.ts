/** A reply that arrives whole and cannot be read: an error for its caller, and no reason to distrust the connection. */
import t from 'tap';
import * as nl43 from '../../lib/drivers/nl43/commands.ts';
import { CONVERSATION } from '../../lib/drivers/nl43/conversation.ts';
import { ask, createBench, data, outcome, patient } from './support/bench.ts';
import { type Act, RESET } from './support/scripted-meter.ts';

t.test('an unreadable value is DEVICE_GARBLED with the raw text; connection and meter stay online', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('SD Card Free Size?', data('29114.5 MB')).expect('Clock?', data('now'));
  const read = meter.run(nl43.sdFreeSize(), patient());
  await t.rejects(clock.until(read), { code: 'DEVICE_GARBLED', status: 502, message: /29114\.5 MB/ });
  t.match(meter.reachability, { reachable: true, state: 'online', lastError: null });
  t.match(meter.report(), {
    state: 'ready',
    counters: { garbled: 1 },
    unreadable: [{ command: 'SD Card Free Size?', raw: '29114.5 MB', at: clock.now(), times: 1 }],
  });
  t.equal(await clock.until(meter.run(ask('Clock'), patient())), 'now');
  t.equal(device.connects, 1);
  device.verify(t);
});

t.test('after three failures in a row background reads skip it for an hour; a success ends this', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.always('Battery Level?', data('29114.5 MB'));
  const read = () => clock.until(outcome(meter.perform('battery', patient())));
  t.ok(meter.isWorthAsking('battery'));
  for (const worth of [true, true, false]) {
    await read();
    t.equal(meter.isWorthAsking('battery'), worth);
  }
  t.ok(meter.isWorthAsking('clock'), 'another one is');
  await clock.advance(3_599_000);
  t.notOk(meter.isWorthAsking('battery'));
  await clock.advance(1_000);
  t.ok(meter.isWorthAsking('battery'));
  await read();
  t.notOk(meter.isWorthAsking('battery'));
  device.always('Battery Level?', data('Full'));
  t.match(await read(), { word: 'Full' }, 'a person may always ask');
  t.ok(meter.isWorthAsking('battery'));
  t.same(meter.report().unreadable, []);
});

t.test('the list of unreadable values has a limit', async (t) => {
  const { clock, device, meter } = createBench(t);
  for (let i = 0; i < 20; i++) {
    device.always(`Name ${i}?`, data('garbage')).always('Good?', data('43.7'));
    await clock.until(outcome(meter.run(ask(`Name ${i}`), patient())));
    await clock.until(meter.run(ask('Good'), patient()));
  }
  t.equal(meter.report().unreadable.length, 16);
  t.equal(meter.report().unreadable.at(-1)?.command, 'Name 19?');
  t.equal(device.connects, 1);
});

t.test(
  'three commands in a row that cannot be read: replies may be out of step, the connection is dropped',
  async (t) => {
    const { clock, device, meter } = createBench(t);
    for (const name of ['A', 'B', 'C']) device.expect(`${name}?`, data('garbage'));
    device.expect('Clock?', data('now'));
    for (const name of ['A', 'B', 'C']) {
      t.equal(await clock.until(outcome(meter.run(ask(name), patient()))), 'DEVICE_GARBLED');
    }
    t.match(meter.reachability, { state: 'degraded' });
    t.equal(await clock.until(meter.run(ask('Clock'), patient())), 'now');
    t.equal(device.connects, 2);
  },
);

t.test('the answer of another command is no strange value: the connection is dropped', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('Pause?', data('Stop')).expect('Clock?', data('2025/12/24 02:00:17'));
  t.equal(await clock.until(outcome(meter.run(nl43.pauseState(), patient()))), 'DEVICE_GARBLED');
  t.match(meter.reachability, { reachable: false, state: 'degraded' });
  await clock.until(meter.run(nl43.clock(), patient()));
  t.equal(device.connects, 2);
  t.match(meter.reachability, { state: 'online', lastError: { code: 'DEVICE_GARBLED', resolvedAt: clock.now() } });
});

const NONSENSE: Readonly<Record<string, readonly Act[]>> = {
  'a line that is no reply': ['nonsense\r\n'],
  'a result without its data': ['R+0000\r\n$'],
  'bytes without a line end': ['\x00\xff'],
  'nothing but prompts': ['$$$'],
  'half a reply, and the connection is reset': ['R+0000\r\n 43.', RESET],
};
for (const [what, acts] of Object.entries(NONSENSE))
  t.test(`a meter that answers nonsense for ever is never offline: ${what}`, async (t) => {
    const { clock, device, meter } = createBench(t);
    device.always('DOD?', ...acts);
    for (let i = 0; i < 6; i++) {
      await clock.until(outcome(meter.run(ask('DOD'), patient())));
      t.equal(meter.reachability.state, 'degraded');
    }
  });

t.test('lines that look like the answer to another command', async (t) => {
  const another: readonly [string, string][] = [
    ['Measure?', '45.8, 44.1'],
    ['Measure?', 'On'],
    ['Pause?', 'Stop'],
    ['Clock?', '0001'],
    ['Store Name?', 'Auto'],
    ['SD Card Free Size?', '2025/12/24 02:10:55'],
    ['DOD?', 'Start'],
    ['DOD?', Array(33).fill('1').join(',')],
    ['DOD?', 'R+0000'],
    ['Type?', 'R+0004'],
  ];
  for (const [text, line] of another) t.ok(CONVERSATION.answersAnother?.(text, line), `${text} ${line}`);
  const own: readonly [string, string][] = [
    ['SD Card Free Size?', '29114.5 MB'],
    ['SD Card Free Size?', '99999999'],
    ['Store Name?', '12345'],
    ['Clock?', '24.12.2025 2 a.m.'],
    ['System Version?', ''],
    ['DOD?', Array(96).fill(' 45.8').join(',')],
    ['DRD?status', Array(39).fill(' 45.8').join(',')],
    ['Unknown?', 'rubbish'],
  ];
  for (const [text, line] of own) t.notOk(CONVERSATION.answersAnother?.(text, line), `${text} ${line}`);
});

t.test(
  'a display line of an unknown number of fields gives no levels, says why, and the connection stays',
  async (t) => {
    const { clock, device, meter } = createBench(t);
    const fields = (count: number) => data(Array(count).fill(' 45.8').join(','));
    for (const count of [63, 65, 96]) {
      device.expect('DOD?', fields(count));
      await t.rejects(clock.until(meter.run(nl43.display(), patient())), {
        code: 'DEVICE_GARBLED',
        message: new RegExp(`${count} fields instead of 64`),
      });
    }
    t.equal(device.connects, 1);
    t.equal(meter.reachability.state, 'online');
  },
);
