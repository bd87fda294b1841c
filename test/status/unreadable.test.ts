/** Readings of a meter that answers in a way that the gateway does not know: what can be read is kept fresh. */
import t, { type Test } from 'tap';
import { createLog } from '../../lib/log.ts';
import { readLive } from '../../lib/status/live.ts';
import { createStatus } from '../../lib/status/projection.ts';
import type { Snapshot } from '../../lib/store/contract.ts';
import { createBench, data, patient } from '../meter/support/bench.ts';

const MISSING = Array(13).fill('  -.-').join();
const DISPLAY = [` 45.8,${MISSING},0,0`, ...Array(3).fill(`  -.-,${MISSING},-,-`)].join();

async function setup(t: Test) {
  const { clock, device, meter, events } = createBench(t);
  const log = createLog('silent');
  let values = { levelsAt: null, batteryAt: null, cardAt: null, powerAt: null, unchangedSince: null } as Snapshot;
  const record = (_unit: string, given: Partial<Snapshot>) => {
    values = { ...values, ...given };
  };
  const status = createStatus({ events, snapshots: { get: () => values, record }, clock, log });
  const read = (priority: 'operator' | 'background') =>
    clock.until(
      readLive(
        { clock, log, status, configs: { get: () => undefined }, publish: events.publish.bind(events) },
        meter,
        patient({ priority }),
      ),
    );
  device.always('DOD?', data(DISPLAY)).always('Measure?', data('Stop')).always('Battery Level?', data('Full'));
  device.always('SD Card Free Size?', data('100')).always('SD Card Total Size?', data('200'));
  device.always('DRD?status', 'R+0003\r\n$').always('Serial Number?', data('00144703'));
  device.always('Frequency Weighting (Main)?', data('A')).always('Time Weighting (Main)?', data('F'));
  for (const slot of [1, 2, 3, 4, 5]) device.always(`Percentile ${slot}?`, data('10'));
  await read('background');
  /** Ten polls; how often each command was sent. */
  const poll = async () => {
    const from = device.commands.length;
    for (let minute = 0; minute < 10; minute++) {
      await clock.advance(61_000);
      await read('background');
    }
    return (text: string) => device.commands.slice(from).filter((each) => each === text).length;
  };
  return { device, meter, read, poll, status: () => status.of('roof') };
}

t.test('a state that cannot be read costs no levels, is reported, and is asked for rarely', async (t) => {
  const { device, meter, read, poll, status } = await setup(t);
  device.always('Measure?', data('Measuring')).always('DOD?', data(DISPLAY.replace('45.8', '51.2')));
  const times = await poll();
  t.equal(times('Measure?'), 3);
  t.equal(times('Battery Level?'), 10);
  t.match(status(), {
    values: { lp: '51.2', measurementState: 'Stop' },
    warnings: [/state cannot be read.*Measuring/],
  });
  await t.rejects(read('operator'), { code: 'DEVICE_GARBLED' }, 'a person is told');
  t.match(meter.report().unreadable, [{ command: 'Measure?', raw: 'Measuring', times: 4 }]);
  t.match(meter.reachability, { state: 'online', lastError: null });
  t.equal(device.connects, 1);
  device.always('Measure?', data('Start'));
  await read('operator');
  t.match(status(), { values: { measurementState: 'Measure' }, warnings: [] });
});

t.test('an answer that belongs to another command changes no value: the connection was out of step', async (t) => {
  const { device, read, status } = await setup(t);
  for (const command of ['DOD?', 'Measure?']) {
    device.expect('DOD?', data(command === 'DOD?' ? '2026/11/21 06:00:07' : DISPLAY));
    if (command === 'Measure?') device.expect('Measure?', data('2026/11/21 06:00:07'));
    await t.rejects(read('background'), { code: 'DEVICE_GARBLED' });
    t.match(status(), { values: { lp: '45.8', measurementState: 'Stop' }, warnings: [] });
  }
});
