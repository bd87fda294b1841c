/** Shares: what a link shows, to whom, until when, and nothing else. */
import t, { type Test } from 'tap';
import { openWorld, type World } from '../support/world.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Beside the base path. */
const ROOT = '/../..';
const iso = (ms: number) => new Date(ms).toISOString();
const floor = (ms: number, step: number) => Math.floor(ms / step) * step;

/** Minutes at this level, with maxima 5 dB above. */
async function recorded(world: World, unitId: string, from: number, to: number, level: (at: number) => number) {
  const lines = [];
  for (let at = from; at < to; at += MINUTE) lines.push(`${iso(at)},60,${level(at)},${level(at) + 5}`);
  await world.bring(lines, 'leq,lmax', unitId);
}

const wanted = (world: World, more: object = {}) => ({
  name: 'Town hall',
  units: ['sim-1'],
  show: ['live', 'levels', 'indices', 'limits'],
  expires_at: iso(world.clock.now() + 30 * DAY),
  title: 'Bridge works',
  text: 'Measured by the building office.',
  ...more,
});

async function shared(world: World, more: object = {}): Promise<{ id: string; link: string }> {
  const made = await world.post('/_shares', wanted(world, more));
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return made.body.data;
}

const at = (world: World, link: string, headers: Record<string, string> = {}) =>
  world.get(`${ROOT}${link}`, { headers: { Accept: 'text/html', ...headers } });
const dataOf = async (world: World, link: string) => (await world.get(`${ROOT}${link}/data`)).body.data;

/** Units are recorded, so that silence has its words; the meter itself is not asked. */
async function openRecorded(t: Test, options: Parameters<typeof openWorld>[1] = {}): Promise<World> {
  const world = await openWorld(t, options);
  for (let number = 1; number <= (options.meters ?? 1); number += 1)
    await world.put(`/sim-${number}/config`, { history: 'poll', poll_interval_seconds: 60, name: `Place ${number}` });
  return world;
}

t.test('a share is made, shown, listed without its link, and revoked', async (t) => {
  const world = await openRecorded(t);
  const now = floor(world.clock.now(), MINUTE);
  await recorded(world, 'sim-1', now - 3 * HOUR, now, () => 54.26);
  const made = await world.post('/_shares', wanted(world));
  t.equal(made.status, 201, JSON.stringify(made.body));
  t.match(made.body.data, { id: '1', state: 'active', views: 0, round_db: 1, delay_s: 0, embed: [], from: null });
  const { link } = made.body.data;
  t.match(link, /^\/s\/[\w-]{22}$/);
  const page = await at(world, link);
  t.equal(page.status, 200);
  t.match(page.headers.get('content-type'), /text\/html/);
  for (const word of ['Bridge works', 'Place 1', '54 dB(A)', 'moderate, like a conversation', 'building office'])
    t.ok(page.body.includes(word), word);
  t.equal(page.headers.get('cache-control'), 'private, no-cache');
  t.match(page.headers.get('x-robots-tag'), /noindex/);
  t.match(page.headers.get('content-security-policy'), /frame-ancestors 'none'/);
  t.notOk(page.headers.get('content-security-policy')?.includes('unsafe'), 'nothing inline but its own');
  const again = await at(world, link, { 'If-None-Match': page.headers.get('etag') ?? '' });
  t.equal(again.status, 304);
  const { body: list } = await world.get('/_shares');
  t.match(list.data, [{ id: '1', views: 2, name: 'Town hall' }]);
  t.notOk(JSON.stringify(list).includes(link.slice(3)), 'no link in lists');
  t.notOk(world.log.join('').includes(link.slice(3)), 'no link in the log');
  const { body: audit } = await world.get('/_audit');
  t.match(audit.records[0], { route: '/_shares', method: 'POST' });
  t.notOk(JSON.stringify(audit).includes(link.slice(3)), 'no link in the audit log');
  t.equal((await world.delete('/_shares/1')).status, 200);
  const gone = await at(world, link);
  t.equal(gone.status, 404, 'at once, although the answer was kept');
  t.match(gone.body, /This page is not available/);
  t.equal(gone.headers.get('cache-control'), 'no-store');
  t.equal((await world.get(`${ROOT}${link}/data`)).body.code, 'SHARE_NOT_FOUND');
  t.equal((await world.delete('/_shares/1')).status, 404);
});

t.test('a meter without a name has a number in a share, and its id is nowhere', async (t) => {
  const world = await openWorld(t);
  const { link } = await shared(world);
  t.match((await dataOf(world, link)).units, [{ name: null }]);
  const { body } = await at(world, link);
  t.match(body, '<h2>Meter 1</h2>');
  t.notMatch(`${body}${JSON.stringify(await dataOf(world, link))}`, 'sim-1');
});

t.test('links, counts and revoked links outlive a restart; a link ends at its time', async (t) => {
  const world = await openRecorded(t);
  const kept = await shared(world);
  const revoked = await shared(world);
  await at(world, kept.link);
  await world.delete(`/_shares/${revoked.id}`);
  await world.restart(1_000);
  t.equal((await at(world, kept.link)).status, 200);
  t.equal((await at(world, revoked.link)).status, 404);
  t.match((await world.get('/_shares')).body.data, [{ id: kept.id, views: 2, state: 'active' }]);
  const short = await shared(world, { expires_at: iso(world.clock.now() + 30_000) });
  t.equal((await at(world, short.link)).status, 200);
  await world.clock.advance(30_000);
  t.equal((await at(world, short.link)).status, 404, 'expired at once, although the answer was kept');
  t.match((await world.get('/_shares')).body.data[1], { id: short.id, state: 'expired' });
});

t.test('every number has the delay and the rounding; nothing from before the share is shown', async (t) => {
  const world = await openRecorded(t);
  const now = floor(world.clock.now(), MINUTE);
  await recorded(world, 'sim-1', now - 30 * HOUR, now, (at) => (at >= now - 20 * MINUTE ? 91.23 : 52.4));
  const plain = await dataOf(world, (await shared(world)).link);
  t.equal(plain.units[0].live.level_db, 91);
  const late = await shared(world, { delay_s: 1_800, round_db: 5 });
  const data = await dataOf(world, late.link);
  t.match(data.units[0].live, { state: 'level', level_db: 50, word: 'moderate' });
  for (const { leq_db, lmax_db } of data.units[0].hours) {
    t.equal(leq_db % 5, 0);
    t.ok(lmax_db <= 60, 'nothing of the loud minutes');
  }
  const page = (await at(world, late.link)).body;
  t.notMatch(page, /9[0-9] dB|91|96|52\.4/, 'nor on the page');
  t.match(page, /delay of 30 min/);
  t.match(page, /rounded to 5 dB/);
  await world.clock.advance(31 * MINUTE);
  t.equal((await dataOf(world, late.link)).units[0].live.level_db, 90, 'later it is shown');
  const fresh = await shared(world, { from: iso(now - 2 * HOUR) });
  const { units } = await dataOf(world, fresh.link);
  t.ok(units[0].hours.every(({ from }: { from: string }) => Date.parse(from) >= now - 2 * HOUR));
  t.strictSame(units[0].days, [], 'no day that began before');
  const early = await shared(world, { from: iso(world.clock.now() + HOUR) });
  t.strictSame((await dataOf(world, early.link)).units, []);
  t.match((await at(world, early.link)).body, /values of this page begin at/);
});

t.test('when a calibrator is on the microphone, nobody with the link sees its level', async (t) => {
  const world = await openRecorded(t);
  const now = floor(world.clock.now(), HOUR);
  await world.pass(now + 30 * MINUTE - world.clock.now());
  const begin = now + 10 * MINUTE;
  await recorded(world, 'sim-1', now - 2 * HOUR, now + 30 * MINUTE, (at) => (at < begin ? 54 : 94));
  const from = iso(begin);
  t.equal((await world.post('/sim-1/notes', { kind: 'exclusion', reason: 'calibration', from })).status, 201);
  const { link } = await shared(world);
  const data = await dataOf(world, link);
  const [unit] = data.units;
  t.match(unit.live, { state: 'stale', level_db: null });
  t.match(unit.hours[0], { leq_db: 54, lmax_db: 59 });
  t.notMatch(JSON.stringify(data), /"\w+_db":9/, 'neither the level nor its maximum');
  t.notMatch((await at(world, link)).body, />9\d</, 'nor does the page show it');
});

t.test('silence is shown in words, with its beginning', async (t) => {
  const world = await openRecorded(t);
  const { link } = await shared(world);
  t.match((await at(world, link)).body, /No level was measured yet/);
  const now = floor(world.clock.now(), MINUTE);
  await recorded(world, 'sim-1', now - 60 * MINUTE, now - 10 * MINUTE, () => 40);
  await world.clock.advance(61_000);
  const { live, hours, limits } = (await dataOf(world, link)).units[0];
  t.match(live, { state: 'stale', level_db: null, since: iso(now - 10 * MINUTE) });
  t.strictSame(limits, []);
  t.ok(hours[0].coverage < 1);
  t.match((await at(world, link)).body, /No level since .* The present level is not known/);
  const lateLink = (await shared(world, { delay_s: 1_800 })).link;
  t.match((await dataOf(world, lateLink)).units[0].live, { state: 'level', level_db: 40 });
  await world.put('/sim-1/config', { history: 'off' });
  t.match((await at(world, link)).body, /levels of this place are not recorded now/);
  await world.delete('/sim-1/config');
  t.match((await at(world, link)).body, /meters of this page were removed/);
  await world.configure('sim-1', world.meter, { history: 'poll', name: 'Another meter' });
  t.notMatch((await at(world, link)).body, /Another meter/, 'what comes under its name is not shown');
});

t.test('limits: compared before rounding, and with the time that was not measured', async (t) => {
  const world = await openRecorded(t);
  const rule = { kind: 'level', name: 'Complaint of Mr Miller', quantity: 'leq', window: '1h', limit_db: 50.4 };
  const made = await world.post('/_alerts/rules', { ...rule, units: ['sim-1'], severity: 'warning', targets: [] });
  t.equal(made.status, 201, JSON.stringify(made.body));
  const { link } = await shared(world);
  const page = (await at(world, link)).body;
  t.match(page, /Mean level over 1 h: 50.4 dB/);
  t.match(page, /nothing was measured: whether the limits were exceeded is not known/);
  t.notMatch(page, /Miller/, 'the name of the rule is not shown');
});

t.test('hours and days are those of the clock of the unit, also in zones of half an hour', async (t) => {
  const world = await openRecorded(t);
  await world.put('/sim-1/config', { timezone: 'Asia/Kolkata' });
  const now = floor(world.clock.now(), MINUTE);
  await recorded(world, 'sim-1', now - 50 * HOUR, now, () => 60);
  const everyDay = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'holiday'];
  const limits = [{ index: 'leq', window: 'period', from: '00:00', to: '24:00', days: everyDay, limit_db: 59 }];
  await world.put('/_permits/yard', { units: ['sim-1'], limits });
  const { link } = await shared(world);
  const { hours, days } = (await dataOf(world, link)).units[0];
  t.match((await at(world, link)).body, /: above the limits/, 'the page has the verdict of the permit');
  t.ok(hours.length === 24 || hours.length === 25, String(hours.length));
  t.ok(hours.slice(0, -1).every(({ from }: { from: string }) => new Date(from).getUTCMinutes() === 30));
  t.equal(hours[0].leq_db, 60);
  t.ok(days.length > 0);
  t.match(days[0], { lden_db: 66, lnight_db: 60, is_complete: true, verdict: 'exceeded' });
});

t.test('a reader gets the language of the browser', async (t) => {
  const world = await openRecorded(t);
  const { link } = await shared(world);
  for (const [language, word] of [
    ['de-AT', 'Der Pegel jetzt'],
    ['fr', 'Le niveau actuel'],
    ['es', 'El nivel ahora'],
    ['ja', '現在の騒音レベル'],
    ['pt', 'The level now'],
  ] as const) {
    const page = await at(world, link, { 'Accept-Language': language });
    t.ok(page.body.includes(word), language);
    t.equal(page.headers.get('vary')?.includes('Accept-Language'), true);
  }
});

t.test('a thousand readers cost no more than one', async (t) => {
  const world = await openRecorded(t);
  const { history } = world.gateway;
  let asked = 0;
  const query = history.query.bind(history);
  history.query = (...given) => {
    asked += 1;
    return query(...given);
  };
  const { link } = await shared(world);
  await at(world, link);
  await world.clock.advance(61_000);
  asked = 0;
  await at(world, link);
  const once = asked;
  t.ok(once > 0, 'one reader is some work');
  await world.clock.advance(61_000);
  asked = 0;
  const readers = Array.from({ length: 1_000 }, (_, reader) =>
    world.asked('GET', `${ROOT}${link}${['', '/main', '/data'][reader % 3]}`, {
      headers: { 'Accept-Language': ['de', 'en', 'ja'][reader % 3] ?? 'en', Accept: 'text/html' },
    }),
  );
  // The clock stands still meanwhile.
  const answers = await Promise.all(readers);
  t.ok(answers.every(({ status }) => status === 200));
  t.ok(asked <= once, `${asked} questions for a thousand readers, ${once} for one`);
});

t.test('a frame of a listed page may show it, and no other', async (t) => {
  const world = await openRecorded(t);
  const { link } = await shared(world, { embed: ['https://town.example.org'] });
  const framed = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' };
  const page = await at(world, link, framed);
  t.equal(page.status, 200);
  t.match(page.headers.get('content-security-policy'), /frame-ancestors https:\/\/town\.example\.org$/);
  t.equal((await world.get('/sim-1/status', { headers: framed })).status, 403, 'nothing else may stand in a frame');
  const image = { ...framed, 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' };
  t.equal((await at(world, link, image)).status, 403);
});

t.test('requests are checked', async (t) => {
  const world = await openRecorded(t);
  const bad: [object, string][] = [
    [{ name: '' }, '/name'],
    [{ name: 'a\nb' }, '/name'],
    [{ units: [] }, '/units'],
    [{ units: ['sim-1', 'sim-1'] }, '/units'],
    [{ units: ['sim-1', 'sim-9'] }, '/units/1'],
    [{ units: ['../sim-1'] }, '/units/0'],
    [{ show: [] }, '/show'],
    [{ show: ['live', 'files'] }, '/show/1'],
    [{ delay_s: -1 }, '/delay_s'],
    [{ delay_s: 604_801 }, '/delay_s'],
    [{ delay_s: 1.5 }, '/delay_s'],
    [{ round_db: 0 }, '/round_db'],
    [{ round_db: 3 }, '/round_db'],
    [{ expires_at: iso(world.clock.now() - 1) }, '/expires_at'],
    [{ expires_at: iso(world.clock.now() + 733 * DAY) }, '/expires_at'],
    [{ expires_at: '2027-02-30T00:00:00Z' }, '/expires_at'],
    [{ expires_at: '2027-02-20T00:00:00' }, '/expires_at'],
    [{ from: iso(world.clock.now() + 40 * DAY) }, '/from'],
    [{ title: 'a\u202eb' }, '/title'],
    [{ text: 'a\u0000b' }, '/text'],
    [{ embed: ['https://town.example.org/'] }, '/embed/0'],
    [{ embed: ['*'] }, '/embed/0'],
    [{ embed: ["https://a.example.org 'unsafe-inline'"] }, '/embed/0'],
    [{ embed: ['https://a.example.org;script-src *'] }, '/embed/0'],
    [{ embed: ['https://town.example.org:443'] }, '/embed/0'],
    [{ embed: ['javascript:alert(1)'] }, '/embed/0'],
    [{ password: 'x' }, '/password'],
  ];
  for (const [more, path] of bad) {
    const { status, body } = await world.post('/_shares', wanted(world, more));
    t.equal(status, 422, JSON.stringify(more));
    t.equal(body.errors[0].path, path, JSON.stringify(more));
  }
  t.strictSame((await world.get('/_shares')).body.data, []);
  const { link } = await shared(world, { title: '<script>alert(1)</script>', text: '"><img src=x onerror=alert(1)>' });
  const page = (await at(world, link)).body;
  t.notMatch(page, /<script>alert|<img/, 'text is text');
});

t.test(
  'a share by tag shows the meters with the tag: one that gets it later at once, and one that loses it no longer',
  async (t) => {
    const world = await openRecorded(t, { meters: 2 });
    const tag = (unitId: string, tags: readonly string[]) => world.put(`/${unitId}/config`, { tags });
    await tag('sim-1', ['harbour']);
    const { link } = await shared(world, { units: [], tag: 'harbour' });
    const shown = async () => (await dataOf(world, link)).units.map(({ name }: { name: string }) => name);
    t.strictSame(await shown(), ['Place 1']);
    await tag('sim-2', ['harbour']);
    t.strictSame(await shown(), ['Place 1', 'Place 2']);
    await tag('sim-1', []);
    t.strictSame(await shown(), ['Place 2']);
    t.match((await world.get('/_shares')).body.data, [{ units: ['sim-2'], tag: 'harbour' }]);
    const both = await world.post('/_shares', wanted(world, { tag: 'harbour' }));
    t.match(both.body, { errors: [{ path: '/tag' }] });
    t.match((await world.post('/_shares', wanted(world, { units: [] }))).body, { errors: [{ path: '/units' }] });
  },
);
