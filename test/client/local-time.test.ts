/** Local time of pages and command line: the same as that of the gateway, which has a library for it. */
import t from 'tap';
import { firstMomentOf, localTime } from '../../client/index.ts';
import { firstMoment, localAt, localText, offsetSpans } from '../../lib/domain/zone.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Zones that change at midnight, by half an hour, by a whole day, in the southern summer, or never. */
const ZONES = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'America/Havana', 'America/Santiago', 'America/St_Johns'],
  ...['Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Beirut', 'Africa/Cairo', 'Australia/Adelaide', 'Australia/Lord_Howe'],
  ...['Pacific/Apia', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'],
];
const FROM = Date.parse('2011-12-01T00:00Z');
const TO = Date.parse('2027-01-01T00:00Z');

const iso = (local: number) => new Date(local).toISOString().slice(0, 19);

t.test('local times are those of the gateway', async (t) => {
  for (const zone of ZONES) {
    const changes = offsetSpans(zone, FROM, TO).map(({ from }) => from);
    const moments = [FROM, ...changes].flatMap((at) => [at - 1_000, at, at + HOUR_MS, at + 13 * HOUR_MS]);
    t.ok(moments.length >= 8);
    t.strictSame(
      moments.map((at) => localTime(at, zone)),
      moments.map((at) => localText(localAt(zone, at)).replace(' ', 'T')),
      zone,
    );
  }
});

t.test('the first moment of a local time is that of the gateway, where clocks skip it or show it twice', async (t) => {
  for (const zone of ZONES) {
    const spans = offsetSpans(zone, FROM - 3 * DAY_MS, TO + 3 * DAY_MS);
    const changes = spans.slice(1).map(({ from }) => localAt(zone, from));
    const locals = [FROM, ...changes]
      .flatMap((local) =>
        [-DAY_MS, -HOUR_MS, -HOUR_MS / 2, -60_000, 0, HOUR_MS / 2, HOUR_MS, DAY_MS].map((by) => local + by),
      )
      .filter((local) => local > FROM - 2 * DAY_MS && local < TO + 2 * DAY_MS);
    t.strictSame(
      locals.map((local) => `${iso(local)} ${firstMomentOf(iso(local), zone)}`),
      locals.map((local) => `${iso(local)} ${firstMoment(spans, local)}`),
      zone,
    );
  }
});

t.test('a date is its first moment', async (t) => {
  t.equal(firstMomentOf('2026-03-29', 'Asia/Beirut'), Date.parse('2026-03-28T22:00Z'), 'there is no midnight');
  t.equal(firstMomentOf('2026-11-21', 'Europe/Berlin'), Date.parse('2026-11-20T23:00Z'));
});

t.test('a wrong date is no moment, and a wrong zone is an error', async (t) => {
  t.ok(Number.isNaN(firstMomentOf('2026-02-30T25:00', 'UTC')));
  t.ok(Number.isNaN(firstMomentOf('2026-02-30', 'UTC')));
  t.ok(Number.isNaN(firstMomentOf('', 'UTC')));
  t.throws(() => localTime(0, 'Mars/Olympus'), RangeError);
  t.throws(() => firstMomentOf('2026-11-21', 'Mars/Olympus'), RangeError);
});
