/**
 * A client that asks for the display once a second on one connection: an hour on every profile, and a whole day where
 * `npm run test:profiles` runs one profile. Nothing drifts, nothing is missed, nothing piles up.
 */
import t from 'tap';
import { Bytes } from './clients/bytes.ts';
import { count, ONE_PROFILE, openMeter, PROFILES } from './meters.ts';

const SECONDS = ONE_PROFILE ? 86_400 : 3_600;
const LINE = /R\+0000\r\n((?:[ \d.-]{5},){14}[01],[01],[^\r\n]*)\r\n/;

for (const name of PROFILES) {
  t.test(`${SECONDS} seconds of one poll a second: ${name}`, { timeout: 600_000 }, async (t) => {
    const { clock, meter } = await openMeter(t, name, { keepEvents: 1_000 });
    meter.set('Measure', 'Start');
    const bytes = await Bytes.open(meter.tcpPort);
    await clock.advance(1_000);
    const pending = clock.pending;
    let missed = 0;
    for (let second = 0; second < SECONDS; second++) {
      bytes.text = '';
      bytes.write('DOD?\r\n');
      await clock.advance(1_000);
      if (!LINE.test(bytes.text)) missed += 1;
    }
    t.equal(missed, 0);
    t.ok(clock.pending <= pending + 2, `${clock.pending} timers, ${pending} at first`);
    t.ok(meter.log.events.length <= 1_100);
    t.equal(count(meter, 'disconnect'), 0);
    bytes.close();
  });
}
