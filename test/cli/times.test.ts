/** Times on the command line. The test has the expected moments, from the rules of the zones. */
import t from 'tap';
import { timeOf } from '../../cli/times.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const at = (word: string, zone = 'UTC') => timeOf(word, NOW, async () => zone);

t.test('a date is its first moment in the zone, where the clocks change too', async (t) => {
  for (const [date, zone, moment] of [
    ['2026-11-21', 'UTC', '2026-11-21T00:00:00.000Z'],
    ['2026-11-21', 'Europe/Berlin', '2026-11-20T23:00:00.000Z'],
    ['2026-07-01', 'Europe/Berlin', '2026-06-30T22:00:00.000Z'],
    ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z'],
    ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
    ['2026-11-21', 'Pacific/Kiritimati', '2026-11-20T10:00:00.000Z'],
    ['2026-11-21', 'Pacific/Pago_Pago', '2026-11-21T11:00:00.000Z'],
    // No midnight: it becomes one o'clock.
    ['2025-09-07', 'America/Santiago', '2025-09-07T04:00:00.000Z'],
    // Two of them: from one o'clock it becomes midnight once more.
    ['2025-11-02', 'America/Havana', '2025-11-02T04:00:00.000Z'],
  ] as const)
    t.equal(await at(date, zone), moment, `${date} ${zone}`);
});

t.test('a duration, now and a time with an offset ask for no zone', async (t) => {
  const never = () => Promise.reject(new Error('asked'));
  t.equal(await timeOf('24h', NOW, never), '2026-11-21T12:00:00.000Z');
  t.equal(await timeOf('now', NOW, never), '2026-11-22T12:00:00.000Z');
  t.equal(await timeOf('2026-11-21T08:00:00+01:00', NOW, never), '2026-11-21T08:00:00+01:00');
});

t.test('the error for a wrong time names right forms', async (t) => {
  for (const word of ['yesterday', '2026-11-21T08:00', '2026-02-30', '2026-13-01', '24x', ''])
    await t.rejects(at(word), /is not a time: write 24h .*2026-11-21/, word);
  await t.rejects(at('2026-11-21', 'Mars/Olympus'), /"Mars\/Olympus" is not a time zone/);
});
