/** The levels on the card become history: what was missed while the link was down is there afterwards. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { read } from '../drivers/nl43/card/setup.ts';
import { mirrored } from '../support/packages.ts';
import { openWorld, type World } from '../support/world.ts';

/** The clock of the meter is so much ahead, and the times on its card are those of its clock. */
const AHEAD_S = 3_560;
const HOUR_MS = 3_600_000;

async function cardWorld(t: Test): Promise<World> {
  const world = await openWorld(t, { quirks: { clock_offset_s: AHEAD_S } });
  await world.put('/sim-1/config', { mirror: { paths: ['/NL-43'], parse: true }, timezone: 'UTC' });
  return world;
}

/** Puts a card with two hours of levels into the meter. `startedAt`: ms since 1970 UTC. */
function insertCard(world: World, startedAt: number): void {
  const startedByMeter = startedAt + AHEAD_S * 1_000;
  world.meter.card.exchange({ startedAt: startedByMeter, stores: { serial: '00000001', index: 1 } });
}

t.test('two hours that nobody saw live are filled from the card, and the day has the level of the card', async (t) => {
  const world = await cardWorld(t);
  const startedAt = world.clock.now() - 3 * HOUR_MS;
  insertCard(world, startedAt);
  await world.ftpOn();
  // Levels from the stream: ten minutes that are 6 dB too loud, and ten of another weighting.
  const begin = Math.floor(startedAt / 60_000) * 60 + 60;
  const seconds = Array.from({ length: 600 }, (_, at) => ({ at, steps: 10, leq: 50, lmax: 51, lmin: 49, lpeak: 60 }));
  const seen = (time: 'S' | 'F', from: number) =>
    world.gateway.history.append({
      unitId: 'sim-1',
      source: 'stream',
      weighting: { frequency: 'A', time },
      seconds: seconds.map((row) => ({ ...row, at: from + row.at })),
    });
  seen('S', begin);
  seen('F', begin + 3_600);
  t.match(await mirrored(world), { state: 'done', result: { stopped: null, growing: 0 } });
  const { data: files } = (await world.get('/sim-1/files')).body;
  const manual = files.find(({ path: name }: { path: string }) => name.includes('_MAN_'));
  t.match(
    manual,
    { state: 'complete', rows: 0, problems: [/^line 1: no header/] },
    'a Manual store has no header: it is kept, and its levels are not guessed at',
  );
  const lp = files.filter(({ path: name }: { path: string }) => name.includes('_Lp '));
  t.equal(
    lp.reduce((sum: number, { rows }: { rows: number }) => sum + rows, 0),
    7_200,
    JSON.stringify(files.map((f: { path: string; rows: number; problems: string[] }) => [f.path, f.rows, f.problems])),
  );
  let energy = 0;
  let rows = 0;
  for (const { path: name } of lp) {
    const response = await world.passing(fetch(`${world.base}/sim-1/files/content?path=${encodeURIComponent(name)}`));
    const found = await read(Buffer.from(await world.passing(response.arrayBuffer())));
    t.same(found.problems, []);
    for (const { leq } of found.rows) energy += 10 ** ((leq ?? 0) / 10);
    rows += found.rows.length;
  }
  const from = new Date(startedAt - 86_400_000).toISOString().slice(0, 10);
  const to = new Date(startedAt + 2 * 86_400_000).toISOString().slice(0, 10);
  const { body } = await world.get(
    `/sim-1/history?from=${from}T00:00:00Z&to=${to}T00:00:00Z&step=1d&zone=America/New_York&quantities=leq`,
  );
  const column = (name: string) => body.data.columns.indexOf(name);
  const [day, ...others] = body.data.rows.filter((row: unknown[]) => row[column('leq')] !== null);
  t.same(others, [], 'both hours are of one day in New York');
  t.ok(Math.abs(day[column('leq')] - 10 * Math.log10(energy / rows)) < 0.05, 'within 0.05 dB');
  t.equal(day[column('source')], 'card');
  const hours = (await world.get(`/sim-1/files/reconciliation?from=${from}T00:00:00Z&to=${to}T00:00:00Z`)).body.data;
  t.equal(
    hours.reduce((sum: number, { filled_s }: { filled_s: number }) => sum + filled_s, 0),
    6_600,
  );
  const pageOf = async (more: string) =>
    (await world.get(`/sim-1/files/reconciliation?from=${from}T00:00:00Z&to=${to}T00:00:00Z&limit=1${more}`)).body;
  const paged = [];
  for (let next = ''; next !== null; ) {
    const page = await pageOf(`&cursor=${next}`);
    paged.push(...page.data);
    next = page.next;
  }
  t.ok(paged.length > 1);
  t.same(paged, hours, 'page by page it is the same');
  const hourOf = (second: number) =>
    hours.find(({ hour }: { hour: string }) => Date.parse(hour) === Math.floor(second / 3_600) * HOUR_MS);
  t.match(hourOf(begin), { compared_minutes: 10, mean_difference_db: Number, other_weighting: null });
  t.match(hourOf(begin + 3_600), { compared_minutes: 0, mean_difference_db: null, other_weighting: 'AF' });
  const { data: entries } = (await world.get('/sim-1/log?kind=file&q=hour')).body;
  t.match(
    entries.map(({ text }: { text: string }) => text).reverse(),
    [
      /^Card and stream differ by -[56]\.\d\d dB in the hour/,
      /^The stream had the weighting AF and the card another one/,
    ],
    'a mean difference above 0.3 dB and another weighting are events',
  );
});

t.test(
  'copies that another instance has fetched are fetched again when their levels have not been read yet',
  async (t) => {
    const world = await cardWorld(t);
    insertCard(world, world.clock.now() - 3 * HOUR_MS);
    await world.ftpOn();
    await world.put('/sim-1/config', { mirror: { paths: ['/NL-43'], parse: false } });
    t.match(await mirrored(world), { state: 'done', result: { parsed: 0 } });
    // So it is for a gateway that has taken over: the tables know the copies, and its disk has none.
    const copies = join(world.dataDir, 'data', 'plugins', 'mirror');
    for (const name of await readdir(copies)) await rm(join(copies, name), { recursive: true });
    await world.put('/sim-1/config', { mirror: { paths: ['/NL-43'], parse: true } });
    const { state, result } = await mirrored(world);
    t.equal(state, 'done');
    t.ok(result.parsed >= 2);
    const { data: files } = (await world.get('/sim-1/files')).body;
    const lp = files.filter(({ path: name }: { path: string }) => name.includes('_Lp '));
    t.equal(
      lp.reduce((sum: number, { rows }: { rows: number }) => sum + rows, 0),
      7_200,
    );
    t.match(await mirrored(world), { state: 'done', result: { fetched: 0, parsed: 0 } }, 'once');
  },
);

t.test(
  'a limit that was broken while the gateway was down is an event when the card is read, and says so',
  async (t) => {
    const world = await cardWorld(t);
    const rule = { name: 'Hour', units: ['sim-1'], kind: 'level', quantity: 'leq', window: '1h', limit_db: 20 };
    await world.post('/_alerts/rules', { ...rule, record: false });
    await world.restart(5 * HOUR_MS);
    const startedAt = Math.floor(world.clock.now() / HOUR_MS - 3) * HOUR_MS;
    insertCard(world, startedAt);
    await world.ftpOn();
    const live = await world.watch('/_live?events=alert');
    t.match(await mirrored(world), { state: 'done' });
    await world.until('the event', () => live.messages.some(({ data }) => data?.change === 'revised'));
    const eventsNow = async () => (await world.get('/_alerts/events')).body.data;
    let events = await eventsNow();
    // The levels of its time are read after the event.
    for (let tries = 0; events[0]?.measured_s === null && tries < 20; tries += 1) {
      await world.pass(1_000);
      events = await eventsNow();
    }
    t.equal(events.length, 1, 'an event goes on while one window after the other is above the limit');
    const [event] = events;
    t.match(event, { rule: '1', windows: 2, ack: null, revised: { value: event.worst, was: null } });
    // A slow link delays the start of the measurement into the next second.
    t.ok(event.measured_s >= 7_199 && event.measured_s <= 7_200, `${event.measured_s} s`);
    t.same([event.window_from, event.window_to, event.closed_at].map(Date.parse), [
      startedAt,
      startedAt + 2 * HOUR_MS,
      startedAt + 2 * HOUR_MS,
    ]);
  },
);
