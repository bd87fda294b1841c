/** A client that asks and never reads. The meter lives, holds a limited amount for it, and serves the next one. */
import t from 'tap';
import { Bytes } from './clients/bytes.ts';
import { askOnce } from './clients/reconnecting.ts';
import { openMeter, PROFILES } from './meters.ts';

for (const name of PROFILES) {
  t.test(`a stream that nobody reads: ${name}`, async (t) => {
    const { clock, meter, profile } = await openMeter(t, name, { keepEvents: 1_000 });
    const deaf = await Bytes.open(meter.tcpPort);
    deaf.stopReading();
    deaf.write('DRD?\r\n');
    await clock.advance(10 * 60_000);
    t.equal(meter.read('Measure'), 'Stop', 'the meter lives');
    deaf.close();
    await clock.advance(profile.slot_free_delay_ms + 1_000);
    t.match(await clock.until(askOnce(meter.tcpPort, 'Type?')), ['R+0000', 'NL-43']);
  });
}
