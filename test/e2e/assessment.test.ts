/** Assessments over HTTP: presets, calendars, days with and without gaps, exclusions, single events, the loudest hour. */
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
  const { status, body } = await world.get(`/sim-1/assessment?${query(from, to, more)}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.data;
};

t.test('the rows of a span are saved as CSV and XLSX, each with the reason of its verdict', async (t) => {
  const world = await openWorld(t);
  await importRows(world, { from: 0, to: 48, seconds: 60 }, (hour) => (hour === 34 ? 90 : hour < 36 ? 50 : null));
  const path = `/sim-1/assessment?${query(0, 48, '&preset=de-ta-laerm&area=WA&impulse=0')}`;
  const { days } = (await world.get(path)).body.data;
  const csv = await (await fetch(`${world.base}${path}&format=csv`)).text();
  const [head = '', ...lines] = csv.trim().split('\r\n');
  t.match(head, 'unit_id,date,figure,verdict,value,limit,margin,');
  t.equal(lines.length, days.flatMap(({ figures }: { figures: unknown[] }) => figures).length);
  t.match(lines[0], /^sim-1,2025-12-21,day,met,53\.63,55,.*2025-12-21T06:00:00\.000Z,/);
  const loud = lines.find((line) => line.includes(',2025-12-22,day,'));
  t.match(loud, /,exceeded,.*,"LAFmax 95\.0 of 85 /, 'a single peak exceeds its limit');
  t.match(
    lines.find((line) => line.includes('not_assessable')),
    /(were measured|There is no data)[^,]*\.?"?$/,
  );
  const german = await (await fetch(`${world.base}${path}&format=csv-de`)).text();
  t.match(german, /^unit_id;date;figure/);
  const book = await fetch(`${world.base}${path}&format=xlsx`);
  t.match(book.headers.get('content-disposition'), /assessment_sim-1_2025-12-21\.xlsx/);
  t.match(
    Buffer.from(await book.arrayBuffer())
      .subarray(0, 2)
      .toString(),
    'PK',
  );
});

t.test('days are met, exceeded or not assessable; the numbers are those of GET indices', async (t) => {
  const world = await openWorld(t);
  // Saturday 20 to Monday 22 December: quiet, loud from 10 to 11, without data from 12 to 18.
  await importRows(world, { from: -24, to: 56, seconds: 60 }, (hour) => {
    if (hour >= 10 && hour < 11) return 80;
    return hour >= 36 && hour < 42 ? null : 50;
  });
  const found = await assessed(world, '&limits=lden:60,day:60&by=week', [-24, 48]);
  t.strictSame(
    found.days.map(({ date, verdict }: { date: string; verdict: string }) => [date, verdict]),
    [
      ['2025-12-20', 'met'],
      ['2025-12-21', 'exceeded'],
      ['2025-12-22', 'not_assessable'],
    ],
  );
  const [lden, day] = found.days[1].figures;
  const { days } = (await world.get(`/sim-1/indices?${query(0, 24)}`)).body.data;
  t.equal(lden.value, days[0].lden);
  t.equal(day.value, days[0].lday);
  t.match(lden, { limit: 60, assessable: true, verdict: 'exceeded', coverage: 1 });
  t.equal(Math.round(lden.margin * 100), Math.round((60 - lden.value) * 100));
  t.match(found.days[2].figures[0], { value: null, lr: null, assessable: false });
  t.match(found.days[2].figures[1].reasons, [/50 % of the time were measured/]);
  t.match(found.total, {
    met: 1,
    exceeded: 1,
    not_assessable: 1,
    figures: [{ figure: 'lden', days: 2, left_out: ['2025-12-22'] }],
  });
  // Two days that count the same: 56.4 and the loud one.
  const energy = (level: number) => 10 ** (level / 10);
  const mean = 10 * Math.log10((energy(found.days[0].figures[0].value) + energy(lden.value)) / 2);
  t.ok(Math.abs(found.total.figures[0].mean - mean) < 0.011);
  t.strictSame(
    found.groups.map(({ name }: { name: string }) => name),
    ['2025-W51', '2025-W52'],
  );
  t.match(found, {
    status: 'unchecked',
    notes: [/compare with the text/, /No calendar/],
    weighting: { frequency: 'A' },
  });

  const made = await world.post('/sim-1/notes', { from: at(10), to: at(11), kind: 'exclusion', reason: 'own_noise' });
  t.equal(made.status, 201);
  const [quiet] = (await assessed(world, '&limits=lden:60')).days;
  t.match(quiet, {
    verdict: 'met',
    figures: [
      { leq: 50, excluded_s: 3_600, leq_all: lden.leq },
      { leq: 50, excluded_s: 3_600, leq_all: day.leq },
      { excluded_s: 0, leq_all: null },
    ],
  });
  t.equal(quiet.figures[0].value, 56.4);
  t.match(await assessed(world, ''), { exclusions: ['1'], edge: 'second' });
  t.equal((await assessed(world, '&exclusions=ignore')).edge, null);
  t.equal((await assessed(world, '&limits=lden:60&exclusions=ignore')).days[0].verdict, 'exceeded');
});

t.test('holidays, areas, rest hours and facts from a person', async (t) => {
  const world = await openWorld(t);
  await importRows(world, { from: 24, to: 80, seconds: 60 }, () => 50);
  const monday = (more: string) => assessed(world, `&preset=de-ta-laerm&impulse=0${more}`, [24, 48]);
  const [plain] = (await monday('&area=WA&tonal=3')).days;
  // 13 hours of 53 dB and three of 59; a Monday of 16 hours.
  const rated = (rest: number) => 53 + 10 * Math.log10((16 - rest + rest * 10 ** 0.6) / 16);
  t.ok(Math.abs(plain.figures[0].value - rated(3)) < 0.011);
  t.match(plain, {
    kind: 'mon',
    verdict: 'exceeded',
    figures: [{ limit: 55 }, { value: 53, limit: 40, peak_limit: 60 }],
  });
  t.equal((await monday('')).days[0].verdict, 'no_limit');

  t.equal((await world.put('/_calendars/made-up', { days: [{ date: '2025-12-22', name: 'Long night' }] })).status, 201);
  const [holiday] = (await monday('&area=WA&tonal=3&calendar=made-up')).days;
  t.equal(holiday.kind, 'holiday');
  t.ok(Math.abs(holiday.figures[0].value - rated(7)) < 0.011, 'seven hours of rest');
  const calendarOf = async (name: string, span: readonly [number, number]) => {
    const { body } = await world.get(`/sim-1/assessment?${query(...span, `&preset=de-ta-laerm&calendar=${name}`)}`);
    const { days, notes } = body.data;
    return { kinds: days.map((day: { kind: string }) => day.kind), notes: notes.join(' ') };
  };
  t.strictSame((await calendarOf('de', [96, 144])).kinds, ['holiday', 'holiday'], 'a built-in one has Christmas');
  t.notMatch((await calendarOf('de', [96, 144])).notes, 'alendar');
  t.match(
    (await calendarOf('made-up', [240, 288])).notes,
    'made-up has no days of 2026: no day of that year is a holiday',
  );

  t.match((await world.get(`/sim-1/assessment?${query(24, 48, '&preset=de-ta-laerm')}`)).body.data.days[0].figures[0], {
    assessable: false,
    reasons: [/LAFTeq is not known/],
  });
  for (const [more, path] of [
    ['&preset=nowhere', undefined],
    ['&preset=de-ta-laerm&area=moon', '/area'],
    ['&preset=de-ta-laerm&tonal=4', '/tonal'],
    ['&preset=de-ta-laerm&tonal=noon:3', '/tonal'],
    ['&preset=eu-lden&tonal=3', '/tonal'],
    ['&limits=noon:3', '/limits'],
    ['&duration_s=90000', '/duration_s'],
    ['&calendar=none', undefined],
  ] as const) {
    const { status, body } = await world.get(`/sim-1/assessment?${query(24, 48, more)}`);
    if (path === undefined) t.match({ status, code: body.code }, { status: 404, code: 'ASSESSMENT_NOT_FOUND' }, more);
    else t.match({ status, path: body.errors?.[0].path }, { status: 422, path }, more);
  }
  const far = await world.get(`/sim-1/assessment?${query(0, 63 * 24, '&preset=de-ta-laerm')}`);
  t.match(far.body.errors, [{ path: '/to', message: /62 days.*single seconds/ }]);
});

t.test('presets of people: written, confirmed, removed, and refused with the path of the error', async (t) => {
  const world = await openWorld(t);
  const { data: presets } = (await world.get('/_assessments')).body;
  t.ok(presets.length >= 14);
  t.match(presets[0], {
    name: 'de-avv-baulaerm',
    built_in: true,
    own: false,
    status: 'unchecked',
    advice: /compare with the text/,
  });
  const all = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'holiday'];
  const body = {
    title: 'Our permit',
    periods: [
      { name: 'day', times: [{ days: all, from: '07:00', to: '20:00' }] },
      { name: 'night', times: [{ days: all, from: '20:00', to: '07:00' }] },
    ],
    figures: [{ name: 'day', period: 'day', quantity: 'leq', window_s: 3_600 }],
    areas: [{ name: 'site', title: 'The site', limits: { day: 65 } }],
  };
  const made = await world.put('/_assessments/permit', body);
  t.match(made, { status: 201, body: { data: { name: 'permit', own: true, min_coverage: 0.75 } } });
  t.equal((await world.put('/_assessments/permit', made.body.data)).status, 200, 'what GET shows may be sent back');
  await importRows(world, { from: 0, to: 24, seconds: 60 }, (hour) => (hour >= 9 && hour < 10 ? 66 : 60));
  const [day] = (await assessed(world, '&preset=permit')).days;
  t.match(day, {
    verdict: 'exceeded',
    figures: [{ value: 66, limit: 65, margin: -1, worst: { from: at(9), to: at(10) } }],
  });

  const wrong = async (more: object, path: string) => {
    const { status, body: answer } = await world.put('/_assessments/wrong', { ...body, ...more });
    t.match(
      { status, paths: answer.errors?.map((error: { path: string }) => error.path) },
      { status: 422, paths: [path] },
      path,
    );
  };
  const [first, second] = body.periods;
  await wrong({ periods: [first] }, '/periods/0/times/0');
  await wrong(
    { periods: [first, { ...second, times: [{ days: all, from: '19:00', to: '07:00' }] }] },
    '/periods/1/times/0',
  );
  await wrong({ rest: { db: 31, times: [{ days: all, from: '07:00', to: '08:00' }], areas: null } }, '/rest');
  await wrong({ peaks_over: { evening: 30 } }, '/peaks_over/evening');
  t.equal((await world.get('/_assessments/wrong')).status, 404, 'nothing is half kept');
  const days = Array.from({ length: 10_000 }, (_, at) => ({
    date: new Date(at * 86_400_000).toISOString().slice(0, 10),
    name: '',
  }));
  t.match(await world.put('/_calendars/long', { days }), { status: 422, body: { errors: [{ path: '/days' }] } });
  const twice = [
    { date: '2025-12-25', name: 'a' },
    { date: '2025-12-25', name: 'b' },
  ];
  t.match(await world.put('/_calendars/twice', { days: twice }), {
    status: 422,
    body: { errors: [{ path: '/days/1/date' }] },
  });

  const builtIn = (await world.get('/_calendars')).body.data[0];
  t.match(builtIn, { name: 'de', built_in: true, own: false, source: /states/ });
  t.match(await world.delete('/_calendars/de'), { status: 422, body: { code: 'INVALID' } });
  t.match(await world.put('/_calendars/de', builtIn), {
    status: 200,
    body: { data: { built_in: true, own: true, source: null } },
  });
  t.equal((await world.delete('/_calendars/de')).status, 200);
  t.strictSame((await world.get('/_calendars')).body.data[0], builtIn, 'is back');

  const confirmed = await world.put('/_assessments/eu-lden', { confirmed_by: 'A. Reader' });
  t.match(confirmed.body.data, { own: true, built_in: true, status: 'confirmed', advice: null });
  const same = await world.put('/_assessments/eu-lden', { min_coverage: 0.75 });
  t.equal(same.body.data.status, 'confirmed', 'nothing is different');
  const other = await world.put('/_assessments/eu-lden', { min_coverage: 0.5 });
  t.match(
    other.body.data,
    { status: 'unchecked', confirmed_by: null, advice: /compare/ },
    'other numbers, nobody read',
  );
  const both = await world.put('/_assessments/eu-lden', { min_coverage: 0.6, confirmed_by: 'B. Reader' });
  t.match(both.body.data, { status: 'confirmed', confirmed_by: 'B. Reader' });
  t.equal((await world.delete('/_assessments/eu-lden')).status, 200);
  t.match((await world.get('/_assessments/eu-lden')).body.data, { own: false, status: 'unchecked' });
  t.equal((await world.delete('/_assessments/eu-lden')).status, 422, 'one that comes with the gateway stays');
  await world.restart(1_000);
  t.equal((await world.get('/_assessments/permit')).body.data.title, 'Our permit', 'on the disk');
});

t.test('today is judged when it is over', async (t) => {
  const world = await openWorld(t);
  const now = world.clock.now();
  const hour = 3_600_000;
  const midnight = Math.floor(now / (24 * hour)) * 24 * hour;
  const span = [midnight, now].map((time) => new Date(time).toISOString());
  const of = async () => {
    const path = `/sim-1/assessment?preset=eu-lden&limits=day:60&zone=UTC&from=${span[0]}&to=${span[1]}`;
    return (await world.get(path)).body.data;
  };
  t.match(await of(), { days: [{ verdict: 'not_assessable' }], total: { met: 0, not_assessable: 1 } });
  t.match((await of()).days[0].figures[1].reasons, ['This time is not over.']);
});

t.test('a fact that is given twice for one period or figure is refused', async (t) => {
  const world = await openWorld(t);
  const ask = (more: string) => world.get(`/sim-1/assessment?from=${at(0)}&to=${at(24)}${more}`);
  for (const [more, path] of [
    ['&preset=eu-lden&limits=lden:55,lden:65', '/limits'],
    ['&preset=fr-voisinage&residual=day:40,day:60', '/residual'],
  ] as const)
    t.match(await ask(more), { status: 422, body: { errors: [{ path, message: /twice/ }] } });
});

t.test('the distribution of levels, and the spread of the background', async (t) => {
  const world = await openWorld(t);
  const lines = Array.from({ length: 96 }, (_, quarter) => `${at(quarter / 4)},900,55,${quarter < 60 ? 41 : 45.2}`);
  await world.bring(lines.slice(0, 90), 'leq,l90');
  const { data } = (await world.get(`/sim-1/distribution?${query(0, 24)}`)).body;
  t.match(data.background, { count: 90, left_out: 6, mode: 41, median: 41, lowest: 41, highest: 45.2 });
  t.strictSame(data.background.classes, [
    { level: 41, count: 60 },
    { level: 45, count: 30 },
  ]);
  t.equal(data.coverage, 0.937);
});
