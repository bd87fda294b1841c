/** Text of a clock without a zone, compared with the calendar of ISO 8601. */
import t from 'tap';
import { clockMs, clockText, isClockText } from '../../lib/domain/zone.ts';

const DAY_MS = 86_400_000;

t.test('each day of years with and without a leap day is a moment, and comes back as its text', async (t) => {
  for (const year of [1, 99, 1900, 2000, 2024, 2026, 2100, 9999]) {
    const first = Date.parse(`${String(year).padStart(4, '0')}-01-01T23:59:59.000Z`);
    for (let day = 0; day < 365; day += 1) {
      const at = first + day * DAY_MS;
      if (clockMs(clockText(at)) !== at) t.fail(clockText(at));
    }
  }
  t.equal(clockMs('2024/02/29 00:00:00'), Date.UTC(2024, 1, 29));
});

t.test('a wrong moment is refused, and so is another form', async (t) => {
  const wrongDays =
    '2026/02/29, 1900/02/29, 2026/04/31, 2026/00/10, 2026/13/01, 2026/01/00, 2026/01/32, 0000/01/01, 2026-01-01, 2026/1/1';
  for (const day of wrongDays.split(', ')) t.notOk(isClockText(`${day} 00:00:00`), day);
  for (const time of [' 24:00:00', ' 00:60:00', ' 23:59:60', 'T00:00:00', '  00:00:00', ' 00:00:00\n', ' 00:00', ''])
    t.notOk(isClockText(`2026/01/01${time}`), JSON.stringify(time));
  for (const text of [' 2026/01/01 00:00:00', '+026/01/01 00:00:00', '']) t.notOk(isClockText(text), text);
});
