/** The first page of a report: the whole message on one page, and nothing of it is lost in the data. */
import t, { type Test } from 'tap';
import { noPoppler, pdfOf, poppler } from '../support/reports.ts';
import { type Json, openWorld, type World } from '../support/world.ts';

const HOUR_MS = 3_600_000;
/** A Monday; the units are in UTC. */
const MONDAY = Date.UTC(2025, 11, 15);
const at = (hours: number) => new Date(MONDAY + hours * HOUR_MS).toISOString();
const WEEK = `from=${at(0)}&to=${at(7 * 24)}&zone=UTC`;
const LIMIT = { index: 'leq', window: '1h', from: '07:00', to: '20:00', limit_db: 65 };
const EVERY_DAY = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'holiday'];

/** Both are quiet, but for an hour of Tuesday at the first unit; Friday is excluded there. */
async function openSite(t: Test): Promise<World> {
  const world = await openWorld(t, { meters: 2 });
  for (const unitId of ['sim-1', 'sim-2']) {
    await world.put(`/${unitId}/config`, { timezone: 'UTC', name: unitId === 'sim-1' ? 'Quay' : 'Yard' });
    const lines = Array.from({ length: 7 * 24 }, (_, hour) => {
      const leq = unitId === 'sim-1' && hour === 34 ? 78 : 55;
      return `${at(hour)},3600,${leq},${leq + 10}`;
    });
    await world.bring(lines, 'leq,lmax', unitId);
  }
  const about = { kind: 'exclusion', reason: 'rain', text: 'Rain all day', from: at(96), to: at(120) };
  t.equal((await world.post('/sim-1/notes', about)).status, 201);
  return world;
}

const permitted = (world: World, name: string, title: string) =>
  world.put(`/_permits/${name}`, {
    units: ['sim-1', 'sim-2'],
    title,
    limits: [{ ...LIMIT, days: EVERY_DAY }],
  });

async function overviewOf(world: World, more: string) {
  const { overview }: Json = (await world.get(`/_reports/preview?${WEEK}${more}`)).body.data;
  const block = (kind: string, nth = 0) => overview.blocks.filter((one: Json) => one.block === kind)[nth];
  return { lead: overview.blocks[0], verdicts: block('table'), strip: block('strip'), chart: block('chart') };
}

t.test('each permit and unit has its verdict with margin, window and days, the worst first', async (t) => {
  const world = await openSite(t);
  t.equal((await permitted(world, 'works', 'Works 12/345')).status, 201);
  const { lead, verdicts, strip, chart } = await overviewOf(world, '&units=sim-2,sim-1');
  t.match(lead, { text: 'Exceeded: 1 of 2, by up to 13.0 dB.', look: 'lead' });
  t.strictSame(verdicts.rows, [
    [
      'exceeded',
      'Quay',
      'Works 12/345',
      -13,
      'LAeq,1h 07:00-20:00: 78.0 of 65 dB, Tue 16 Dec, 10:00–11:00.\nDays met: 5; exceeded: 1; excluded: 1; not assessable: 0.',
    ],
    [
      'met',
      'Yard',
      'Works 12/345',
      10,
      'LAeq,1h 07:00-20:00: 55.0 of 65 dB, Mon 15 Dec, 07:00–08:00.\nDays met: 7; exceeded: 0; excluded: 0; not assessable: 0.',
    ],
  ]);
  t.strictSame(verdicts.marks, ['bad', 'good']);
  const [, quay] = strip.rows;
  t.strictSame(
    quay.cells.map(({ text, look, mark }: Json) => [text, look, mark]),
    [
      ['55.0', 'level', 'good'],
      ['64.7', 'level', 'bad'],
      ['55.0', 'level', 'good'],
      ['55.0', 'level', 'good'],
      ['55.0', 'excluded', 'unknown'],
      ['55.0', 'level', 'good'],
      ['55.0', 'level', 'good'],
    ],
    'an excluded day has the level that would have counted',
  );
  t.equal(chart.nights.length, 8);
  t.strictSame(chart.limits[0], [MONDAY / 1_000 + 7 * 3_600, MONDAY / 1_000 + 20 * 3_600, 65]);
  t.equal(chart.limits.length, 7, 'one a day');
});

t.test('without a permit the first page has levels and no verdict, and without data it says so', async (t) => {
  const world = await openSite(t);
  const { lead, verdicts } = await overviewOf(world, '&units=sim-1');
  t.match(lead.text, 'No permit is valid for this time');
  t.strictSame(verdicts.rows, [['no permit', 'Quay', '', null, 'LAeq 58.8 dB, LAFmax 88.0 dB']]);
  const later = `from=${at(-240)}&to=${at(-216)}&zone=UTC&units=sim-1`;
  const { overview }: Json = (await world.get(`/_reports/preview?${later}`)).body.data;
  t.equal(overview.blocks[1].rows[0][4], 'There is no data in this period.');
  const short: Json = (await world.get(`/_reports/preview?${WEEK}&units=sim-1&template=short`)).body.data;
  t.equal(short.overview, null, 'a template without it has no first page');
});

t.test('the message is on the first page, in each language; methods and hashes are last', noPoppler, async (t) => {
  const world = await openSite(t);
  for (let n = 0; n < 6; n++)
    await permitted(world, `works-${n}`, `${'A very long name of a permit of this town '.repeat(4)}${n}`);
  for (const [lang, lead, weather] of [
    ['en', 'Exceeded: 6 of 12', 'Weather'],
    ['de', 'Überschritten: 6 von 12', 'Wetter'],
    ['fr', 'Dépassé : 6 sur 12', 'Météo'],
    ['es', 'Superado: 6 de 12', 'Tiempo meteorológico'],
    ['ja', '超過：12 件中 6 件', '気象'],
  ] as const) {
    const path = `/_reports/preview?${WEEK}&units=sim-1,sim-2&format=pdf&lang=${lang}&remarks=${'Long. '.repeat(200)}`;
    const bytes = await pdfOf(t, world, path);
    const first = poppler(t, 'pdftotext', bytes, '-l', '1', '-').replaceAll(/\s+/g, ' ');
    t.match(first.normalize('NFKC'), lead.normalize('NFKC'), lang);
    for (const unit of ['Quay', 'Yard']) t.match(first, `${unit}`);
    t.match(first, 'LAFmax', 'and its chart');
    t.notMatch(first, /Long\. Long|SHA-256/);
    const whole = poppler(t, 'pdftotext', bytes, '-');
    t.ok(whole.indexOf('SHA-256') > whole.lastIndexOf(weather), 'methods are behind all else');
  }
});

t.test(
  'a PDF is tagged: its language, headings, tables with heads, and texts in place of charts',
  noPoppler,
  async (t) => {
    const world = await openSite(t);
    const bytes = await pdfOf(t, world, `/_reports/preview?${WEEK}&units=sim-1&format=pdf&lang=de`);
    t.match(poppler(t, 'pdfinfo', bytes), /Tagged: +yes/);
    t.match(bytes.toString('latin1'), '/Lang (de)');
    const structure = poppler(t, 'pdfinfo', bytes, '-struct-text');
    for (const part of [/^Document/m, /^ +H1 .*\n +"Lärmbericht: Quay"/m, /^ +H2/m, /^ +Table/m, /^ +TR/m])
      t.match(structure, part);
    t.match(structure, /^ +TH[^\n]*\n(?: +[^"\n]*\n)* +"Ergebnis/m, 'a head of a column');
    t.match(bytes.toString('latin1'), /\/S \/Figure[\s\S]{0,200}\/Alt/, 'a chart has a text');
  },
);
