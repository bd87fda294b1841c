/** Two listings of a file: whether they can be of one time. */
import t from 'tap';
import { matchOfTimes } from '../../plugins/mirror/card-listing.ts';

for (const [known, listed, match] of [
  ['2025-12-24T02:13:00', '2025-12-24T02:13:00', 'same'],
  ['Dec 24 2025', 'Dec 24 2025', 'same'],
  ['2025-12-24T02:13:00', 'Dec 24 2025', 'same day'],
  ['Dec 04 2025', '2025-12-04T02:13:00', 'same day'],
  ['2025-12-24T02:13:00', 'Dec 24 2030', 'other year'],
  ['2025-12-24T02:13:00', '2026-12-24T02:13:00', 'other year'],
  ['2025-12-24T02:13:00', '2025-12-24T02:14:00', 'other'],
  ['2025-12-24T02:13:00', 'Dec 25 2025', 'other'],
  ['2025-11-24T02:13:00', 'Dec 24 2025', 'other'],
  ['Dec 24 2025', 'Dec 24 2026', 'other'],
] as const)
  t.test(`${known} and ${listed}: ${match}`, async (t) => t.equal(matchOfTimes(known, listed), match));
