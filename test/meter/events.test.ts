/** Events of a session: state, reachability, frames and commands, each once, in their order. */
import t from 'tap';
import * as nl43 from '../../lib/drivers/nl43/commands.ts';
import { ask, createBench, data, OK, outcome, patient } from './support/bench.ts';
import { FLOW } from './support/flow.ts';
import { SUB } from './support/scripted-meter.ts';
import { Viewer } from './support/viewer.ts';

t.test('a command is an event after its answer or failure, with its outcome and its time', async (t) => {
  const { clock, device, events, meter } = createBench(t);
  const seen: unknown[] = [];
  events.on('command', ({ unitId, data: { text, outcome: how, ms } }) => seen.push([unitId, text, how, ms]));
  device.expect('DOD?', 300, data('43.7')).expect('Measure,Stop', 'R+0004\r\n$').expect('Leq?', data('garbage'));
  for (const command of [ask('DOD'), nl43.stopMeasurement(), ask('Leq')]) {
    await clock.until(outcome(meter.run<unknown>(command, patient())));
  }
  device.expect('Clock?');
  await clock.until(outcome(meter.run(ask('Clock'), patient())));
  t.same(seen, [
    ['roof', 'DOD?', 'ok', 300],
    ['roof', 'Measure,Stop', 'DEVICE_WRONG_STATE', 0],
    ['roof', 'Leq?', 'DEVICE_GARBLED', 0],
    ['roof', 'Clock?', 'DEVICE_TIMEOUT', 5_000],
  ]);
});

t.test('a command that was never sent is no event', async (t) => {
  const { clock, device, events, meter } = createBench(t);
  const seen: unknown[] = [];
  events.on('command', (event) => seen.push(event));
  device.hangUp();
  t.equal(await clock.until(outcome(meter.run(ask('DOD'), patient()))), 'DEVICE_UNREACHABLE');
  t.same(seen, []);
});

t.test('the state is an event when it changes: started, weighted, and not known after trouble', async (t) => {
  const { clock, device, events, meter } = createBench(t);
  const seen: unknown[] = [];
  events.on('state', ({ data: { state } }) =>
    seen.push([state.measuring, state.frequencyWeighting, state.timeWeighting, state.channelWeightings]),
  );
  device.expect('Measure,Start', OK).expect('Measure?', data('Start'));
  device.expect('Frequency Weighting (Main)?', data('C')).expect('Time Weighting (Main),S', OK);
  device.expect('Frequency Weighting (Sub1)?', data('Z'));
  for (const command of [
    nl43.startMeasurement(),
    nl43.measureState(),
    nl43.frequencyWeighting('Main'),
    nl43.setTimeWeighting('Main', 'S'),
    nl43.frequencyWeighting('Sub1'),
  ]) {
    await clock.until(meter.run<unknown>(command, patient()));
  }
  const sub1 = { frequency: 'Z', time: null, source: 'read' };
  t.match(meter.deviceState, { frequencyWeighting: 'C', timeWeighting: 'S', channelWeightings: { sub1 } });
  device.line.destroy('trouble');
  await clock.advance(100);
  t.same(seen, [
    [true, null, null, undefined],
    [true, 'C', null, undefined],
    [true, 'C', 'S', undefined],
    [true, 'C', 'S', { sub1 }],
    [null, null, null, undefined],
  ]);
});

t.test('the serial number is no part of the state: when it is read, the state does not change', async (t) => {
  const { clock, device, events, meter } = createBench(t);
  const seen: unknown[] = [];
  events.on('state', (event) => seen.push(event));
  device.expect('Serial Number?', data('00144703'));
  await clock.until(meter.run(nl43.serialNumber(), patient()));
  t.equal(meter.identity.serialNumber, '00144703');
  t.notOk('serialNumber' in meter.deviceState);
  t.same(seen, []);
});

t.test('each frame is one event, for any number of viewers', async (t) => {
  const { clock, device, events, meter } = createBench(t);
  const counters: number[] = [];
  events.on('frame', ({ data: { frame } }) => counters.push(frame.counter));
  device.expect('DRD?', ...FLOW).always(SUB, '$');
  const viewers = [new Viewer(), new Viewer(), new Viewer()];
  for (const viewer of viewers) meter.feed.watch(viewer);
  await clock.advance(1_050);
  t.same(counters, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  t.same(viewers[2]?.counters, counters);
});
