/** Days of places all over the world, held against what the clocks there show. */
import fc from 'fast-check';
import t from 'tap';
import { localDays, PRESETS, type Preset } from '../../../lib/domain/indices/index.ts';

const at = (text: string) => Date.parse(text);
const HOUR = 3_600_000;

/** The one local day with this date. */
function dayOf(zone: string, date: string, preset: Preset = PRESETS.eu) {
  const noon = at(`${date}T12:00:00Z`);
  const day = localDays(zone, { from: noon - 40 * HOUR, to: noon + 40 * HOUR }, preset.periods).find(
    (each) => each.date === date,
  );
  if (!day) throw new Error(`no ${date} in ${zone}`);
  const hoursOf = (name: string) =>
    day.pieces.reduce((sum, { period, from, to }) => sum + (period === name ? (to - from) / HOUR : 0), 0);
  return { ...day, day: hoursOf('day'), evening: hoursOf('evening'), night: hoursOf('night') };
}

const DAYS: readonly [zone: string, date: string, startsAt: string, hours: number, night: number, why: string][] = [
  ['UTC', '2024-02-29', '2024-02-29T00:00:00Z', 24, 8, 'leap day'],
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z', 23, 7, 'clocks go forward'],
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00Z', 25, 9, 'clocks go back'],
  ['Europe/London', '2026-03-29', '2026-03-29T00:00:00Z', 23, 7, 'forward at 01:00'],
  ['America/New_York', '2026-03-08', '2026-03-08T05:00:00Z', 23, 7, 'forward in America'],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00:00Z', 25, 9, 'back in America'],
  ['Australia/Sydney', '2026-10-04', '2026-10-03T14:00:00Z', 23, 7, 'spring in the south'],
  ['Australia/Sydney', '2026-04-05', '2026-04-04T13:00:00Z', 25, 9, 'autumn in the south'],
  ['Australia/Lord_Howe', '2026-10-04', '2026-10-03T13:30:00Z', 23.5, 7.5, 'forward by half an hour'],
  ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00Z', 24.5, 8.5, 'back by half an hour'],
  ['Asia/Kolkata', '2026-06-15', '2026-06-14T18:30:00Z', 24, 8, 'half an hour from the full ones'],
  ['Asia/Kathmandu', '2026-06-15', '2026-06-14T18:15:00Z', 24, 8, 'a quarter of an hour'],
  ['Pacific/Chatham', '2026-09-27', '2026-09-26T11:15:00Z', 23, 7, 'quarters of an hour, and forward'],
  ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00Z', 23, 7, 'there is no midnight: 00:00 becomes 01:00'],
  ['Asia/Beirut', '2026-10-24', '2026-10-23T21:00:00Z', 25, 9, 'midnight comes twice: 24:00 becomes 23:00'],
  ['America/Havana', '2026-03-08', '2026-03-08T05:00:00Z', 23, 7, 'forward at midnight'],
  ['America/Havana', '2026-11-01', '2026-11-01T04:00:00Z', 25, 9, 'the hour after midnight comes twice'],
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00Z', 23, 7, 'forward at midnight in the south'],
  ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00Z', 24, 8, '14 hours ahead'],
  ['Pacific/Pago_Pago', '2026-01-01', '2026-01-01T11:00:00Z', 24, 8, '11 hours behind'],
];

t.test('a local day has the hours that passed in it, and the night has those that it lost or won', async (t) => {
  for (const [zone, date, startsAt, hours, night, why] of DAYS) {
    const day = dayOf(zone, date);
    const found = [new Date(day.from).toISOString(), day.hours, day.day, day.evening, day.night];
    t.strictSame(found, [new Date(at(startsAt)).toISOString(), hours, 12, 4, night], `${zone} ${date}: ${why}`);
  }
});

t.test('a date that a place left out is no day', async (t) => {
  const days = localDays('Pacific/Apia', { from: at('2011-12-29T00:00:00Z'), to: at('2012-01-01T00:00:00Z') });
  t.strictSame(
    days.map(({ date, hours }) => [date, hours]),
    [
      ['2011-12-28', 24],
      ['2011-12-29', 24],
      ['2011-12-31', 24],
      ['2012-01-01', 24],
    ],
  );
});

t.test('the changed hours of own periods go where the clock shows them', async (t) => {
  const preset: Preset = {
    index: 'lden',
    periods: [
      { name: 'day', from: 150, to: 1_200, weight: 1 },
      { name: 'night', from: 1_200, to: 150, weight: 10 },
    ],
  };
  const spring = dayOf('Europe/Berlin', '2026-03-29', preset);
  t.strictSame([spring.night, spring.day], [6, 17], '02:30 is skipped: the day begins when 03:00 is there');
  const autumn = dayOf('Europe/Berlin', '2026-10-25', preset);
  t.strictSame([autumn.night, autumn.day], [6.5, 18.5], '02:30 comes twice: the day begins at the first');
});

t.test('a span gives every day that it touches, whole', async (t) => {
  const day = { from: at('2026-06-15T00:00:00Z'), to: at('2026-06-16T00:00:00Z') };
  t.strictSame(
    localDays('UTC', day).map(({ date }) => date),
    ['2026-06-15'],
  );
  t.strictSame(
    localDays('UTC', { from: day.to - 1, to: day.to + 1 }).map(({ hours }) => hours),
    [24, 24],
  );
  t.strictSame(localDays('UTC', { from: day.to, to: day.from }), [], 'nothing for a span that ends before it begins');
  t.equal(localDays('Europe/Berlin', { from: at('2026-01-01T00:00Z'), to: at('2027-01-01T00:00Z') }).length, 366);
});

const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
/** From 2012 on: before, St. John's changed its clocks at 00:01, and a day there came in two parts. */
const moment = fc.integer({ min: at('2012-01-01T00:00Z') / 60_000, max: at('2040-01-01T00:00Z') / 60_000 });

t.test('days of any zone follow each other without a hole, and their periods fill them', async () => {
  fc.assert(
    fc.property(zone, moment, (zone, minute) => {
      const from = minute * 60_000;
      const days = localDays(zone, { from, to: from + 400 * 24 * HOUR }, PRESETS.it.periods);
      return days.every((day, index) => {
        const last = days[index - 1];
        let reached = day.from;
        for (const piece of day.pieces) {
          if (piece.from !== reached) return false;
          reached = piece.to;
        }
        return reached === day.to && (!last || (last.to === day.from && last.date < day.date));
      });
    }),
    { numRuns: 50 },
  );
});

t.test('parts of a millisecond do no harm', async (t) => {
  const now = at('2026-11-21T12:00:00Z') + 0.1875;
  t.match(localDays('Europe/Berlin', { from: now, to: now + 1 }), [{ date: '2026-11-21' }]);
});

t.test('every moment is in the day and the period that the clock on the wall shows', async () => {
  fc.assert(
    fc.property(zone, moment, (zone, minute) => {
      const now = minute * 60_000;
      const [day] = localDays(zone, { from: now, to: now + 1 }, PRESETS.eu.periods);
      const clock = new Intl.DateTimeFormat('en-CA', {
        timeZone: zone,
        dateStyle: 'short',
        timeStyle: 'medium',
        hourCycle: 'h23',
      }).format(now);
      const [date, time = ''] = clock.split(', ');
      const hour = Number(time.slice(0, 2));
      const period = hour < 7 || hour >= 23 ? 'night' : hour < 19 ? 'day' : 'evening';
      return day?.date === date && day?.pieces.find(({ from, to }) => now >= from && now < to)?.period === period;
    }),
    { numRuns: 1_000 },
  );
});
