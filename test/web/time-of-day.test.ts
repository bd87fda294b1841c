/** Times of day as people read them. */
import t from 'tap';
import { timeOfDay } from '../../web/state/numbers.ts';

t.test('a full minute has no seconds', async (t) => {
  t.match(timeOfDay('2026-11-23T20:00:00Z', 'UTC'), /^(20:00|08:00 PM)$/);
  t.match(timeOfDay('2026-11-23T20:00:30Z', 'UTC'), /^(20:00:30|08:00:30 PM)$/);
  t.match(timeOfDay('2026-11-23T20:00:00Z', 'Asia/Kathmandu'), /^(01:45|01:45 AM)$/);
});
