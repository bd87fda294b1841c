/** How much one caller may do, and what counts as one caller. */
import t from 'tap';
import { Rate, WrongTries } from '../../lib/access/tries.ts';
import { addressPrefix } from '../../lib/http/callers.ts';
import { VirtualClock } from '../../simulator/clock.ts';

t.test('after four wrong tries each further try doubles the wait, up to five minutes', async (t) => {
  const clock = new VirtualClock();
  const wrong = new WrongTries(clock);
  const waits: number[] = [];
  for (let count = 1; count <= 16; count++) {
    wrong.add('a');
    waits.push(wrong.waitOf('a') / 1_000);
    await clock.advance(wrong.waitOf('a'));
  }
  t.strictSame(waits, [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
  t.equal(wrong.waitOf('b'), 0, 'another address is not slowed down');
});

t.test('after a quarter of an hour without a wrong try the next try costs no wait', async (t) => {
  const clock = new VirtualClock();
  const wrong = new WrongTries(clock);
  for (let count = 0; count < 6; count++) wrong.add('a');
  await clock.advance(900_000);
  wrong.add('a');
  t.equal(wrong.waitOf('a'), 0);
});

t.test('a caller may send a burst, and then has the steady rate', async (t) => {
  const clock = new VirtualClock();
  const rate = new Rate({ perSecond: 10, burst: 3 }, clock);
  const takes = (count: number) => Array.from({ length: count }, () => rate.take('a'));
  t.strictSame(takes(4), [0, 0, 0, 100]);
  t.equal(rate.take('b'), 0, 'another caller has a bucket of its own');
  await clock.advance(100);
  t.strictSame(takes(2), [0, 100]);
  await clock.advance(3_600_000);
  t.strictSame(takes(4), [0, 0, 0, 100], 'an hour of rest saves up no more than the burst');
});

t.test('all addresses of one IPv6 customer count as one', async (t) => {
  t.equal(addressPrefix('192.0.2.1'), '192.0.2.1');
  t.equal(addressPrefix('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  t.equal(addressPrefix('2001:db8:1:2::9'), '2001:db8:1:2::/64');
  t.equal(addressPrefix('2001:db8::1'), '2001:db8:0:0::/64');
  t.equal(addressPrefix('::1'), '0:0:0:0::/64');
  t.not(addressPrefix('2001:db8:1:3::9'), addressPrefix('2001:db8:1:2::9'));
  t.equal(addressPrefix('2001:db8:1:2::9', 48), '2001:db8:1::/48');
  t.equal(addressPrefix('192.0.2.1', 48), '192.0.2.1');
});
