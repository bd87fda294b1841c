/** Order of callers, and names of errors that come from waiting. */
import t from 'tap';
import type { CommandReservation } from '../../lib/meter/parts.ts';
import { ask, createBench, data, OK, outcome, patient, set } from './support/bench.ts';
import { FLOW } from './support/flow.ts';
import { SUB } from './support/scripted-meter.ts';
import { Viewer } from './support/viewer.ts';

/** Reads five values as far as nobody more urgent waits. */
const politely = (names: readonly string[]) => async (reservation: CommandReservation) => {
  for (const name of names) {
    if (reservation.shouldYield) return;
    await reservation.send(ask(name));
  }
};
const NAMES = ['A', 'B', 'C', 'D', 'E'];

t.test(
  'a background reservation gives way to a viewer between its commands: frames come within two gaps',
  async (t) => {
    const { clock, device, meter } = createBench(t);
    for (const name of NAMES) device.always(`${name}?`, 100, data('1'));
    device.always('DRD?', ...FLOW).always(SUB, '$');
    const reading = meter.reserve('read', politely(NAMES), patient({ priority: 'background' }));
    await clock.advance(1_150);
    const viewer = new Viewer();
    meter.feed.watch(viewer);
    await clock.advance(1_250);
    t.ok(viewer.counters.length > 0);
    t.same(device.commands, ['A?', 'B?', 'DRD?']);
    await clock.until(reading);
  },
);

t.test('what waits in the background when a viewer comes goes on after its first frame', async (t) => {
  const { clock, device, meter } = createBench(t, {}, { stateQuestions: { serialNumber: ask('Serial') } });
  for (const name of [...NAMES, 'Serial']) device.always(`${name}?`, 100, data('1'));
  device.always('DRD?', ...FLOW).always(SUB, '$');
  const waiting = ['A', 'B'].map((name) => meter.run(ask(name), patient({ priority: 'background' })));
  await clock.advance(50);
  const viewer = new Viewer();
  meter.feed.watch(viewer);
  await clock.advance(1_250);
  t.same(device.commands.slice(0, 2), ['A?', 'DRD?']);
  t.ok(viewer.counters.length > 0);
  t.same(await clock.until(Promise.all(waiting)), ['1', '1'], 'and nobody is forgotten');
  const operator = meter.run(ask('A'), patient());
  await clock.until(operator);
  t.same(device.commands.at(-1), 'A?');
});

t.test('a setting goes before a viewer that has seen nothing yet, a read goes after it', async (t) => {
  const { clock, device, meter } = createBench(t);
  for (const name of NAMES) device.always(`${name}?`, 100, data('1'));
  device.always('DRD?', ...FLOW).always(SUB, '$');
  const running = meter.run(ask('A'), patient({ priority: 'background' }));
  await clock.advance(50);
  meter.feed.watch(new Viewer());
  device.always('Set', OK);
  const operator = meter.run(ask('B'), patient());
  const setting = meter.run(set('Set'), patient());
  await clock.until(Promise.all([running, setting]));
  t.same(device.commands, ['A?', 'Set']);
  await clock.until(operator);
  t.same(device.commands, ['A?', 'Set', 'DRD?', SUB, 'B?']);
});

t.test('it gives way to an operator too; an operator gives way to nobody', async (t) => {
  const { clock, device, meter } = createBench(t);
  for (const name of [...NAMES, 'Clock', 'Serial']) device.always(`${name}?`, data('1'));
  device.always('DRD?', ...FLOW).always(SUB, '$');
  const reading = meter.reserve('read', politely(NAMES), patient({ priority: 'background' }));
  await clock.advance(500);
  const asked = meter.run(ask('Clock'), patient());
  await clock.until(Promise.all([reading, asked]));
  t.same(device.commands, ['A?', 'B?', 'Clock?'], 'B? was waiting for its gap already');
  const mine = meter.reserve('mine', politely(NAMES), patient());
  await clock.advance(500);
  meter.feed.watch(new Viewer());
  const other = meter.run(ask('Serial'), patient());
  await clock.until(Promise.all([mine, other]));
  t.same(device.commands.slice(3, 11), ['A?', 'B?', 'C?', 'D?', 'E?', 'DRD?', SUB, 'Serial?']);
});

t.test('a background reading that only waited is QUEUE_TIMEOUT, and the meter has no error', async (t) => {
  const { clock, device, meter } = createBench(t);
  for (const name of NAMES) device.always(`${name}?`, 900, data('1'));
  const busy = NAMES.map((name) => meter.run(ask(name), patient()));
  const reading = meter.reserve('read', politely(NAMES), patient({ priority: 'background', deadlineMs: 10_500 }));
  t.equal(await clock.until(outcome(reading)), 'QUEUE_TIMEOUT', 'it began, and had no time left');
  t.ok(device.commands.length > 5);
  t.equal(meter.reachability.lastError, null);
  await clock.until(Promise.all(busy));
});

t.test('an error of the meter is over with its next answer, and says since when', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('A?').expect('B?', data('1')).expect('C?', data('1'));
  await clock.until(outcome(meter.run(ask('A'), patient())));
  t.match(meter.reachability.lastError, { code: 'DEVICE_TIMEOUT', resolvedAt: null });
  await clock.until(meter.run(ask('B'), patient()));
  const at = clock.now();
  t.match(meter.reachability.lastError, { code: 'DEVICE_TIMEOUT', resolvedAt: at });
  await clock.until(meter.run(ask('C'), patient()));
  t.equal(meter.reachability.lastError?.resolvedAt, at);
});
