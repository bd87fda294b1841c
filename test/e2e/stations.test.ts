/** Stations: what they observe, summed up by the clock of their place; and what it is a reason to exclude. */
import t from 'tap';
import { openWorld, type World } from '../support/world.ts';

const JSON_LINES = { 'Content-Type': 'application/x-ndjson' };
const CSV = { 'Content-Type': 'text/csv' };
const DAY = Date.UTC(2025, 11, 22);
/** `2025-12-22T06:30:00Z` for 6.5. */
const at = (hours: number) => new Date(DAY + hours * 3_600_000).toISOString();

const send = (world: World, raw: string, headers: Readonly<Record<string, string>> = JSON_LINES, id = 'mast') =>
  world.ask('POST', `/_stations/${id}/observations`, { raw, headers });
const lines = (...all: readonly object[]) => all.map((one) => JSON.stringify(one)).join('\n');
const rowsOf = async (world: World, from: number, to: number, step = '1h') =>
  (await world.get(`/_stations/mast/observations?from=${at(from)}&to=${at(to)}&step=${step}`)).body.data;

async function openStation(t: Parameters<typeof openWorld>[0], body: object = {}) {
  const world = await openWorld(t, { meters: 2 });
  const made = await world.put('/_stations/mast', body);
  t.equal(made.status, 201, JSON.stringify(made.body));
  return world;
}

t.test('a station is made, changed in part, listed with the age of its last observation, and removed', async (t) => {
  const world = await openStation(t, { title: 'Mast', zone: 'Asia/Kolkata', units: ['sim-1'] });
  t.match((await world.get('/_stations/mast')).body.data, {
    id: 'mast',
    title: 'Mast',
    zone: 'Asia/Kolkata',
    place: '',
    units: ['sim-1'],
    interval_s: 600,
    last_at: null,
    age_s: null,
  });
  const changed = await world.put('/_stations/mast', { interval_s: 60 });
  t.equal(changed.status, 200);
  t.match(changed.body.data, { title: 'Mast', units: ['sim-1'], interval_s: 60 });
  const { body } = await world.get('/_stations/mast');
  t.equal((await world.put('/_stations/mast', body.data)).status, 200, 'the data of a GET may be sent back');

  const unknown = await world.put('/_stations/mast', { units: ['sim-1', 'nobody'] });
  t.match(unknown, { status: 422, body: { errors: [{ path: '/units/1' }] } });
  t.equal((await world.put('/_stations/a b', {})).status, 422);
  t.match(await world.get('/_stations/none'), { status: 404, body: { code: 'STATION_NOT_FOUND' } });

  await send(world, lines({ time: at(6), wind_speed: 3 }));
  const [listed] = (await world.asked('GET', '/_stations')).body.data;
  t.equal(listed.last_at, new Date(DAY + 6 * 3_600_000).toISOString());
  t.equal(listed.age_s, Math.round((world.clock.now() - (DAY + 6 * 3_600_000)) / 1_000));
  t.equal((await world.delete('/_stations/mast')).status, 200);
  t.equal((await world.get('/_stations/mast')).status, 404);
  await world.put('/_stations/mast', {});
  t.strictSame(await rowsOf(world, 0, 24, 'raw'), [], 'a new station of this name has none of the old observations');
});

t.test('means, the direction of the mean wind, the strongest gust, sums; and unobserved times', async (t) => {
  const world = await openStation(t);
  const sent = await send(
    world,
    lines(
      { time: at(6.5), duration_s: 1_800, wind_speed: 2, wind_direction: 350, gust: 4, rain: 1, temperature: -4 },
      { time: at(7), duration_s: 1_800, wind_speed: 4, wind_direction: 20, gust: 9, rain: 0.5, temperature: -2 },
    ),
  );
  t.match(sent, { status: 200, body: { observations: 2, from: at(6.5), to: at(7) } });
  const [before, row, after] = await rowsOf(world, 5, 8);
  t.match(row.values, { wind_speed: 3, gust: 9, rain: 1.5, temperature: -3, humidity: null, traffic: null });
  const [north, east] = [2, 4].map((speed, index) => {
    const degrees = index === 0 ? 350 : 20;
    return [speed * Math.cos((degrees / 180) * Math.PI), speed * Math.sin((degrees / 180) * Math.PI)] as const;
  });
  const mean = Math.atan2((north?.[1] ?? 0) + (east?.[1] ?? 0), (north?.[0] ?? 0) + (east?.[0] ?? 0));
  t.equal(row.values.wind_direction, Math.round((mean / Math.PI) * 180), 'not the mean of the numbers, 185');
  t.match(row.coverage, { wind_speed: 1, rain: 1, humidity: 0 });
  for (const empty of [before, after]) {
    t.equal(empty.values.rain, null, 'no observation is not dry');
    t.equal(empty.coverage.rain, 0);
  }
});

t.test(
  'an observation that reaches over an edge counts on both sides, and one that is sent often counts once',
  async (t) => {
    const world = await openStation(t);
    await send(world, lines({ time: at(6.25), duration_s: 1_800, rain: 2, wind_speed: 6 }));
    const [five, six] = await rowsOf(world, 5, 7);
    t.match([five.values.rain, six.values.rain], [1, 1], 'half of the rain on each side of 6 o’clock');
    t.match([five.coverage.rain, six.coverage.rain], [0.25, 0.25]);
    t.match([five.values.wind_speed, six.values.wind_speed], [6, 6]);

    const minutes = Array.from({ length: 60 }, (_, minute) => ({
      time: at(8 + (minute + 1) / 60),
      duration_s: 600,
      rain: 1,
    }));
    await send(world, lines(...minutes));
    const [, , , eight] = await rowsOf(world, 5, 9);
    t.equal(eight.values.rain, 6, '60 sums of ten minutes, a tenth of each');
    t.equal(eight.coverage.rain, 1);
  },
);

t.test(
  'hours are those of the clock of the station, also where it is half an hour off, and days have 23 hours',
  async (t) => {
    const world = await openStation(t, { zone: 'Asia/Kolkata' });
    await send(world, lines({ time: at(6.5), duration_s: 600, rain: 1 }, { time: at(6.75), duration_s: 600, rain: 2 }));
    const rows = await rowsOf(world, 6, 7);
    t.same(
      rows.map((row: { from: string; to: string; values: { rain: number } }) => [row.from, row.to, row.values.rain]),
      [
        [at(5.5), at(6.5), 1],
        [at(6.5), at(7), 2],
      ],
    );
    await world.put('/_stations/mast', { zone: 'Europe/Berlin' });
    const query = 'from=2025-03-29T23:00:00Z&to=2025-03-30T22:00:00Z&step=1d';
    const [day, ...more] = (await world.get(`/_stations/mast/observations?${query}`)).body.data;
    t.same([day.from, day.to, more], ['2025-03-29T23:00:00.000Z', '2025-03-30T22:00:00.000Z', []]);
  },
);

t.test(
  'CSV with semicolons, decimal commas and empty cells; sent again it changes nothing, sent in part it adds',
  async (t) => {
    const world = await openStation(t);
    const csv = `time;wind_speed;rain\r\n${at(6)};3,5;\r\n\r\n${at(6.5)};;0,2\r\n`;
    t.match(await send(world, csv, CSV), { status: 200, body: { observations: 2 } });
    const first = await rowsOf(world, 5, 7, 'raw');
    t.match(first, [{ values: { wind_speed: 3.5, rain: null } }, { values: { wind_speed: null, rain: 0.2 } }]);
    await send(world, csv, CSV);
    t.same(await rowsOf(world, 5, 7, 'raw'), first);
    await send(world, lines({ time: at(6), traffic: 12 }));
    t.match(await rowsOf(world, 5, 6.1, 'raw'), [{ values: { wind_speed: 3.5, traffic: 12 } }]);
    const text = await world.ask('GET', `/_stations/mast/observations?from=${at(5)}&to=${at(7)}&format=csv-de`);
    t.match(text.body, /^\ufeffstart;duration_s;wind_speed;.*\r\n2025-12-22T05:50:00\.000Z;600;3,5;/);
  },
);

t.test('the answer to wrong rows names their lines, and no row is kept', async (t) => {
  const world = await openStation(t);
  const good = { time: at(6), wind_speed: 3 };
  const wrong: readonly (readonly [string, object | string])[] = [
    ['/line/2', '{'],
    ['/line/2', '[1]'],
    ['/line/2/time', { wind_speed: 1 }],
    ['/line/2/time', { time: '2025-12-22T06:00:00', wind_speed: 1 }],
    ['/line/2/time', { time: '2025-13-22T06:00:00Z', wind_speed: 1 }],
    ['/line/2/time', { time: at(6), wind_speed: 1 }],
    ['/line/2/time', { time: '2020-01-01T00:00:00Z', wind_speed: 1 }],
    ['/line/2/time', { time: '2099-01-01T00:00:00Z', wind_speed: 1 }],
    ['/line/2/wind_speed', { time: at(7), wind_speed: -0.1 }],
    ['/line/2/wind_speed', { time: at(7), wind_speed: 150.1 }],
    ['/line/2/wind_speed', { time: at(7), wind_speed: '3' }],
    ['/line/2/wind_direction', { time: at(7), wind_direction: 361 }],
    ['/line/2/duration_s', { time: at(7), duration_s: 86_401, rain: 1 }],
    ['/line/2/duration_s', { time: at(7), duration_s: 0, rain: 1 }],
    ['/line/2/snow', { time: at(7), snow: 1 }],
    ['/line/2', { time: at(7) }],
    ['/line/2', { time: at(7), rain: null }],
  ];
  for (const [path, line] of wrong) {
    const second = typeof line === 'string' ? line : JSON.stringify(line);
    const { status, body } = await send(world, `${JSON.stringify(good)}\n${second}`);
    t.match({ status, path: body.errors?.[0]?.path }, { status: 422, path }, second);
  }
  for (const csv of [
    '',
    'wind_speed\n1',
    `time,rain,rain\n${at(6)},1,1`,
    `time,rain\n${at(6)},1,1`,
    `time,rain\n${at(6)},=1+1`,
  ])
    t.equal((await send(world, csv, CSV)).status, 422, csv);
  t.equal((await send(world, lines(good), { 'Content-Type': 'text/plain' })).status, 415);
  t.strictSame(await rowsOf(world, 0, 24, 'raw'), []);
  const limits = lines({ time: at(6), wind_speed: 150, wind_direction: 360, duration_s: 86_400 });
  t.equal((await send(world, limits)).status, 200, 'limits that are met exactly are good');
});

t.test('wind and rain propose exclusions with reasons; accepted exclusions are not proposed again', async (t) => {
  const world = await openStation(t, { units: ['sim-1'] });
  const hours = Array.from({ length: 24 }, (_, hour) => ({
    time: at(hour + 1),
    duration_s: 3_600,
    wind_speed: hour === 10 || hour === 11 ? 6 + hour / 10 : 5,
    ...(hour !== 20 && { rain: hour === 11 ? 0.2 : 0 }),
  }));
  await send(world, lines(...hours));
  const span = `from=${at(0)}&to=${at(24)}`;
  const proposed = (await world.get(`/sim-1/notes/proposals?${span}`)).body;
  t.strictSame(proposed.data, [
    { from: at(10), to: at(12), reason: 'wind', text: 'wind speed 7.1 m/s (above 5) at mast' },
    { from: at(11), to: at(12), reason: 'rain', text: 'rain up to 0.2 mm in 60 min (above 0) at mast' },
  ]);
  t.strictSame(proposed.unobserved, [{ quantity: 'rain', seconds: 3_600, spans: [{ from: at(20), to: at(21) }] }]);
  t.strictSame(proposed.stations, ['mast']);
  const other = (await world.get(`/sim-2/notes/proposals?${span}`)).body;
  t.match(other, { data: [], stations: [] }, 'the station is not for the other unit');
  t.equal(other.unobserved.length, 2, 'the rules have no observations for it');

  const both = await Promise.all(
    [1, 2].map(() => world.post('/sim-1/notes/proposals/accept', { from: at(0), to: at(24), reasons: ['wind'] })),
  );
  t.same(both.map(({ body }) => body.notes.length).sort(), [0, 1], 'asked for twice at once it is written once');
  const [note] = (await world.get('/sim-1/notes')).body.data;
  t.match(note, { from: at(10), to: at(12), kind: 'exclusion', reason: 'wind', text: proposed.data[0].text });
  t.same((await world.get(`/sim-1/notes/proposals?${span}`)).body.data, [proposed.data[1]]);
});

t.test(
  'rules of a unit: margins, shortest time, a value that is equal to a limit, times outside of the span',
  async (t) => {
    const world = await openStation(t);
    t.match((await world.get('/sim-1/notes/rules')).body.data, { usual: true });
    for (const rule of [{ quantity: 'snow', above: 1 }, { quantity: 'rain' }, { quantity: 'rain', above: 1, below: 2 }])
      t.equal((await world.put('/sim-1/notes/rules', { rules: [rule] })).status, 422);
    for (const [rule, field] of [
      [{ quantity: 'rain', above: -0.1 }, 'above'],
      [{ quantity: 'wind_speed', above: 150 }, 'above'],
      [{ quantity: 'wind_speed', below: 0 }, 'below'],
      [{ quantity: 'humidity', below: 100.1 }, 'below'],
    ] as const) {
      const { status, body } = await world.put('/sim-1/notes/rules', { rules: [{ quantity: 'rain', above: 0 }, rule] });
      t.match({ status, body }, { status: 422, body: { errors: [{ path: `/rules/1/${field}` }] } }, 'always or never');
    }
    const edges = [
      { quantity: 'humidity', below: 100 },
      { quantity: 'wind_speed', above: 149.9 },
    ];
    t.equal((await world.put('/sim-1/notes/rules', { rules: edges })).status, 200);
    const rules = [
      { quantity: 'gust', above: 10, before_s: 60, after_s: 120, min_s: 1_200 },
      { quantity: 'temperature', below: -10 },
    ];
    const put = await world.put('/sim-1/notes/rules', { rules });
    t.match(put.body.data, { usual: false, rules: [{ reason: 'wind' }, { reason: 'other', above: null }] });
    await send(
      world,
      lines(
        { time: at(6), gust: 11, temperature: -10 },
        { time: at(7), gust: 10, temperature: -10.1 },
        { time: at(8), duration_s: 600, gust: 12 },
        { time: at(8 + 1 / 6), duration_s: 600, gust: 14 },
      ),
    );
    const minute = 1 / 60;
    const proposals = async (from: number, to: number) =>
      (await world.get(`/sim-1/notes/proposals?from=${at(from)}&to=${at(to)}`)).body.data;
    t.match(await proposals(0, 12), [
      {
        from: at(7 - 10 * minute),
        to: at(7),
        reason: 'other',
        text: 'temperature -10.1 degrees Celsius (below -10) at mast',
      },
      { from: at(8 - 11 * minute), to: at(8 + 12 * minute), reason: 'wind', text: 'gust 14 m/s (above 10) at mast' },
    ]);
    t.match(
      await proposals(8 + 11 * minute, 12),
      [{ from: at(8 + 11 * minute), to: at(8 + 12 * minute) }],
      'of the margin alone',
    );
    await world.put('/sim-1/notes/rules', { rules: [] });
    t.match((await world.get('/sim-1/notes/rules')).body.data, { rules: [], usual: false });
    t.same(await proposals(0, 12), []);
  },
);

t.test(
  'old observations are removed each hour, and too old ones are refused; a restart keeps the others',
  async (t) => {
    const world = await openWorld(t, { settings: { plugin_settings: { stations: { keep_days: 2 } } } });
    await world.put('/_stations/mast', {});
    const now = world.clock.now();
    const ago = (hours: number) => new Date(now - hours * 3_600_000).toISOString();
    t.match(await send(world, lines({ time: ago(48.01), rain: 1 })), { status: 422 });
    await send(world, lines({ time: ago(47.5), rain: 1 }, { time: ago(1), rain: 2 }));
    const kept = async () =>
      (await world.get(`/_stations/mast/observations?from=${ago(72)}&to=${ago(0)}`)).body.data.length;
    t.equal(await kept(), 2);
    await world.clock.advance(3_700_000);
    for (let tries = 0; tries < 100 && (await kept()) > 1; tries++);
    t.equal(await kept(), 1);
    await world.restart(1_000);
    t.equal(await kept(), 1);
    // As a clock that is set far ahead: nothing has come since.
    await world.clock.advance(3 * 86_400_000);
    for (let tries = 0; tries < 20; tries++) t.equal(await kept(), 1, 'age is counted from the newest observation');
  },
);
