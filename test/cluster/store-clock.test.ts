/** The wall clock of a computer beside that of the store: what is a difference, and what is only the way. */
import t from 'tap';
import { StoreClock } from '../../lib/cluster/store-clock.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 10, 26, 12);

t.test('a store that answers slowly is no difference; five seconds are, in both directions', (t) => {
  const clock = new StoreClock();
  const ahead = (time: number | undefined, sent: number, came: number) => {
    clock.answered(time, sent, came);
    return clock.ahead;
  };
  t.equal(clock.ahead, 0, 'before anything is known');
  t.equal(ahead(NOW + 1_900, NOW, NOW + 2_000), 0);
  t.equal(ahead(NOW, NOW + 4_999, NOW + 5_100), 0);
  t.equal(ahead(NOW, NOW + 5_000, NOW + 5_100), 5_000);
  t.equal(ahead(NOW + HOUR_MS, NOW, NOW + 10), 10 - HOUR_MS);
  t.equal(ahead(undefined, NOW, NOW), 10 - HOUR_MS, 'an answer without a time changes nothing');
  t.equal(ahead(NOW + 2_000, NOW, NOW + 2_000), 0);
  t.end();
});
