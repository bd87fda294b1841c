/** Weather in reports: what stations observed each day, what nobody observed told as such, and what was excluded for it. */
import t from 'tap';
import { openKeyedGateway } from '../support/keyed-gateway.ts';
import {
  address,
  importHours,
  noPoppler,
  pdfOf,
  poppler,
  previewOf,
  SPANS,
  sectionOf,
  tablesIn,
  textIn,
  ZONE,
} from '../support/reports.ts';
import { unzip } from '../support/unzip.ts';
import { type Json, openWorld, type World } from '../support/world.ts';

const SPAN = SPANS['the week in which the clocks go back'];
const HOUR_MS = 3_600_000;
/** Hours after the beginning of the span. */
const at = (hours: number) => new Date(Date.parse(SPAN[0]) + hours * HOUR_MS).toISOString();

async function sendHours(world: World, id: string, from: number, values: readonly object[]): Promise<void> {
  const raw = values.map((one, n) => JSON.stringify({ time: at(from + n + 1), duration_s: 3_600, ...one })).join('\n');
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const { status, body } = await world.ask('POST', `/_stations/${id}/observations`, { raw, headers });
  if (status !== 200) throw new Error(JSON.stringify(body));
}

/** Four days with weather: one has only wind, one is half observed. Then three days without observations. */
async function openWeather(t: Parameters<typeof openWorld>[0]) {
  const world = await openWorld(t, { meters: 2 });
  await importHours(world, ...SPAN);
  // The zone of the station is not that of the report, and half an hour off.
  const station = { title: 'Mast', place: 'at the gate', zone: 'Asia/Kolkata', units: ['sim-1'], interval_s: 3_600 };
  await world.put('/_stations/mast', station);
  const hours = (count: number, one: object) => Array.from({ length: count }, () => one);
  await sendHours(world, 'mast', 0, hours(24, { wind_speed: 0, gust: 0, rain: 0, temperature: -3.25 }));
  await sendHours(world, 'mast', 24, hours(24, { wind_speed: 2.5, gust: 4 }));
  await sendHours(world, 'mast', 48, hours(12, { wind_speed: 3, rain: 0.25, temperature: 8 }));
  await sendHours(world, 'mast', 72, [...hours(3, { wind_speed: 7, gust: 12.4, rain: 1 }), { wind_speed: 1, rain: 0 }]);
  return world;
}

const weatherOf = async (world: World, more = '') =>
  sectionOf((await previewOf(world, address(SPAN, more))).units[0], 'weather');

t.test(
  'each day has its observations and their share; a calm is 0, and an unobserved value is no number',
  async (t) => {
    const world = await openWeather(t);
    const section = await weatherOf(world);
    t.strictSame(tablesIn(section)[0].rows, [
      ['2025-10-20', 'Mast (mast)', 0, 0, 0, -3.2, 1, 1],
      ['2025-10-21', 'Mast (mast)', 2.5, 4, 'not observed', 'not observed', 1, 0],
      ['2025-10-22', 'Mast (mast)', 3, 'not observed', 3, 8, 0.5, 0.5],
      ['2025-10-23', 'Mast (mast)', 5.5, 12.4, 3, 'not observed', 0.1667, 0.1667],
      ...['2025-10-24', '2025-10-25', '2025-10-26'].map((day) => [
        ...[day, 'Mast (mast)', ...Array.from({ length: 4 }, () => 'not observed'), 0, 0],
      ]),
    ]);
    const query = `from=${SPAN[0]}&to=${SPAN[1]}&step=1d&zone=${ZONE}`;
    const days: Json[] = (await world.get(`/_stations/mast/observations?${query}`)).body.data;
    t.strictSame(
      days.map(({ values }) => values.rain),
      [0, null, 3, 3, null, null, null],
      'the numbers are those of the API, and its days those of the report',
    );
    t.equal((Date.parse(days[6].to) - Date.parse(days[6].from)) / HOUR_MS, 25, 'the last day has 25 hours');
    // 64 and 40 of 169 hours.
    t.match(textIn(section), 'Observed by Mast (mast), at the gate: wind for 37.8 % of the time, rain for 23.6 %.');
    t.match(textIn(section), '"Not observed" is neither calm nor dry');
    t.equal(await weatherOf(world, '&template=short'), undefined, 'only in templates that name it');
  },
);

t.test('exclusions by observations are listed with cause and author, and so are times that count', async (t) => {
  const world = await openWeather(t);
  const body = { from: SPAN[0], to: SPAN[1] };
  t.match(textIn(await weatherOf(world)), 'Nothing is excluded because of what was observed.');
  t.match(textIn(await weatherOf(world)), 'that are not excluded: 3, 15 h in all. They count in this report.');
  await world.post('/sim-1/notes', { from: at(1), to: at(2), kind: 'exclusion', reason: 'wind', text: 'I heard it.' });
  await world.asked('POST', '/sim-1/notes/proposals/accept', { json: { ...body, reasons: ['wind'] } });
  const rows = async () => tablesIn(await weatherOf(world))[1]?.rows;
  const cause = 'wind speed 7 m/s (above 5) at mast';
  const times = ['2025-10-23T00:00:00+02:00', '2025-10-23T03:00:00+02:00'];
  t.strictSame(await rows(), [['2', ...times, 'wind', cause, 'anybody']], 'what a person heard is not among them');
  t.match(textIn(await weatherOf(world)), 'that are not excluded: 2, 15 h in all.');
  const changed = await world.put('/sim-1/notes/2', { text: 'Storm' });
  t.equal(changed.body.data.observed, true, 'in other words it is still made of what was observed');
  t.match(await world.put('/sim-1/notes/1', { observed: true }), { status: 200, body: { data: { observed: false } } });
  t.strictSame(await rows(), [['2', ...times, 'wind', 'Storm', 'anybody']]);
});

t.test('a report that is made again later, from the same observations, has the same bytes', async (t) => {
  const world = await openWeather(t);
  const page = async () => (await world.get(address(SPAN, '&format=html'))).body;
  const first = await page();
  await world.clock.advance(90 * 60_000);
  t.equal(await page(), first, 'also where the station has become silent');
});

t.test('a unit without a station, and a gateway without stations, say that the weather is not known', async (t) => {
  const world = await openWeather(t);
  const both = address(SPAN).replace('sim-1', 'sim-1,sim-2');
  const [first, second]: Json[] = (await previewOf(world, both)).units.map((unit: Json) => sectionOf(unit, 'weather'));
  t.equal(tablesIn(first).length, 1);
  t.strictSame(tablesIn(second), [], 'a station of another unit is not shown');
  t.match(textIn(second), 'No station observes the weather for this unit: nothing is known of wind and rain.');

  const plugins = ['history', 'notes', 'calibration', 'indices', 'assessment', 'alerts', 'reports', 'config'];
  const without = await openWorld(t, { settings: { plugins } });
  t.match(textIn(await weatherOf(without)), 'nothing is known of wind and rain');
});

t.test('a key of some units sees only the stations of these units', async (t) => {
  const keyed = await openKeyedGateway(t);
  const roof = await keyed.key({ name: 'roof', units: 'roof' });
  const admin = await keyed.key({ name: 'admin', role: 'admin' });
  for (const [id, unit] of Object.entries({ here: 'roof', there: 'cellar' }))
    t.equal((await keyed.put(`/_stations/${id}`, { units: [unit] }, admin.headers)).status, 201);
  const { body }: Json = await keyed.ask('GET', address(SPANS['a week']).replace('sim-1', 'roof'), roof);
  const section = sectionOf(body.data.units[0], 'weather');
  t.match(textIn(section), 'Observed by here: wind for 0.0 % of the time, rain for 0.0 %.');
  t.notMatch(textIn(section), 'there:');
});

t.test('every printed form says it, in the language of the report', noPoppler, async (t) => {
  const world = await openWeather(t);
  const pdf = poppler(t, 'pdftotext', await pdfOf(t, world, address(SPAN, '&format=pdf')), '-');
  const lines = pdf.split('\n').map((line) => line.trim().replaceAll(/\s+/g, ' '));
  for (const line of [
    'Mon 20 Oct 2025 Mast (mast) 0 0 0 -3.2 100.0 % 100.0 %',
    'Tue 21 Oct 2025 Mast (mast) 2.5 4 not observed not observed 100.0 % 0.0 %',
    'Sun 26 Oct 2025 Mast (mast) not observed not observed not observed not observed 0.0 % 0.0 %',
  ])
    t.ok(lines.includes(line), line);
  const textOf = async (more: string) => (await fetch(`${world.base}${address(SPAN, more)}`)).text();
  t.match(
    await textOf('&format=html'),
    '<td>Mast (mast)</td><td class="n">2.5</td><td class="n">4</td><td class="n">not observed</td>',
  );
  t.match(await textOf('&format=csv'), 'sim-1,weather,Weather by day\r\n');
  const bytes = await (await fetch(`${world.base}${address(SPAN, '&format=csv')}`)).arrayBuffer();
  t.same([...new Uint8Array(bytes, 0, 3)], [0xef, 0xbb, 0xbf], 'a byte order mark');
  t.match(await textOf('&format=csv'), '2025-10-21,Mast (mast),2.5,4,not observed,not observed,1,0\r\n');
  for (const [lang, title, word] of [
    ['de', 'Wetter', 'nicht erfasst'],
    ['fr', 'Météo', 'non observé'],
    ['es', 'Tiempo meteorológico', 'no observado'],
    ['ja', '気象', '観測なし'],
  ] as const) {
    const section = await weatherOf(world, `&lang=${lang}`);
    t.equal(section.title, title);
    t.equal(tablesIn(section)[0].rows[1][4], word);
  }
  const workbook = Buffer.from(await (await fetch(`${world.base}${address(SPAN, '&format=xlsx')}`)).arrayBuffer());
  const inside = [...unzip(workbook).values()].map(String).join('\n');
  for (const words of ['Weather by day', 'not observed', 'Mast (mast)'])
    t.ok(inside.includes(words), `workbook: ${words}`);
});
