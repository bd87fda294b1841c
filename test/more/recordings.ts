/** Recordings of sound on a card lead from an alert to what was heard: GET /_recordings, and `recordings` of an event. */
import t, { type Test } from 'tap';
import { recording } from '../../simulator/card/index.ts';
import { placesIn } from '../support/empty-data.ts';
import { type MadeKey, makeKey } from '../support/keys.ts';
import { mirrored } from '../support/packages.ts';
import { openWorld, type World } from '../support/world.ts';

const MINUTE = 60_000;

async function recordingWorld(t: Test, mirror: object = {}): Promise<World> {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { timezone: 'UTC', mirror: { paths: ['/NL-43'], ...mirror } });
  await world.ftpOn();
  return world;
}

/** The clock that the meter shows, as if it were UTC. */
const deviceTime = (world: World): number =>
  Date.parse(`${world.meter.read('Clock').replaceAll('/', '-').replace(' ', 'T')}Z`);

/** Puts a recording on the card that began so long ago, ms, by the clock of the meter. */
function record(world: World, ago: number, seconds = 20): string {
  const made = recording({ at: deviceTime(world) - ago, seconds, seed: ago, model: 'NL-43' });
  world.meter.card.addFile(made.path, made.bytes, made.modifiedAt);
  return made.path;
}

async function copied(world: World): Promise<void> {
  const { state, error } = await mirrored(world);
  if (state !== 'done') throw new Error(JSON.stringify(error));
}

async function passUntil(world: World, isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    if (await isSo()) return;
    await world.pass(1_000);
  }
  throw new Error(`never: ${isSo}`);
}
const listed = async (world: World, query = '') => (await world.get(`/_recordings${query}`)).body;

t.test('a copied recording has its time from its name, its length and the clock of the meter', async (t) => {
  const world = await recordingWorld(t);
  t.match(await listed(world), { data: [], next: null, without_time: 0 });
  const path = record(world, 10 * MINUTE, 20);
  const begin = world.clock.now() - 10 * MINUTE;
  await copied(world);
  const { data, without_time } = await listed(world);
  t.equal(without_time, 0);
  t.match(data, [{ unit_id: 'sim-1', path, card: 1, sha256: /^[0-9a-f]{64}$/ }]);
  const [from, to] = [Date.parse(data[0].from), Date.parse(data[0].to)];
  t.ok(Math.abs(from - begin) < 3_000, `${from - begin} ms: the clock of the meter is not that of the gateway`);
  t.equal(to - from, 20_000, 'the length is that of the samples');
  t.ok(data[0].uncertainty_s >= 0.5 && data[0].uncertainty_s < 5, `${data[0].uncertainty_s}`);
  const { headers } = await world.get(
    `/sim-1/files/content?path=${encodeURIComponent(path)}&card=1&sha256=${data[0].sha256}`,
  );
  t.equal(Number(headers.get('content-length')), data[0].size, 'and it can be fetched');
});

t.test('a span has the recordings that may overlap it, in pages, of the units that are named', async (t) => {
  const world = await recordingWorld(t);
  const paths = [30, 20, 10].map((minutes) => record(world, minutes * MINUTE));
  await copied(world);
  const { data } = await listed(world);
  t.strictSame(
    data.map(({ path }: { path: string }) => path),
    paths.toReversed(),
    'the newest first',
  );
  const pages: string[] = [];
  for (let query = '?limit=1'; query !== ''; ) {
    const { data: page, next } = await listed(world, query);
    t.equal(page.length, 1);
    pages.push(page[0].path);
    query = next === null ? '' : `?limit=1&cursor=${next}`;
  }
  t.strictSame(pages, paths.toReversed());
  const middle = data[1];
  const at = (ms: number) => new Date(ms).toISOString();
  const [from, to] = [Date.parse(middle.from), Date.parse(middle.to)];
  const slack = middle.uncertainty_s * 1_000;
  const within = async (begin: number, end: number) =>
    (await listed(world, `?from=${at(begin)}&to=${at(end)}`)).data.map((one: { path: string }) => one.path);
  t.strictSame(await within(from + 5_000, from + 5_001), [middle.path], 'a moment in it');
  t.strictSame(await within(from - MINUTE, from - slack), [], 'a span that ends where it could begin at the earliest');
  t.strictSame(await within(from - MINUTE, from - slack + 1), [middle.path]);
  t.strictSame(await within(to + slack, to + MINUTE), [], 'one that begins where it has certainly ended');
  t.strictSame(await within(to + slack - 1, to + MINUTE), [middle.path]);
  t.strictSame((await listed(world, '?unit=other')).data, []);
  t.equal((await listed(world, '?unit=other,sim-1')).data.length, 3);
  t.match(await world.get(`/_recordings?from=${at(to)}&to=${at(from)}`), { status: 422 });
});

t.test('a recording whose time is not known is counted, and listed once it is known', async (t) => {
  const world = await recordingWorld(t, { parse: false });
  record(world, 10 * MINUTE);
  const { card } = world.meter;
  card.addFile('/NL-43/SOUND/0001.wav', Buffer.from('RIFF'), world.clock.now());
  card.addFile('/NL-43/SOUND/NL_0001_20260230_101010_130dB.wav', Buffer.from('RIFF'), world.clock.now());
  card.addFile('/NL-43/SOUND/NL_0001_20260420_140130_130dB.wav', { bytes: 5_000, seed: 1 }, world.clock.now());
  card.addFile('/NL-43/SOUND/NL_0001_20260420_140130_120dB.wav', Buffer.alloc(0), world.clock.now());
  await copied(world);
  const clocks = (await world.get('/sim-1/clock/readings?from=2020-01-01T00:00:00Z&to=2040-01-01T00:00:00Z')).body.data;
  t.match(await listed(world), { data: Array(clocks.length === 0 ? 0 : 1), without_time: clocks.length === 0 ? 5 : 4 });
  await world.put('/sim-1/config', { mirror: { paths: ['/NL-43'], parse: true } });
  await copied(world);
  const { data, without_time } = await listed(world);
  t.equal(data.length, 1, 'the clock of the meter was read meanwhile');
  t.equal(without_time, 4, 'a name without a time, one with a date that is none, two files with no sound');
});

t.test('a key that is limited to some units sees the recordings of these alone', async (t) => {
  const world = await recordingWorld(t);
  record(world, 10 * MINUTE);
  world.meter.card.addFile('/NL-43/SOUND/0001.wav', Buffer.from('RIFF'), world.clock.now());
  await copied(world);
  const { data_dir } = placesIn(world.dataDir);
  const [mine, others] = [
    await makeKey(data_dir, { name: 'mine', units: 'sim-1' }, world.clock),
    await makeKey(data_dir, { name: 'others', units: 'other' }, world.clock),
  ];
  await world.clock.advance(1_000);
  const seen = async ({ headers }: MadeKey, query = '') => {
    const { status, body } = await world.get(`/_recordings${query}`, { headers });
    return [status, body.data?.length, body.without_time];
  };
  t.strictSame(await seen(mine), [200, 1, 1]);
  t.strictSame(await seen(mine, '?unit=sim-1'), [200, 1, 1]);
  for (const query of ['', '?unit=sim-1', '?unit=sim-1,other'])
    t.strictSame(await seen(others, query), [200, 0, 0], `nothing of another unit, nor how many: ${query}`);
});

t.test('an event of a level says where the recordings of its time are', async (t) => {
  const world = await recordingWorld(t);
  await world.put('/sim-1/config', { history: 'stream' });
  world.meter.instrument.play({ steadyDb: 50 });
  const rule = { name: 'Limit', units: ['sim-1'], kind: 'level', quantity: 'leq', window: '1m', limit_db: 70 };
  await world.post('/_alerts/rules', { ...rule, continue: false });
  await world.pass(MINUTE - (world.clock.now() % MINUTE) + 5_000);
  world.meter.instrument.play({ steadyDb: 90 });
  const events = async (query = '') => (await world.get(`/_alerts/events${query}`)).body.data;
  await passUntil(world, async () => (await events()).length > 0);
  const [open] = await events();
  const recorded = record(world, 5_000);
  record(world, 60 * MINUTE);
  await copied(world);
  const answer = await world.get(open.recordings);
  t.match(answer, { status: 200, body: { data: [{ path: recorded }] } }, 'of an open event, from its beginning on');
  t.equal(answer.body.data.length, 1);
  world.meter.instrument.play({ steadyDb: 50 });
  await passUntil(world, async () => (await events('?open=false')).length > 0);
  const [over] = await events('?open=false');
  const query = new URLSearchParams(over.recordings.split('?')[1]);
  t.equal(query.get('from'), over.window_from);
  t.equal(query.get('to'), over.closed_at);
  t.strictSame(
    (await world.get(over.recordings)).body.data.map(({ path }: { path: string }) => path),
    [recorded],
  );
});
