/** Reports over HTTP: the document has the numbers of the API, the PDF has those of the document, bad input is named. */
import { createHash } from 'node:crypto';
import t from 'tap';
import { openKeyedGateway } from '../support/keyed-gateway.ts';
import {
  address,
  hasNumbers,
  importHours,
  noPoppler,
  pdfOf,
  poppler,
  SPANS,
  sectionOf,
  shown,
  tablesIn,
  textIn,
  written,
  ZONE,
} from '../support/reports.ts';
import { unzip } from '../support/unzip.ts';
import { type Json, openWorld } from '../support/world.ts';

const DAY_MS = 24 * 3_600_000;

t.test('the PDF has the numbers of the API', noPoppler, async (t) => {
  const world = await openWorld(t);
  await importHours(world, SPANS['the week in which the clocks go back'][0], SPANS['a month'][1]);
  for (const [name, span] of Object.entries(SPANS)) {
    const [from, to] = span;
    const query = `from=${from}&to=${to}&zone=${ZONE}`;
    const indices: Json = (await world.get(`/sim-1/indices?${query}&exclusions=apply`)).body.data;
    const assessment: Json = (await world.get(`/sim-1/assessment?${query}&limits=lden:58`)).body.data;
    const text = poppler(t, 'pdftotext', await pdfOf(t, world, address(span, '&limits=lden:58&format=pdf')), '-');
    t.equal(indices.days.length, Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS), name);
    hasNumbers(t, text, { indices, assessment });
    const { total } = indices;
    t.match(text.replaceAll(/\s+/g, ' '), `On ${total.days} of ${indices.days.length} days there is enough data`);
    t.match(text.replaceAll(/\s+/g, ' '), `LAeq is ${shown(total.leq_24h)} dB`);
    t.match(text.replaceAll(/\s+/g, ' '), `Lden is ${shown(total.mean_of_days.lden)} dB as the mean`);
  }
});

t.test('a PDF is made well: A4 and Letter, fonts embedded, the same bytes again', noPoppler, async (t) => {
  const world = await openWorld(t);
  await importHours(world, ...SPANS['a week']);
  const span = SPANS['a week'];
  const first = await pdfOf(t, world, address(span, '&format=pdf'));
  t.ok(first.equals(await pdfOf(t, world, address(span, '&format=pdf'))), 'the same bytes');
  t.match(poppler(t, 'pdfinfo', first), /Title: +Noise report: sim-1[\s\S]*Page size: +595\.28 x 841\.89 pts \(A4\)/);
  const letter = await pdfOf(t, world, address(span, '&format=pdf&paper=letter'));
  t.match(poppler(t, 'pdfinfo', letter), /Page size: +612 x 792 pts \(letter\)/);
  const fonts = poppler(t, 'pdffonts', first).split('\n').slice(2).filter(Boolean);
  t.equal(fonts.length, 2);
  for (const font of fonts)
    t.match(font, /NotoSans-(Regular|Bold) .*TrueType .* yes yes yes /, 'embedded, a subset, with its letters');
});

t.test('texts stay texts, and characters that the fonts lack are named', noPoppler, async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { name: '=1+1 <b>Größe</b> Ω Ж 소음' });
  const text = poppler(
    t,
    'pdftotext',
    await pdfOf(t, world, address(SPANS['a week'], '&format=pdf&remarks=a%0Ab')),
    '-',
  );
  t.match(text, '=1+1 <b>Größe</b> Ω Ж ??');
  t.match(
    text.replaceAll(/\s+/g, ' '),
    'Not printable with the fonts of this document, and shown as "?": U+C18C, U+C74C.',
  );
  t.match(text, /Remarks\s+a\s+b\s/);
  t.match(text, 'There is nothing to draw.');
});

t.test('page and tables have the same content, and a text in them is neither markup nor a formula', async (t) => {
  const world = await openWorld(t);
  const span = SPANS['a week'];
  await importHours(world, ...span);
  await world.put('/sim-1/config', { name: '=1+1 <img src=x> 騒音' });
  const cell = '=HYPERLINK("http://192.0.2.1")<script>alert(1)</script>';
  await world.post('/sim-1/notes', {
    from: '2025-11-04T08:00:00Z',
    to: '2025-11-04T10:00:00Z',
    kind: 'exclusion',
    reason: 'rain',
    text: cell,
  });
  const of = async (format: string) => {
    const response = await fetch(`${world.base}${address(span, `&format=${format}&remarks=%3Cb%3E`)}`);
    t.equal(response.status, 200, format);
    return { text: await response.text(), headers: response.headers };
  };
  const report: Json = (await world.get(address(span, '&remarks=%3Cb%3E'))).body.data;
  const tables: Json[] = report.units[0].sections.flatMap(tablesIn);

  const page = await of('html');
  t.match(page.headers.get('content-security-policy'), /default-src 'none'; style-src 'sha256-/);
  t.notMatch(page.text, /<script|<img|<b>/, 'nothing that was entered is markup');
  for (const words of ['=1+1 &lt;img src=x&gt; 騒音', '&lt;script&gt;alert(1)', '<p>&lt;b&gt;</p>', '<svg viewBox='])
    t.ok(page.text.includes(words), words);
  const [first] = tables.find(({ name }: Json) => name.startsWith('Levels')).rows;
  const cells = [...first.slice(1, 9).map(shown)].map((level: string) => `<td class="n">${level}</td>`).join('');
  t.ok(page.text.includes(`<tr><td>${written(first[0])}</td>${cells}`), 'the levels of a day');

  const { text, headers } = await of('csv');
  t.match(headers.get('content-disposition'), 'attachment; filename="report_2025-11-02_2025-11-09.csv"');
  t.ok(text.includes(`"'=HYPERLINK(""http://192.0.2.1"")<script>alert(1)</script>"`), 'no formula');
  t.notMatch(text, /(^|,)"?[=+@]/m);
  const lines = text.split('\r\n');
  for (const { name, columns, rows } of tables) {
    const at = lines.findIndex((line) => line.endsWith(`,${name}`));
    t.equal(
      lines[at + 1]?.split(',').length,
      columns
        .map((one: Json) => one.title)
        .join(',')
        .split(',').length,
      name,
    );
    t.equal(lines[at + 2 + rows.length], '', `${name}: ${rows.length} rows`);
  }
  const row = lines.find((line) => line.startsWith(`${first[0]},${first[1]},`));
  t.equal(row, first.join(','), 'numbers are numbers, with two decimals');
});

t.test('the document names its sources, and has notes, calibrations and exclusions', async (t) => {
  const world = await openWorld(t);
  const span = SPANS['a week'];
  await importHours(world, ...span);
  await world.post('/sim-1/notes', {
    from: '2025-11-04T08:00:00Z',
    to: '2025-11-04T10:00:00Z',
    kind: 'exclusion',
    reason: 'own_noise',
    text: 'We cut the hedge.',
  });
  for (const [time, before] of [
    ['2025-10-01T08:00:00Z', 94.31],
    ['2025-11-05T08:00:00Z', 94.12],
    ['2025-09-01T08:00:00Z', 93.9],
  ] as const)
    await world.post('/sim-1/calibrations', { time, nominal_db: 94, before_db: before, after_db: 94 });
  const report: Json = (await world.get(address(span, '&limits=lden:58'))).body.data;
  const [unit] = report.units;
  const section = (name: string) => sectionOf(unit, name);
  const table = (name: string) => tablesIn(section(name))[0];
  t.strictSame(table('exclusions').rows, [
    ['1', '2025-11-04T09:00:00+01:00', '2025-11-04T11:00:00+01:00', 'own noise', 'We cut the hedge.', 'anybody'],
  ]);
  t.match(section('exclusions').blocks[0].text, /^2 h are excluded.* with it LAeq is \d\d\.\d dB\.$/);
  t.strictSame(
    table('calibration').rows.map((row: Json) => row.slice(0, 3)),
    [
      ['2025-10-01T10:00:00+02:00', 94, 94.31],
      ['2025-11-05T09:00:00+01:00', 94, 94.12],
    ],
    'those of the period, and the last one before it',
  );
  const { fingerprint } = (await world.get('/_evidence/key')).body.data;
  t.ok(JSON.stringify(section('method')).includes(fingerprint), 'and the key of evidence');
  const [query, sha256] = table('method').rows[0];
  const path = query.replace('GET ', '');
  const { data } = (await world.get(path)).body;
  t.equal(createHash('sha256').update(JSON.stringify(data)).digest('hex'), sha256, path);
  t.strictSame((await world.get(address(span, '&limits=lden:58'))).body.data, report, 'the same content again');
  const short: Json = (await world.get(address(span, '&template=short'))).body.data;
  t.strictSame(
    short.units[0].sections.map((one: Json) => one.section),
    ['summary', 'limits', 'charts'],
  );
});

t.test('limits, severities and reasons are words, and so are the figures of a preset', async (t) => {
  const world = await openWorld(t);
  await importHours(world, ...SPANS['a week']);
  const figuresOf = async (more: string) => {
    const { units }: Json = (await world.get(address(SPANS['a week'], `&template=short${more}`))).body.data;
    const limits = sectionOf(units[0], 'limits');
    const [{ rows }] = tablesIn(limits);
    return { figures: rows.map(([name]: Json) => name), first: limits.blocks[0].text };
  };
  t.strictSame(await figuresOf(''), {
    figures: ['Lden', 'Lday', 'Levening', 'Lnight'],
    first: 'Lden and Lnight, periods of the directive. Directive 2002/49/EC, Annex I',
  });
  for (const [preset, figures] of [
    ['us-ldn', ['Ldn', 'Lday', 'Lnight']],
    ['de-ta-laerm&area=WA', ['Lr, day', 'Lr, night, loudest 1 h']],
    ['jp-kankyo', ['LAeq, day', 'LAeq, night', 'LAF5, day']],
    ['fr-voisinage', ['Emergence, day', 'Emergence, night']],
    ['uk-bs4142', ['Lr over background, day, loudest 1 h', 'Lr over background, night, loudest 15 min']],
  ] as const)
    t.strictSame((await figuresOf(`&preset=${preset}`)).figures, figures, preset);
  const { first } = await figuresOf('&preset=de-ta-laerm&area=WA');
  t.match(first, /^Germany: TA Lärm, installations, \w.*\. .*TA Lärm/, 'the area is said in words');
  const german = await figuresOf('&preset=de-ta-laerm&area=WA&lang=de');
  t.equal(
    german.first,
    'Deutschland: TA Lärm, Anlagen, Allgemeines Wohngebiet. TA Lärm 1998, Nr. 6 und Anhang A.1',
    'in the language of the report',
  );
  const { title, ...preset }: Json = (await world.get('/_assessments/jp-kankyo')).body.data;
  const figures = [
    { name: 'rush_hour', period: 'day', quantity: 'leq', window_s: 3600 },
    { name: 'rush', period: 'day', quantity: 'leq', window_s: 3600 },
    { name: 'all_day', period: null, quantity: 'leq', window_s: null, weights: { day: 0, night: 0 } },
  ];
  const own = { title, source: preset.source, periods: preset.periods, areas: [], figures };
  t.equal((await world.put('/_assessments/own', own)).status, 201);
  t.strictSame(
    (await figuresOf('&preset=own')).figures,
    ['LAeq, day, loudest 1 h (rush_hour)', 'LAeq, day, loudest 1 h (rush)', 'all day'],
    'two figures with the same text have their names',
  );
});

t.test('facts from a person count as in the assessment, and the report has them', noPoppler, async (t) => {
  const world = await openWorld(t);
  const span = SPANS['the week in which the clocks go back'];
  await importHours(world, ...span);
  const asked = '&preset=uk-bs4142&residual=day:45,night:50&background=40&tonal=day:2,night:0';
  const api: Json = (await world.get(`/sim-1/assessment?from=${span[0]}&to=${span[1]}&zone=${ZONE}${asked}`)).body.data;
  const [monday] = api.days;
  t.equal(monday.figures[0].assessable, true);
  const { units }: Json = (await world.get(address(span, asked))).body.data;
  const limits = sectionOf(units[0], 'limits');
  t.match(
    textIn(limits),
    'Said by a person: tones, by ear: day 2, night 0 dB; level without the source: day 45, night 50 dB; representative LA90: 40 dB.',
  );
  t.match(textIn(limits), /What to know of values\n[\s\S]*night.*: Total and residual level are less than 10 dB apart/);
  const rows = tablesIn(limits)[1].rows;
  t.strictSame(
    rows.map((row: Json) => row[2]),
    api.days.flatMap(({ figures }: Json) => figures.map(({ value }: Json) => value)),
    'the numbers are those of the assessment',
  );
  const german = poppler(t, 'pdftotext', await pdfOf(t, world, address(span, `${asked}&lang=de&format=pdf`)), '-');
  t.match(german, /Angaben einer Person: Töne, nach Gehör: Tag 2, Nacht 0 dB/);
  t.match(german, /Was zu den Werten zu wissen ist[\s\S]*Gesamt- und Restpegel liegen weniger als 10 dB\s+auseinander/);
  for (const [more, path] of [
    ['&preset=uk-bs4142&tonal=5', '/tonal'],
    ['&preset=eu-lden&tonal=3', '/tonal'],
    ['&preset=fr-voisinage&residual=noon:3', '/residual'],
    ['&preset=fr-voisinage&residual=<b>', '/residual'],
  ] as const)
    t.match(await world.get(address(span, more)), { status: 422, body: { errors: [{ path }] } });
  const kept = {
    name: 'Factory',
    units: ['sim-1'],
    preset: 'uk-bs4142',
    residual: 'day:45,night:50',
    background: '40',
  };
  t.match(await world.post('/_reports', { ...kept, residual: 'noon:3' }), {
    status: 422,
    body: { errors: [{ path: '/residual' }] },
  });
  const made = await world.post('/_reports', kept);
  t.match(made, { status: 201, body: { data: { residual: 'day:45,night:50', background: '40', tonal: null } } });
});

t.test('sheets of several units have different names, also for long names of units', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  const long = 'the-noise-of-the-bridge-at-the-harbour';
  for (const side of ['north', 'south'])
    await world.put(`/${long}-${side}/config`, { host: '192.0.2.1', tcp_enabled: false, name: `Bridge ${side}` });
  const of = async (units: string) => {
    const path = address(SPANS['a week'], '&template=short&format=xlsx').replace('sim-1', units);
    const parts = unzip(Buffer.from(await (await fetch(`${world.base}${path}`)).arrayBuffer()));
    const names = String(parts.get('xl/workbook.xml')).matchAll(/<sheet [^>]*name="([^"]*)"/g);
    return { names: [...names].map(([, name]) => name), words: [...parts.values()].map(String).join('') };
  };
  const { names, words } = await of(`${long}-north,${long}-south`);
  const tables = ['Figures of the whole period', 'Figures of each day'];
  t.strictSame(names, ['Report', ...tables.map((one) => `1 ${one}`), ...tables.map((one) => `2 ${one}`)]);
  for (const place of ['1 Bridge north', '2 Bridge south']) t.ok(words.includes(place), place);
  t.strictSame((await of('sim-1,sim-2')).names.slice(1, 3), [
    'sim-1 Figures of the whole peri',
    'sim-1 Figures of each day',
  ]);
});

t.test('the answer to bad input names its path', async (t) => {
  const world = await openWorld(t, { meters: 5 });
  const span = SPANS['a week'];
  for (const [query, path] of [
    [address(span).replace('sim-1', 'nobody'), '/units'],
    [address(span).replace('sim-1', '../x'), '/units'],
    [address([span[1], span[0]]), '/to'],
    [address(['2020-01-01T00:00:00Z', '2025-01-01T00:00:00Z']), '/to'],
    [
      address(['2024-01-01T00:00:00Z', '2024-12-31T00:00:00Z']).replace('sim-1', 'sim-1,sim-2,sim-3,sim-4,sim-5'),
      '/units',
    ],
    [address(span, '&template=none'), '/template'],
    [address(span, '&paper=a3'), '/paper'],
    [address(span, '&lang=xx'), '/lang'],
    [address(span, '&format=xml'), '/format'],
    [address(span, '&limits=nothing:50'), '/limits'],
    [address(span, '&area=nowhere'), '/area'],
    [address(span, `&title=${'x'.repeat(201)}`), '/title'],
    [address(span, '&remarks=%1b'), '/remarks'],
    [address(span).replace(ZONE, 'Mars/Crater'), '/zone'],
  ] as const) {
    const { status, body } = await world.get(query);
    t.match({ status, body }, { status: 422, body: { code: 'INVALID', errors: [{ path }] } }, query);
  }
  t.match(await world.get(address(span, '&preset=none')), { status: 404, body: { code: 'ASSESSMENT_NOT_FOUND' } });
});

t.test('a key of some units makes reports of these alone', async (t) => {
  const keyed = await openKeyedGateway(t);
  const roof = await keyed.key({ name: 'roof', units: 'roof' });
  const path = (units: string) => address(SPANS['a week']).replace('sim-1', units);
  t.equal((await keyed.ask('GET', path('roof'))).status, 401);
  t.equal((await keyed.ask('GET', path('roof'), roof)).status, 200);
  for (const units of ['cellar', 'roof,cellar', 'nobody'])
    t.match(
      await keyed.ask('GET', path(units), roof),
      { status: 422, body: { errors: [{ path: '/units', message: /is no unit that you may see/ }] } },
      units,
    );
});
