/** Notes and exclusions: written, changed, ended, removed, and what they do to indices. */
import { createHash } from 'node:crypto';
import t from 'tap';
import { openWorld, type World } from '../support/world.ts';

const DAY = Date.UTC(2025, 11, 22);
const at = (hours: number) => new Date(DAY + hours * 3_600_000).toISOString();

/** A day of minutes at 50 dB, with one hour from 10:00 at 80 dB. */
async function importDay(world: World): Promise<void> {
  const lines = Array.from({ length: 1_440 }, (_, minute) => {
    const isLoud = minute >= 600 && minute < 660;
    return `${at(minute / 60)},60,${isLoud ? 80 : 50},${isLoud ? 85 : 55}`;
  });
  await world.bring(lines);
}

const indicesOf = async (world: World, query = '') =>
  (await world.get(`/sim-1/indices?from=${at(0)}&to=${at(24)}&zone=UTC${query}`)).body.data;
type Part = readonly [hours: number, level: number];
const h = (hours: number, level: number): Part => [hours, level];
/** 10 lg of the mean energy. */
const mean = (parts: readonly Part[]) => {
  const hours = parts.reduce((sum, [own]) => sum + own, 0);
  return 10 * Math.log10(parts.reduce((sum, [own, level]) => sum + own * 10 ** (level / 10), 0) / hours);
};
const near = (found: number, wanted: number) => Math.abs(found - wanted) < 0.011;

t.test('excluded time does not count in indices; without the exclusion it does', async (t) => {
  const world = await openWorld(t);
  await importDay(world);
  const [plain] = (await indicesOf(world)).days;
  t.ok(near(plain.leq_24h, mean([h(23, 50), h(1, 80)])));
  t.match(plain, { excluded_s: 0, leq_all: null, index_all: null });

  const body = { from: at(10), to: at(11), kind: 'exclusion', reason: 'own_noise', text: 'We cut the hedge.\nSorry.' };
  const made = await world.post('/sim-1/notes', body);
  t.equal(made.status, 201, JSON.stringify(made.body));
  t.match(made.body.data, { id: '1', version: 1, by: 'anybody', removed: false, text: body.text, channels: null });
  const found = await indicesOf(world);
  const [quiet] = found.days;
  t.match(found, { exclusions: ['1'], edge: 'second' });
  t.match(quiet, { leq_24h: 50, lday: 50, lmax: 55, excluded_s: 3_600, coverage: { day: 0.916 }, valid: true });
  t.ok(near(quiet.lden, mean([h(12, 50), h(4, 55), h(8, 60)])), 'Lden of 50 dB all day');
  t.equal(quiet.leq_all, plain.leq_24h);
  t.equal(quiet.index_all, plain.lden);
  t.match(found.total, { leq_24h: 50, excluded_s: 3_600, leq_all: plain.leq_24h, index_all: plain.lden });
  t.match(await indicesOf(world, '&exclusions=ignore'), { exclusions: [], days: [{ leq_24h: plain.leq_24h }] });

  await world.put('/sim-1/notes/1', { to: at(10.5) });
  const [half] = (await indicesOf(world)).days;
  t.ok(near(half.leq_24h, mean([h(23, 50), h(0.5, 80)])), 'half of the loud hour counts again');
  await world.delete('/sim-1/notes/1');
  t.match(await indicesOf(world), { exclusions: [], days: [{ leq_24h: plain.leq_24h, excluded_s: 0 }] });
});

t.test('rows and report with and without excluded time', async (t) => {
  const world = await openWorld(t);
  await importDay(world);
  await world.post('/sim-1/notes', {
    from: at(10.25),
    to: at(10.75),
    kind: 'exclusion',
    reason: 'fault',
    text: '<b>x</b>',
  });
  const span = `from=${at(9)}&to=${at(12)}`;
  const rows = async (query: string) =>
    (await world.get(`/sim-1/history?${span}&step=1h&quantities=leq&${query}`)).body.data;
  const usual = await rows('');
  t.strictSame([usual.columns.length, usual.exclusions, usual.rows[1][1]], [5, [], 80], 'the history as it was');
  const applied = await rows('exclusions=apply');
  t.strictSame(applied.exclusions, ['1']);
  t.strictSame(applied.columns.slice(-2), ['excluded_s', 'leq_all']);
  t.strictSame(
    applied.rows.map(([, leq, coverage, , , seconds, all]: unknown[]) => [leq, coverage, seconds, all]),
    [
      [50, 1, 0, 50],
      [80, 0.5, 1_800, 80],
      [50, 1, 0, 50],
    ],
  );
  const page = (await world.get(`/sim-1/report?from=${at(0)}&to=${at(24)}&zone=UTC`)).body;
  t.match(page, /<td class="n">63\.5<\/td>/, 'the level of the period is without this time');
  t.match(page, /30 min are excluded. The levels of this report are without this time; with it LAeq is 66.3 dB./);
  t.match(page, /<td>fault<\/td><td>&lt;b&gt;x&lt;\/b&gt;<\/td><td>anybody<\/td>/);
  const [, address = '', hash = ''] =
    /fetched from the gateway at\n(.*)\nSHA-256 of that file:\n([0-9a-f]{64})/.exec(page) ?? [];
  const file = await fetch(new URL(address.replaceAll('&amp;', '&'), world.base));
  t.equal(
    createHash('sha256')
      .update(await file.text())
      .digest('hex'),
    hash,
    'the rows of the hash',
  );
  const without = (await world.get(`/sim-1/report?from=${at(0)}&to=${at(24)}&zone=UTC&exclusions=ignore`)).body;
  t.notMatch(without, /does not count<\/h3>/);
});

t.test('nothing of a note is lost: each change is a version', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  await world.post('/sim-1/notes', { kind: 'note', reason: 'wind', text: 'A gale.' });
  await world.pass(1_000);
  const open = await world.post('/sim-2/notes', { kind: 'exclusion', reason: 'rain' });
  t.match(open.body.data, { id: '2', to: null, from: open.body.data.created_at }, 'from now until it is ended');
  await world.pass(60_000);
  const end = new Date(world.clock.now()).toISOString();
  t.match((await world.put('/sim-2/notes/2', { to: end })).body.data, { version: 2, to: end, kind: 'exclusion' });
  t.equal((await world.delete('/sim-1/notes/1')).status, 200);
  t.equal((await world.put('/sim-1/notes/1', { text: 'again' })).body.code, 'NOTE_NOT_FOUND');

  t.strictSame((await world.get('/sim-1/notes')).body.data, []);
  await world.restart(1_000);
  const { data } = (await world.get('/_notes?versions=true')).body;
  t.match(data, [
    {
      id: '2',
      unit_id: 'sim-2',
      versions: [
        { version: 1, to: null },
        { version: 2, to: end },
      ],
    },
    { id: '1', removed: true, versions: [{ version: 1, removed: false, text: 'A gale.' }, { removed: true }] },
  ]);
  t.match((await world.get('/_notes?kind=exclusion&limit=1')).body, {
    data: [{ id: '2', versions: null }],
    next: null,
  });
  t.match((await world.get('/_notes?unit=sim-1')).body.data, []);
  t.match((await world.get('/_notes?versions=true&limit=1')).body, { data: [{ id: '2' }], next: '2' });
  t.match((await world.get('/_notes?versions=true&limit=1&cursor=2')).body, { data: [{ id: '1' }], next: null });
  const next = await world.post('/sim-1/notes', { kind: 'note' });
  t.equal(next.body.data.id, '3', 'an id is never used again');
});

t.test('impossible input is refused with its place, and nothing is kept', async (t) => {
  const world = await openWorld(t);
  const [past, later] = [at(10), new Date(world.clock.now() + 3_600_000).toISOString()];
  const exclusion = { kind: 'exclusion', reason: 'rain', from: past, to: at(11) };
  t.equal((await world.post('/sim-1/notes', exclusion)).status, 201);
  const wrong: readonly (readonly [object, string])[] = [
    [{ ...exclusion, from: at(11), to: past }, '/to'],
    [{ ...exclusion, to: past }, '/to'],
    [{ ...exclusion, from: later, to: null }, '/from'],
    [{ ...exclusion, to: later }, '/to'],
    [{ ...exclusion, from: at(10.9), to: at(12) }, '/from'],
    [{ ...exclusion, to: null }, '/from'],
    [{ ...exclusion, from: '2025-12-22T10:00:00' }, '/from'],
    [{ ...exclusion, reason: 'moon' }, '/reason'],
    [{ ...exclusion, text: 'a\u0000b' }, '/text'],
    [{ ...exclusion, text: 'x'.repeat(2_001) }, '/text'],
    [{ ...exclusion, channels: ['sub9'] }, '/channels/0'],
    [{ ...exclusion, channels: [] }, '/channels'],
    [{ from: past }, '/kind'],
  ];
  for (const [body, path] of wrong) {
    const { status, body: answer } = await world.post('/sim-1/notes', body);
    t.match({ status, errors: answer.errors }, { status: 422, errors: [{ path }] }, JSON.stringify(body));
  }
  const others = [
    { ...exclusion, reason: 'wind', from: at(10.5), to: at(12) },
    { ...exclusion, from: at(11), to: at(12) },
    { ...exclusion, channels: ['sub1'] },
  ];
  for (const body of others) t.equal((await world.post('/sim-1/notes', body)).status, 201, 'these are others');
  t.equal((await world.get('/sim-1/notes')).body.data.length, 4);
  t.match((await world.put('/sim-1/notes/3', { from: at(10.5) })).body, { errors: [{ path: '/from' }] });
  t.equal((await world.get('/nobody/notes')).status, 404);
  t.equal((await world.delete('/sim-1/notes/99')).body.code, 'NOTE_NOT_FOUND');
});
