/** The report: what it says, what it never does, and that its hash is that of the rows. */
import { createHash } from 'node:crypto';
import t from 'tap';
import { createFamilies } from '../../lib/drivers/index.ts';
import type { DeviceConfig, Host, Request, Route } from '../../lib/index.ts';
import { createLog } from '../../lib/log.ts';
import history from '../../plugins/history/index.ts';
import indices from '../../plugins/indices/index.ts';
import { addUnitReport } from '../../plugins/reports/unit-report.ts';
import { configOf, noNotes, using } from '../plugin/doubles.ts';
import { PlainHistory } from '../support/plain-history.ts';
import { standIn } from '../support/stand-in.ts';

const NAME = `<script>alert("1")</script> & 'roof' \u0000 =1+1`;
const FROM = Date.UTC(2026, 9, 24, 22) / 1_000;
const HOURS = 49;

/** Two local days of Berlin, the first of 25 hours; an hour is missing, one is loud. */
function recorded(hours: number): PlainHistory {
  const kept = new PlainHistory(() => FROM * 1_000);
  const weighting = { frequency: 'A', time: 'F' } as const;
  for (let hour = 0; hour < hours; hour++) {
    if (hour === 3) continue;
    const leq = hour === 12 ? 75 : 50;
    const rows = { lmax: leq + 10, lmin: leq - 10, lpeak: leq + 20 };
    const intervals = [{ at: FROM + hour * 3_600, duration: 3_600, leq, ...rows }];
    kept.append({ unitId: 'roof', source: 'card', weighting, intervals });
  }
  return kept;
}

/** After every period that is asked for here. */
const AFTER = FROM + 100 * 3_600;

/** `now`: s since 1970. */
function served(config: Partial<DeviceConfig> = {}, now = AFTER, hours = HOURS) {
  let written = 0;
  const routes = new Map<string, Route>();
  const unit = {
    ...configOf({ unitId: 'roof' }),
    timezone: 'Europe/Berlin',
    tcpEnabled: false,
    history: 'off' as const,
    name: NAME,
    ...config,
  };
  const host = standIn<Host<{ readonly import_mb: number }>>({
    use: using(),
    signing: { present: async () => ({ fingerprint: 'sha256:0123' }) },
    log: createLog('silent'),
    settings: { import_mb: 1 },
    jobs: { kind: () => () => {} },
    history: recorded(hours),
    clock: { now: () => now * 1_000 + ++written, elapsed: () => 0, after: () => () => {} },
    configs: { get: () => unit, of: () => unit, list: () => [], onChange: () => () => {} },
    families: createFamilies(),
    reachability: () => ({ clock: { offsetMs: -1_500, at: FROM * 1_000 } }),
    report: () => undefined,
    route: (route: Route) => void routes.set(`${route.method} ${route.path}`, route),
    on: () => () => {},
    part: () => () => {},
    onStop: () => {},
    async ask(request: Request, { path, query = {} }: { readonly path: string; readonly query?: object }) {
      const found = routes.get(`GET ${path}`);
      // Nothing is noted here, and nothing was calibrated.
      const handled = { ...request, query: { min_coverage: 0.75, by: 'none', ...query } } as Request;
      const data = found ? await found.handle(handled) : { data: [], next: null };
      return { content: { kind: 'json', data } };
    },
  });
  const identities = { of: async () => ({ type: null, serial: null }) };
  const ready = Promise.all([history, indices].map((plugin) => plugin.register(host))).then(() =>
    addUnitReport(host, {
      ...host,
      notes: noNotes,
      permits: { of: () => [], today: async () => undefined },
      identities,
    }),
  );
  // biome-ignore lint/suspicious/noExplicitAny: a reply of any kind
  return async (name: string, query: object): Promise<any> => {
    await ready;
    const request = standIn<Request>({
      path: `/api/nl43/roof/${name}`,
      unitId: 'roof',
      query,
      caller: { signal: new AbortController().signal },
    });
    return routes.get(`GET /{unit_id}/${name}`)?.handle(request);
  };
}

const span = { from: '2026-10-24T22:00:00Z', to: '2026-10-26T23:00:00Z' };
const asked = {
  ...span,
  preset: 'eu',
  lang: 'en',
  limit_db: 70,
  limit_step: '1h',
  dated: true,
  exclusions: 'apply',
};

t.test('the page has what a reader needs, and what is missing with its reason', async (t) => {
  const { content } = await served({ place: 'Main street 1', latitude: 52.5, longitude: 13.4 })('report', asked);
  t.equal(content.contentType, 'text/html; charset=utf-8');
  const { text } = content;
  for (const words of [
    'Sun 25 Oct 2026 to Mon 26 Oct 2026, times of Europe/Berlin',
    'Main street 1',
    '52.5, 13.4 (WGS 84)',
    'A, F (fast)',
    '1.5 s behind the gateway',
    'Coverage 97.9 %: 2 d of 2 d 1 h have data.',
    '<td>Sun 25 Oct 2026</td>',
    '<td>Mon 26 Oct 2026</td>',
    'LAeq is above 70 dB in 1 of 49 intervals of 1 h. 1 of them have no data and say nothing.',
    'No data from Sun 25 Oct 2026, 02:00 (UTC+1) to Sun 25 Oct 2026, 03:00 (1 h).',
    'night 23-07 (+10.0 dB)',
    'Valid days: 2 of 2.',
    'Valid days, by measured time',
    'each day counts the same, which is the long-term definition',
    '<th class="n" scope="col">LAeq</th><th class="n" scope="col">LAFmax</th><th class="n" scope="col">LAF10</th><th class="n" scope="col">LAF90</th>',
    'LAFmax was reached at',
  ])
    t.ok(text.includes(words), words);
  t.match(text, /<rect class="gap"/, 'the gap is seen');
  const [, leq = ''] = /class="dark" d="([^"]*)"/.exec(text) ?? [];
  t.equal(leq.split('M').length - 1, 2, 'and no line goes over it');
});

t.test('what is missing before the first level and after the last one is a gap, too, cut to the period', async (t) => {
  const wider = { ...asked, from: '2026-10-24T20:00:00Z', to: '2026-10-27T23:00:00Z' };
  const { content } = await served()('report', wider);
  t.strictSame(
    [...content.text.matchAll(/No data from .*/g)].map(([words]) => words.replace(/<.*/, '')),
    [
      'No data from Sat 24 Oct 2026, 22:00 to Sun 25 Oct 2026, 00:00 (2 h).',
      'No data from Sun 25 Oct 2026, 02:00 (UTC+1) to Sun 25 Oct 2026, 03:00 (1 h).',
      'No data from Tue 27 Oct 2026, 00:00 to Wed 28 Oct 2026, 00:00 (1 d).',
    ],
  );
  const within = { ...asked, from: '2026-10-25T01:30:00Z', to: '2026-10-25T04:00:00Z' };
  t.match(
    (await served()('report', within)).content.text,
    /No data from Sun 25 Oct 2026, 02:30 \(UTC\+1\) to Sun 25 Oct 2026, 03:00 /,
  );
});

t.test('what is still to come counts as missing nowhere', async (t) => {
  // The last hour that is recorded begins at 23:00 of the second day, and has just ended.
  const now = FROM + HOURS * 3_600;
  const wider = { ...asked, to: '2026-10-29T23:00:00Z' };
  const { text } = (await served({}, now)('report', wider)).content;
  t.match(text, 'Coverage 97.9 %: 2 d of 2 d 1 h have data.');
  t.notMatch(text, /No data from Tue 27/);
  t.match(text, /The time from Tue 27 Oct 2026, 00:00 on was still to come when this was written/);
  t.match(text, '1 of 49 intervals of 1 h. 1 of them have no data');
  t.match(text, 'Valid days: 2 of 2.');
  // Half a day later nothing more was recorded: this half is now missing, the rest of the day is still to come.
  const later = (await served({}, now + 12 * 3_600)('report', wider)).content.text;
  t.match(later, 'No data from Tue 27 Oct 2026, 00:00 to Tue 27 Oct 2026, 12:00 (12 h).');
  t.match(later, 'Tue 27 Oct 2026: This time is not over.');
  // A day that runs is measured against what there was of it.
  const running = (await served({}, FROM + 31 * 3_600, 31)('report', { ...asked, to: '2026-10-26T05:00:00Z' })).content
    .text;
  t.match(running, /<td>Mon 26 Oct 2026<\/td>.*100\.0 %.*no/);
  const ahead = { ...asked, from: '2026-11-05T00:00:00Z', to: '2026-11-07T00:00:00Z' };
  t.notMatch((await served()('report', ahead)).content.text, /No data from/);
});

t.test('title and remarks of the sender are in it as text', async (t) => {
  const remarks = 'Client: Quarry <Ltd>\nCalibrated: 93.9 dB before, 94.0 dB after';
  const { content } = await served()('report', { ...asked, title: 'Quarry, "blast" 7', remarks });
  t.match(content.text, '<h1>Quarry, &quot;blast&quot; 7</h1>');
  t.match(content.text, '<p>Client: Quarry &lt;Ltd&gt;\nCalibrated: 93.9 dB before, 94.0 dB after</p>');
});

t.test('a title stays as it was given, whatever it is, and the style stays in its place', async (t) => {
  const title = 'STYLE_HERE $& $1';
  const { content } = await served()('report', { ...asked, title });
  t.ok(content.text.includes(`<title>${title.replace('&', '&amp;')}</title>`));
  t.equal(content.text.split('<style>').length, 2);
  t.ok(content.text.indexOf('<style>') > content.text.indexOf('</title>'));
});

t.test('names are text: nothing in them becomes markup, and nothing runs or is fetched', async (t) => {
  const { content, headers } = await served({ place: '"><img src=x onerror=alert(1)>' })('report', asked);
  const { text } = content;
  t.notMatch(text, /<script|<img|javascript:/);
  t.notOk(text.includes('\0'));
  t.ok(text.includes('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;roof&#39;'));
  const tags = [...text.matchAll(/<[a-z][^>]*>/gi)].map(([tag]) => tag);
  t.strictSame(
    tags.filter((tag) => /\s(src|href|style|on[a-z]+)=/i.test(tag)),
    [],
    'no address, no inline style, no handler',
  );
  const policy: string = headers['Content-Security-Policy'];
  t.match(policy, /default-src 'none'/);
  t.notMatch(policy, /unsafe|script-src/);
  const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(text) ?? [];
  const digest = createHash('sha256').update(style).digest('base64');
  t.ok(policy.includes(`'sha256-${digest}'`), 'and only this style is allowed');
});

t.test('a report that says the same has the same ETag, whenever it is written', async (t) => {
  const get = served();
  const [first, again, other] = [
    await get('report', asked),
    await get('report', asked),
    await get('report', { ...asked, limit_db: 71 }),
  ];
  t.equal(first.etag, again.etag);
  t.not(first.content.text, again.content.text, 'the time of writing differs');
  t.not(first.etag, other.etag);
});

t.test('in another language words, numbers and days are those of the language, and figures stay', async (t) => {
  const { text } = (await served({ place: 'Am Markt' })('report', { ...asked, lang: 'de' })).content;
  t.match(text, '<html lang="de">');
  for (const words of [
    'So., 25. Okt. 2026 bis Mo., 26. Okt. 2026',
    '<td>Messstelle</td><td>Am Markt</td>',
    '1,5 s hinter dem Gateway',
    'Datenanteil 97,9 %',
    'Nacht 23-07 (+10,0 dB)',
    'LAeq ist in 1 von 49 Intervallen von 1 h über 70 dB.',
    'Keine Daten von So., 25. Okt. 2026, 02:00 (UTC+1) bis So., 25. Okt. 2026, 03:00 (1 h).',
  ])
    t.ok(text.includes(words), words);
  t.notMatch(text, /There is|of them|Valid days/);
});

t.test('a period without data is said to be one', async (t) => {
  const { content } = await served()('report', { ...asked, from: '2020-01-01T00:00:00Z', to: '2020-01-03T00:00:00Z' });
  t.match(content.text, /There is no data in this period\./);
  t.match(content.text, /There is nothing to draw\./);
  t.match(content.text, /Valid days: 0 of 3\./);
});

t.test('a report of more than a year is refused', async (t) => {
  await t.rejects(served()('report', { ...asked, from: '2020-01-01T00:00:00Z' }), {
    code: 'INVALID',
    errors: [{ path: '/to' }],
  });
  const months = { ...asked, from: '2026-01-01T00:00:00Z', limit_step: '5m' };
  await t.rejects(served()('report', months), { code: 'INVALID', errors: [{ path: '/limit_step' }] });
});
