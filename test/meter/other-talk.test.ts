/** Meters of families that talk otherwise than an NL-43: no rest between commands, settings that are not answered. */
import t from 'tap';
import { Nl43ReplyReader } from '../../lib/drivers/nl43/conversation.ts';
import { ask, createBench, data, patient, set } from './support/bench.ts';

t.test('a meter that needs no rest gets its next command at once', async (t) => {
  const { clock, device, meter } = createBench(t, {}, { restMs: 0 });
  device.always('DOD?', 10, data('43.7'));
  await clock.until(meter.run(ask('DOD'), patient()));
  const from = clock.elapsed();
  for (let i = 0; i < 5; i++) await clock.until(meter.run(ask('DOD'), patient()));
  t.ok(clock.elapsed() - from < 500, `five commands took ${clock.elapsed() - from} ms`);
});

t.test('a setting that is not answered is done when it was sent, and a question confirms it', async (t) => {
  const { clock, device, meter } = createBench(
    t,
    {},
    {
      readReply: (command) => (command.kind === 'setting' ? { kind: 'done', data: '' } : new Nl43ReplyReader(command)),
    },
  );
  device.expect('Range,High').expect('Range?', data('High'));
  const confirmed = meter.reserve(
    'set range',
    async (reservation) => {
      await reservation.send(set('Range,High'));
      return reservation.send(ask('Range'));
    },
    patient(),
  );
  t.equal(await clock.until(confirmed), 'High');
  t.equal(device.connects, 1);
  device.verify(t);
});
