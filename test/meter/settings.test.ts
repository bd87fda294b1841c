/** Settings as plugins read and write them: by name, alone or within a reservation. */
import t from 'tap';
import { createBench, data, OK, outcome, patient } from './support/bench.ts';

t.test('a setting of one command takes its turn; equal readings share one', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('Lp Store Interval?', 100, data('100ms')).expect('Lp Store Interval,1s', OK);
  const both = Promise.all([
    meter.readSetting('lp_interval', patient()),
    meter.readSetting('lp_interval', patient({ priority: 'background' })),
  ]);
  t.equal(meter.report().waiting[0]?.label, 'Lp Store Interval?');
  t.strictSame(await clock.until(both), ['100ms', '100ms']);
  t.equal(await clock.until(meter.writeSetting('lp_interval', '1s', patient())), '1s');
  device.verify(t);
});

t.test('a setting of several commands reserves the meter, with a reason; nobody comes between', async (t) => {
  const { clock, device, meter } = createBench(t);
  device
    .expect('Leq Calculation Interval Preset?', data('Manual'))
    .expect('Leq Calculation Interval (Num)?', data('10'))
    .expect('Leq Calculation Interval (Unit)?', data('m'));
  device.expect('Clock?', data('2026/11/21 06:00:07')).expect('Leq Calculation Interval Preset,Off', OK);
  const read = meter.readSetting('leq_interval', patient());
  const clockRead = meter.perform('clock', patient());
  const written = meter.writeSetting('leq_interval', 'Off', patient());
  const { reservation, waiting } = meter.report();
  t.equal(reservation?.label ?? waiting[0]?.label, 'read Leq interval');
  t.equal(waiting.at(-1)?.label, 'set Leq interval');
  t.equal(await clock.until(read), '10m');
  t.equal(await clock.until(clockRead), '2026/11/21 06:00:07');
  t.equal(await clock.until(written), 'Off');
  device.verify(t);
});

t.test('within a reservation settings are read and set in its turn', async (t) => {
  const { clock, device, meter } = createBench(t);
  device
    .expect('Lp Store Interval?', data('100ms'))
    .expect('Lp Store Interval,1s', OK)
    .expect('Lp Store Interval?', data('1s'));
  const work = meter.reserve(
    'profile',
    async (reservation) => [
      await reservation.readSetting('lp_interval'),
      await reservation.writeSetting('lp_interval', '1s'),
      await reservation.readSetting('lp_interval'),
    ],
    patient(),
  );
  t.strictSame(await clock.until(work), ['100ms', '1s', '1s']);
  device.verify(t);
});

t.test('a setting that the family does not have is refused before anything is sent', async (t) => {
  const { device, meter } = createBench(t);
  t.equal(await outcome(meter.readSetting('colour', patient())), 'NOT_SUPPORTED');
  t.equal(await outcome(meter.writeSetting('colour', 'red', patient())), 'NOT_SUPPORTED');
  t.equal(
    await outcome(meter.reserve('x', (reservation) => reservation.readSetting('colour'), patient())),
    'NOT_SUPPORTED',
  );
  t.equal(await outcome(meter.writeSetting('measurement_time', '9h9', patient())), 'INVALID');
  t.strictSame(device.commands, []);
});
