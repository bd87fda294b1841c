/** An assessment of a whole day of seconds: takts, single events, the loudest hour, the moving Leq. */
import t from 'tap';
import { openWorld, type World } from '../support/world.ts';

const DAY = Date.UTC(2025, 11, 21);
const at = (hours: number) => new Date(DAY + hours * 3_600_000).toISOString();

/** Rows of `seconds` from an hour on; null: no row. */
async function importRows(
  world: World,
  { from, to, seconds }: { readonly from: number; readonly to: number; readonly seconds: number },
  level: (hour: number, second: number) => number | null,
): Promise<void> {
  const lines: string[] = [];
  for (let second = from * 3_600; second < to * 3_600; second += seconds) {
    const leq = level(second / 3_600, second);
    if (leq !== null) lines.push(`${at(second / 3_600)},${seconds},${leq},${leq + 5}`);
  }
  await world.bring(lines);
}

const query = (from: number, to: number, more = '') => `from=${at(from)}&to=${at(to)}&zone=UTC${more}`;
const assessed = async (world: World, more: string, [from, to] = [0, 24]) => {
  // Time stands still: what is computed takes none of the gateway's clock.
  const { status, body } = await world.asked('GET', `/sim-1/assessment?${query(from, to, more)}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.data;
};

t.test('a day of seconds gives takts, single events, the loudest hour and the moving Leq', async (t) => {
  const world = await openWorld(t);
  // Every full hour from 6 to 22 ten seconds of 80 dB over a background of 50 dB; maxima are 5 dB higher.
  const level = (hour: number, second: number) => (hour >= 6 && hour < 22 && second % 3_600 < 10 ? 80 : 50);
  await importRows(world, { from: 0, to: 30, seconds: 1 }, level);
  const events = (await world.asked('GET', `/sim-1/events?${query(0, 24, '&threshold=60&limit=2')}`)).body;
  t.match(events.data, { count: 16, assessable: true, nat: [{ count: 16 }, { count: 16 }, { count: 16 }] });
  t.match(events.data.events, [
    { start: at(6), duration_s: 10, lae: 90, lae10: 90, lmax: 85, threshold: 60 },
    { start: at(7), missing_s: 0 },
  ]);
  const more = (
    await world.asked('GET', `/sim-1/events?${query(0, 24, `&threshold=60&limit=2&cursor=${events.next}`)}`)
  ).body;
  t.equal(more.data.events[0].start, at(8));
  const energy = 160 * 1e8;
  t.ok(Math.abs(events.data.share - energy / (energy + (86_400 - 160) * 1e5)) < 0.001);
  t.match((await world.asked('GET', `/sim-1/events?${query(0, 24)}`)).body.errors, [{ path: '/threshold' }]);

  // Imported seconds have no level counts: the background is not known, and that is said.
  const unknown = (await world.asked('GET', `/sim-1/events?${query(0, 24, '&over_background=10')}`)).body.data;
  t.match(unknown, { assessable: false, share: null, notes: [/LN90.*not known/] });
  t.match((await assessed(world, '&preset=iso20906')).days[0].events, [
    { assessable: false, count: null, reason: /LN90/ },
  ]);
  const { data: iso } = (await world.asked('GET', '/_assessments/iso20906')).body;
  await world.put('/_assessments/aircraft', {
    ...iso,
    name: 'aircraft',
    events: { ...iso.events, threshold: 60, over_background: null },
  });
  t.match((await assessed(world, '&preset=aircraft')).days[0].events, [
    { period: 'day', assessable: true, count: 16, nat: [{ level: 60, count: 16 }, {}, {}] },
    { period: 'night', assessable: true, count: 0, share: 0 },
  ]);
  // Takts of 5 s: 32 of 85 dB in 16 hours, all others of 55 dB.
  const takts = 10 * Math.log10((32 * 10 ** 8.5 + (11_520 - 32) * 10 ** 5.5) / 11_520);
  const [day, night] = (await assessed(world, '&preset=de-ta-laerm&area=MI')).days[0].figures;
  t.ok(Math.abs(day.value - takts) < 0.011, `${day.value} is ${takts}`);
  t.ok(Math.abs(night.value - 55) < 0.011, 'the night until six of the next day');

  const { data: loud } = (await world.asked('GET', `/sim-1/loudest_hour?${query(0, 24)}`)).body;
  const hour = 10 * Math.log10((10 * 1e8 + 3_590 * 1e5) / 3_600);
  t.match(loud, { assessable: true, left_out: 0, clock: { from: at(6), to: at(7) } });
  t.ok(Math.abs(loud.clock.leq - hour) < 0.011);
  const { data: moving } = (await world.asked('GET', `/sim-1/moving?${query(6, 7)}`)).body;
  t.equal(moving.rows.length, 60);
  t.ok(
    Math.abs(moving.rows[0].leq - 10 * Math.log10((10 * 1e8 + 890 * 1e5) / 900)) < 0.011,
    'the first minute holds the event',
  );
  t.equal(moving.rows[20].leq, 50, 'and 20 minutes later it is over');
});
