/** An event of an alert whose time is excluded stays, and says how much of it is; calendars pass over those that are excluded as a whole. */
import t from 'tap';
import { type Json, openWorld, type World } from '../support/world.ts';

const DAY = Date.UTC(2025, 11, 21);
const at = (hours: number) => new Date(DAY + hours * 3_600_000).toISOString();

const eventsOf = async (world: World): Promise<Json[]> =>
  (await world.get('/_alerts/events')).body.data.toSorted((one: Json, other: Json) => one.worst - other.worst);
const daysOf = async (world: World): Promise<Json[]> =>
  (await world.get(`/_alerts/days?from=${at(0)}&to=${at(48)}`)).body.data;

t.test('events say how much of their time is excluded, and a day which of them count', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { timezone: 'UTC' });
  const event = (from: number, to: number, worst: number) => ({
    rule_name: 'Day limit',
    unit_id: 'sim-1',
    kind: 'level',
    what: 'leq',
    limit: 70,
    worst,
    opened_at: at(from),
    closed_at: at(to),
  });
  const events = [event(10, 10.5, 72), event(14, 15, 78), { ...event(16, 17, 99), kind: 'device', what: 'offline' }];
  t.equal((await world.post('/_alerts/events/import', { events })).status, 200);
  const impossible = [event(18, 19, 243), { ...event(20, 21, 243), kind: 'device', what: 'battery' }];
  t.match(
    (await world.post('/_alerts/events/import?check=true', { events: impossible })).body,
    { taken: 1, left_out: ['/events/0 has worst 243 dB, which is not from -20 to 160 dB'] },
    'a level that cannot be is no event',
  );
  t.match(
    await eventsOf(world),
    [{ excluded_s: 0 }, { excluded_s: 0 }, { excluded_s: null }],
    'no level, nothing to say',
  );
  t.match(await daysOf(world), [{ count: 2, excluded: 0, worst: 78 }]);

  const exclude = async (from: number, to: number, more = {}) =>
    (await world.post('/sim-1/notes', { from: at(from), to: at(to), kind: 'exclusion', reason: 'own_noise', ...more }))
      .body.data.id;
  const half = await exclude(14.5, 15);
  t.match(await eventsOf(world), [{ excluded_s: 0 }, { excluded_s: 1_800, worst: 78 }, {}], 'it stays as it was');
  t.match(await daysOf(world), [{ count: 2, excluded: 0, worst: 78 }], 'half of it still counts');

  await world.put(`/sim-1/notes/${half}`, { from: at(14) });
  t.match(await eventsOf(world), [{ excluded_s: 0 }, { excluded_s: 3_600 }, {}]);
  t.match(
    await daysOf(world),
    [{ count: 2, excluded: 1, without_cause: 1, worst: 72 }],
    'the worst of those that count',
  );
  await exclude(10, 10.5, { channels: ['sub1'] });
  t.match(await daysOf(world), [{ excluded: 1 }], 'another channel');
  await exclude(9, 11, { kind: 'note' });
  t.match(await daysOf(world), [{ excluded: 1 }], 'a note excludes nothing');
  await exclude(9, 11, { reason: 'wind' });
  t.match(await daysOf(world), [{ count: 2, excluded: 2, worst: 78 }], 'all of them are excluded, none is lost');
  const printed = await world.get(`/_reports/preview?units=sim-1&from=${at(0)}&to=${at(24)}&zone=UTC`);
  t.equal(printed.status, 200, JSON.stringify(printed.body));
  const report: Json = printed.body.data;
  const told = report.units[0].sections.find(({ section }: Json) => section === 'events').blocks[0];
  const column = told.columns.findIndex(({ title }: Json) => title === 'Excluded');
  t.strictSame(
    told.rows.map((row: Json) => row[column]),
    ['30 min', '1 h', ''],
    'a report marks them',
  );
  const csv = String((await world.get('/_alerts/events?format=csv')).body).split('\r\n');
  t.match(csv[0], /,channel,excluded_s,cause$/);
  t.strictSame(
    csv
      .slice(1, 4)
      .map((line) => line.split(',').at(-2))
      .toSorted(),
    ['', '1800', '3600'],
  );
  await world.restart(1_000);
  t.match(await eventsOf(world), [{ excluded_s: 1_800 }, { excluded_s: 3_600 }, { excluded_s: null }]);

  await world.ask('DELETE', `/sim-1/notes/${half}`);
  t.match(await daysOf(world), [{ count: 2, excluded: 1, worst: 78 }], 'it counts again');
});
