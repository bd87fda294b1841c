/**
 * Reports about another channel of the meters. Their numbers are those of the API; a meter that does not record the channel
 * is named.
 */
import { createHash } from 'node:crypto';
import type { Test } from 'tap';
import t from 'tap';
import { IDENTITY_MIGRATIONS } from '../../plugins/reports/identity.ts';
import { REPORT_MIGRATIONS, REPORTS } from '../../plugins/reports/kept/store.ts';
import { NAMED_MIGRATIONS } from '../../plugins/reports/named-store.ts';
import { TEST_FAMILIES } from '../support/families/index.ts';
import { downloaded, endedJob } from '../support/packages.ts';
import {
  address,
  hasNumbers,
  noPoppler,
  pdfOf,
  poppler,
  previewOf,
  SPANS,
  sectionOf,
  shown,
  tablesIn,
  textIn,
  written,
  ZONE,
} from '../support/reports.ts';
import { unzip } from '../support/unzip.ts';
import { type Json, openWorld, type World } from '../support/world.ts';

const SPAN = SPANS['the week in which the clocks go back'];
const [FROM, TO] = SPAN.map((time) => Date.parse(time) / 1_000) as [number, number];
const MIGRATIONS = [...REPORT_MIGRATIONS, ...NAMED_MIGRATIONS, ...IDENTITY_MIGRATIONS];
const HOUR_S = 3_600;
const QUERY = `from=${SPAN[0]}&to=${SPAN[1]}&zone=${ZONE}`;

/** Two meters with the week in their main channel, A and F; the first one has it in its first sub channel, too, with `frequency` and S, 9 dB louder. */
async function withTwo(t: Test, frequency: 'A' | 'C' = 'C'): Promise<World> {
  const world = await openWorld(t, { meters: 2, families: TEST_FAMILIES });
  await world.put('/sim-1/config', { name: 'Roof', history_channels: ['main', 'sub1'], timezone: ZONE });
  await world.put('/sim-2/config', { name: 'Yard', timezone: ZONE });
  const { history } = world.gateway;
  const hours = (louder: number) =>
    Array.from({ length: (TO - FROM) / HOUR_S }, (_, hour) => {
      const leq = 48 + louder + (hour % 24 < 7 ? 0 : 12) + (hour % 5) / 10;
      return { at: FROM + hour * HOUR_S, duration: HOUR_S, leq, lmax: leq + 11, lmin: leq - 6, lpeak: null };
    });
  for (const unitId of ['sim-1', 'sim-2'])
    history.append({ unitId, source: 'poll', weighting: { frequency: 'A', time: 'F' }, intervals: hours(0) });
  history.append({
    unitId: 'sim-1',
    channel: 'sub1',
    source: 'poll',
    weighting: { frequency, time: 'S' },
    intervals: hours(9),
  });
  await history.flush();
  return world;
}

const reportOf = (world: World, more = '', units = 'sim-1') =>
  previewOf(world, address(SPAN, more).replace('sim-1', units));
const tableOf = (unit: Json, name: string) => tablesIn(sectionOf(unit, name))[0];
const textsOf = (unit: Json, name: string) => textIn(sectionOf(unit, name));

t.test('the PDF has the numbers of the API for the channel, and its name', noPoppler, async (t) => {
  const world = await withTwo(t, 'A');
  const indices: Json = (await world.get(`/sim-1/indices?${QUERY}&exclusions=apply&channel=sub1`)).body.data;
  const limits = '&limits=lden:68';
  const assessment: Json = (await world.get(`/sim-1/assessment?${QUERY}${limits}&channel=sub1`)).body.data;
  t.match(indices, { channel: 'sub1', weighting: { frequency: 'A', time: 'S' } });
  const main: Json = (await world.get(`/sim-1/indices?${QUERY}&exclusions=apply`)).body.data;
  t.ok(indices.days[0].lden > main.days[0].lden + 8);
  const pdf = await pdfOf(t, world, address(SPAN, `${limits}&channel=sub1&format=pdf`));
  const text = poppler(t, 'pdftotext', pdf, '-');
  hasNumbers(t, text, { indices, assessment });
  t.match(assessment.total, { met: 0, exceeded: 7 });
  const flowing = text.replaceAll(/\s+/g, ' ');
  t.match(flowing, `LAeq is ${shown(indices.total.leq_24h)} dB`);
  t.match(flowing, 'Noise report: Roof, channel sub1');
  t.match(flowing, 'Channel: sub1. Weighting: A, S.');
  t.match(flowing, 'are of the channel sub1 of the meter');
  t.match(poppler(t, 'pdfinfo', pdf), /Title: +Noise report: Roof, channel sub1\n/);
});

t.test('page, tables and workbook name the channel; without a channel they are about the main channel', async (t) => {
  const world = await withTwo(t);
  const report = await reportOf(world, '&channel=sub1');
  const [unit] = report.units;
  t.match(unit, { unit_id: 'sim-1', title: 'Roof, channel sub1', channel: 'sub1' });
  const [day] = tableOf(unit, 'days').rows;
  const [query, sha256] = tableOf(unit, 'method').rows[0];
  t.match(query, /^GET \/sim-1\/indices\?.*channel=sub1/);
  const { data } = (await world.get(query.replace('GET ', ''))).body;
  t.equal(createHash('sha256').update(JSON.stringify(data)).digest('hex'), sha256);
  const chart = sectionOf(unit, 'charts').blocks[0];
  t.strictSame(
    chart.series.map(({ name }: Json) => name),
    ['LCSmax', 'LCeq'],
  );
  const of = async (format: string) => (await downloaded(world, address(SPAN, `&channel=sub1&format=${format}`))).bytes;
  const page = String(await of('html'));
  t.match(page, '<h2>Roof, channel sub1</h2>');
  t.ok(page.includes(`<tr><td>${written(day[0])}</td><td class="n">${shown(day[1])}</td>`));
  const csv = String(await of('csv')).split('\r\n');
  t.ok(csv.includes('sim-1,days,Levels and indices by day,sub1'));
  t.ok(csv.some((line) => line.startsWith(`${day[0]},${day[1]},`)));
  const parts = unzip(await of('xlsx'));
  t.match(String(parts.get('xl/workbook.xml')), 'name="sub1 Levels and indices by day"');
  t.match([...parts.values()].map(String).join(''), 'Roof, channel sub1');

  const main = await reportOf(world, '&title=Mine');
  t.match(main, { title: 'Mine', units: [{ title: 'Roof', channel: 'main' }] });
  t.strictSame(main, await reportOf(world, '&title=Mine&channel=main'));
  t.notMatch(tableOf(main.units[0], 'method').rows[0][0], 'channel');
  t.match(textsOf(main.units[0], 'summary'), 'Channel: main. Weighting: A, F.');
  t.match(await reportOf(world, '&title=Mine&channel=sub1&template=short'), {
    title: 'Mine',
    units: [{ title: 'Roof, channel sub1' }],
  });
});

t.test('each language names the channel', async (t) => {
  const world = await withTwo(t);
  for (const [lang, title, words] of [
    ['en', 'Noise report: Roof, channel sub1', 'channel sub1 of the meter'],
    ['de', 'Lärmbericht: Roof, Kanal sub1', 'gelten für den Kanal sub1 des Messgeräts'],
    ['fr', 'Rapport de bruit : Roof, voie sub1', "la voie sub1 de l'appareil"],
    ['es', 'Informe de ruido: Roof, canal sub1', 'del canal sub1 del sonómetro'],
    ['ja', '騒音測定報告書：Roof、チャンネル sub1', '騒音計のチャンネル sub1 のもの'],
  ] as const) {
    const report = await reportOf(world, `&channel=sub1&lang=${lang}`);
    t.equal(report.title, title);
    t.match(textsOf(report.units[0], 'method'), words, lang);
    t.match(textsOf(report.units[0], 'summary'), 'sub1', lang);
  }
});

t.test('a channel that is not recorded is refused; of several units, the unit that lacks it has a note', async (t) => {
  const world = await withTwo(t);
  const refused = async (units: string, channel: string, message: RegExp) =>
    t.match(
      await world.get(address(SPAN, `&channel=${channel}`).replace('sim-1', units)),
      { status: 422, body: { code: 'INVALID', errors: [{ path: '/channel', message }] } },
      `${units} ${channel}`,
    );
  await refused('sim-2', 'sub1', /is not recorded for sim-2: .*history_channels/);
  await refused('sim-1', 'sub9', /is no channel of this meter; it has main, sub1, sub2, sub3/);
  await refused('sim-1', 'Sub 1', /./);
  await refused('sim-1,sim-2', 'sub2', /recorded for none of these units/);
  const { title, units } = await reportOf(world, '&channel=sub1', 'sim-1,sim-2');
  t.equal(title, 'Noise report: Roof, Yard, channel sub1');
  t.match(tableOf(units[0], 'days').rows[0], ['2025-10-20']);
  t.strictSame(units[1], {
    unit_id: 'sim-2',
    title: 'Yard, channel sub1',
    channel: 'sub1',
    sections: [
      {
        section: 'summary',
        title: 'Summary',
        blocks: [
          {
            block: 'text',
            text: 'The channel sub1 of the meter is not recorded for this unit: this report has no figures of it.',
          },
        ],
      },
    ],
  });
  // A meter of another family has no such channel at all.
  await world.put('/box/config', { host: '192.0.2.1', tcp_enabled: false, family: 'jsonbox', history: 'off' });
  await refused('box', 'sub1', /is no channel of this meter; it has main/);
  await refused('box,sim-2', 'sub1', /recorded for none of these units/);
  const mixed = (await reportOf(world, '&channel=sub1', 'box,sim-1')).units;
  t.match(mixed[0], {
    title: 'box, channel sub1',
    sections: [{ blocks: [{ text: /is not recorded for this unit/ }] }],
  });
  t.equal(mixed[0].sections.length, 1);
  t.match(tableOf(mixed[1], 'days').rows[0], ['2025-10-20']);
  // The old records are still there.
  await world.put('/sim-1/config', { history_channels: ['main'] });
  t.match(tableOf((await reportOf(world, '&channel=sub1')).units[0], 'days').rows[0], ['2025-10-20']);
});

t.test('the report leaves out exclusions and events of other channels', async (t) => {
  const world = await withTwo(t);
  const about = { kind: 'exclusion', reason: 'fault', from: '2025-10-21T08:00:00Z', to: '2025-10-21T10:00:00Z' };
  await world.post('/sim-1/notes', { ...about, text: 'Cable of sub1', channels: ['sub1'] });
  await world.post('/sim-1/notes', { ...about, reason: 'rain', from: '2025-10-21T09:00:00Z', text: 'All' });
  const rows = async (more: string) =>
    tableOf((await reportOf(world, more)).units[0], 'exclusions').rows.map((row: Json) => row[4]);
  t.strictSame(await rows('&channel=sub1'), ['All', 'Cable of sub1']);
  t.strictSame(await rows(''), ['All']);
  const said = async (more: string) => textsOf((await reportOf(world, more)).units[0], 'exclusions');
  t.match(await said('&channel=sub1'), /^2 h are excluded.* with it LCeq is/);
  t.match(await said(''), /^1 h are excluded.* with it LAeq is/);
  const event = { rule: 0, unit_id: 'sim-1', severity: 'warning', kind: 'level', what: 'leq', limit: 60, detail: '' };
  const times = { opened_at: '2025-10-22T08:00:00Z', closed_at: '2025-10-22T09:00:00Z' };
  const events = [
    { ...event, ...times, rule_name: 'C', worst: 91, channel: 'sub1' },
    { ...event, ...times, rule_name: 'A', worst: 71 },
  ];
  t.match(await world.post('/_alerts/events/import', { events }), { status: 200, body: { taken: 2 } });
  for (const [more, row] of [
    ['&channel=sub1', ['C', 'warning', 'LCeq', 91]],
    ['', ['A', 'warning', 'LAeq', 71]],
  ] as const) {
    const [unit] = (await reportOf(world, more)).units;
    t.strictSame(
      tableOf(unit, 'events').rows.map((one: Json) => one.slice(2, 6)),
      [row],
    );
    t.match(textsOf(unit, 'events'), 'Events about other channels of the meter, not shown: 1.');
  }
});

t.test('a kept report keeps its channel; a run without any data fails and says why', async (t) => {
  const world = await withTwo(t);
  const body = { name: 'C of the roof', units: ['sim-1'], zone: ZONE, formats: ['csv'], channel: 'sub1' };
  const made = await world.post('/_reports', body);
  t.match(made, { status: 201, body: { data: { ...body, warnings: [] } } });
  t.match(await world.post('/_reports', { ...body, units: ['sim-2'] }), {
    status: 422,
    body: { errors: [{ path: '/channel', message: /is not recorded for sim-2/ }] },
  });
  t.match((await world.post('/_reports', { ...body, units: ['sim-1', 'sim-2'] })).body.data, {
    channel: 'sub1',
    warnings: ['sim-2 does not record the channel sub1.'],
  });
  t.match((await world.post('/_reports', { ...body, channel: undefined })).body.data, { channel: 'main' });
  const ran = async (span: string) => {
    const { job } = (await world.post(`/_reports/1/run?${span}`)).body;
    return endedJob(world, job);
  };
  const { state, result } = await ran(`from=${SPAN[0]}&to=${SPAN[1]}`);
  t.equal(state, 'done');
  t.match(result.documents[0].query, 'channel=sub1');
  const kept = String((await downloaded(world, result.documents[0].href)).bytes);
  const preview = address(SPAN, '&channel=sub1&format=csv');
  t.equal(kept, String((await downloaded(world, preview)).bytes), 'the document is what the preview says');
  // Recorded, but nothing is known of it: days without data are no quiet days.
  const empty = `from=2025-09-01T00:00:00Z&to=2025-09-03T00:00:00Z`;
  t.equal((await ran(empty)).state, 'done');
  const nothing = (await world.get(`/_reports/preview?units=sim-1&${empty}&channel=sub1&limits=lden:40`)).body.data;
  t.match(
    textsOf(nothing.units[0], 'summary'),
    /Channel: sub1. Weighting: no data.*\n.*On none of .* days that met the limits: 0; days that exceeded them: 0;/s,
  );
  await world.put('/sim-1/config', { history_channels: ['main'] });
  t.equal((await ran(empty)).state, 'failed');
  t.match((await world.get('/_reports/1')).body.data, {
    warnings: ['sim-1 does not record the channel sub1.'],
    last_run: { state: 'failed', detail: /channel is not recorded for sim-1/ },
  });
});

t.test('a report from before there were channels is about the main channel', async (t) => {
  const world = await withTwo(t);
  const body = {
    name: 'Old',
    units: ['sim-1'],
    period: 'none',
    at: '06:00',
    zone: ZONE,
    formats: ['csv'],
    targets: [],
  };
  await world.post('/_reports', body);
  const tables = await world.gateway.store.tables('reports', [REPORTS], MIGRATIONS);
  await tables.write(async (rows) => {
    const [row] = await rows.find(REPORTS);
    if (row) await rows.put(REPORTS, [{ ...row, body: { ...row.body, wishes: { template: 'levels' } } }]);
  });
  await world.restart(1_000);
  t.match((await world.get('/_reports/1')).body.data, { channel: 'main', template: 'levels', warnings: [] });
  const { job } = (await world.post(`/_reports/1/run?from=${SPAN[0]}&to=${SPAN[1]}`)).body;
  const { result } = await endedJob(world, job);
  const csv = String((await downloaded(world, result.documents[0].href)).bytes);
  const [day] = (await world.get(`/sim-1/indices?${QUERY}`)).body.data.days;
  t.ok(csv.includes(`\r\n2025-10-20,${day.lday},${day.levening},${day.lnight},${day.lden},`));
  t.notMatch(csv, 'sub1');
});

t.test('the page of one unit is about the channel, and its hash is that of its rows', async (t) => {
  const world = await withTwo(t);
  const pageOf = async (unitId: string, more: string) => {
    const { status, body } = await world.get(`/${unitId}/report?${QUERY}&dated=false${more}`);
    return { status, body, text: String(body) };
  };
  const { text } = await pageOf('sim-1', '&channel=sub1');
  t.match(text, '<h1>Noise report: Roof, channel sub1</h1>');
  t.match(text, '<td>Channel</td><td>sub1</td>');
  t.match(text, '<td>Weighting</td><td>C, S (slow)</td>');
  const { days } = (await world.get(`/sim-1/indices?${QUERY}&channel=sub1`)).body.data;
  for (const { date, lday, levening, lnight, lden, leq_24h } of days) {
    const [, line = ''] = new RegExp(`<td>${written(date)}</td>(.*)`).exec(text) ?? [];
    const levels = [...line.matchAll(/<td class="n">([\d.]+)</g)].map(([, level]) => Number(level));
    // The page rounds once, the API to two decimals before.
    for (const [n, level] of [lday, levening, lnight, lden, leq_24h].entries())
      t.ok(Math.abs((levels[n] ?? 0) - level) < 0.0551, `${date}: ${levels[n]} ${level}`);
  }
  const [, rows = ''] = /fetched from the gateway at\n(.*)/.exec(text) ?? [];
  const response = await fetch(new URL(rows.replaceAll('&amp;', '&'), world.base));
  const hash = createHash('sha256').update(Buffer.from(await response.arrayBuffer()));
  t.ok(text.includes(hash.digest('hex')), 'the rows of its address have its hash');
  t.match((await pageOf('sim-1', '')).text, /<h1>Noise report: Roof<.*<td>Channel<\/td><td>main<.*A, F \(fast\)/s);
  for (const [unitId, channel] of [
    ['sim-2', 'sub1'],
    ['sim-1', 'sub9'],
  ] as const)
    t.match(await pageOf(unitId, `&channel=${channel}`), {
      status: 422,
      body: { errors: [{ path: '/channel' }] },
    });
});

t.test('the card may still change levels of the main channel; those of other channels are final', async (t) => {
  const world = await withTwo(t);
  await world.put('/sim-1/config', { mirror: { enabled: true, paths: ['/NL-43'], parse: true } });
  const provisional = async (more: string) =>
    (await world.get(`/sim-1/history?${QUERY}&step=1h${more}`)).body.data.provisional_from;
  t.strictSame(await provisional(''), SPAN[0]);
  t.strictSame(await provisional('&quantities=laeq,lceq'), SPAN[0]);
  t.strictSame(await provisional('&channel=sub1'), null);
  const stateOf = async (more: string) => {
    const page = String((await world.get(`/sim-1/report?${QUERY}${more}`)).body);
    return /<td>Levels<\/td><td>(\w+)/.exec(page)?.[1];
  };
  t.strictSame([await stateOf(''), await stateOf('&channel=sub1')], ['provisional', 'final']);
});

t.test('a station of many units is read once for a report, and each unit lists the question', async (t) => {
  const world = await withTwo(t);
  await world.put('/_stations/mast', { title: 'Mast', zone: ZONE, units: null, interval_s: 3_600 });
  const { units } = await reportOf(world, '', 'sim-1,sim-2');
  for (const unit of units) {
    const asked = tableOf(unit, 'method').rows.map(([query]: Json) => query.replace(/\?.*/, ''));
    t.ok(asked.includes('GET /_stations/mast/observations'), unit.unit_id);
  }
});
