/**
 * A meter that is recorded loses its link for two hours while it measures. The mirror brings what was missed: the day has the level
 * of the card, and what was provisional is final.
 */
import t from 'tap';
import { read } from '../drivers/nl43/card/setup.ts';
import { mirrored } from '../support/packages.ts';
import { openWorld, type World } from '../support/world.ts';

const DAY = 'from=2025-12-24T00:00:00Z&to=2025-12-25T00:00:00Z&step=1d&zone=UTC&quantities=leq';

async function dayOf(world: World) {
  // Rows are written by the clock of the computer and not by the clock of the test.
  await world.gateway.history.flush();
  const { data } = (await world.get(`/sim-1/history?${DAY}`)).body;
  const [row] = data.rows;
  const of = (name: string) => row[data.columns.indexOf(name)];
  return { leq: of('leq'), coverage: of('coverage'), source: of('source'), provisionalFrom: data.provisional_from };
}

/** The energy mean of all seconds on the card. */
async function levelOfCard(world: World): Promise<{ readonly leq: number; readonly seconds: number }> {
  const { data } = (await world.get('/sim-1/files')).body;
  let energy = 0;
  let seconds = 0;
  for (const { path } of data.filter(({ path }: { path: string }) => path.includes('_Lp '))) {
    const response = await world.passing(fetch(`${world.base}/sim-1/files/content?path=${encodeURIComponent(path)}`));
    const { rows, problems } = await read(Buffer.from(await world.passing(response.arrayBuffer())));
    t.same(problems, []);
    for (const { leq } of rows) energy += 10 ** ((leq ?? 0) / 10);
    seconds += rows.length;
  }
  return { leq: 10 * Math.log10(energy / seconds), seconds };
}

t.test('two hours without a link are filled from the card, and the day has its level', async (t) => {
  const world = await openWorld(t, { quirks: { auto_stream_interval: 'any' } });
  await world.set('Store Mode', 'Auto');
  await world.put('/sim-1/lp-interval', { preset: '1s' });
  await world.ftpOn();
  const mirror = { enabled: true, every: '6h', paths: ['/NL-43'], parse: true };
  await world.put('/sim-1/config', { history: 'stream', timezone: 'UTC', mirror });
  await world.post('/sim-1/start');
  await world.pass(150_000);

  world.meter.faults.on('asleep', {});
  await world.clock.advance(2 * 3_600_000);
  world.meter.faults.clear();
  await world.pass(240_000);
  const lost = await dayOf(world);
  t.equal(lost.source, 'stream');
  t.ok(lost.coverage < 0.01, 'some minutes of a day');
  t.equal(lost.provisionalFrom, '2025-12-24T00:00:00.000Z', 'nothing of it is final');
  const report = () => world.get('/sim-1/report?from=2025-12-24T00:00:00Z&to=2025-12-25T00:00:00Z');
  t.match((await report()).body, /provisional from Wed 24 Dec 2025, 02:00 on/);

  await world.post('/sim-1/stop');
  await world.put('/sim-1/config', { history: 'off' });
  await world.pass(5_000);
  t.match(await mirrored(world), { state: 'done', result: { stopped: null, growing: 0 } });
  const card = await levelOfCard(world);
  t.ok(card.seconds > 7_500, `${card.seconds} s are on the card`);
  const filled = await dayOf(world);
  t.ok(Math.abs(filled.leq - card.leq) <= 0.05, `${filled.leq} dB, on the card ${card.leq}`);
  t.ok(Math.abs(filled.coverage * 86_400 - card.seconds) < 90, 'and its seconds');
  t.match(filled.source, /^card/);
  const { data: hours } = (
    await world.get('/sim-1/files/reconciliation?from=2025-12-24T00:00:00Z&to=2025-12-25T00:00:00Z')
  ).body;
  const sum = hours.reduce((all: number, { filled_s }: { filled_s: number }) => all + filled_s, 0);
  t.ok(sum > 7_000, `${sum} s were filled`);
  for (const { mean_difference_db: mean } of hours)
    t.ok(mean === null || Math.abs(mean) < 0.3, 'card and stream agree');

  await world.clock.advance(86_400_000);
  t.match(await mirrored(world), { state: 'done' });
  t.equal((await dayOf(world)).provisionalFrom, null, 'all of the day is final');
  t.match((await report()).body, /<td>final<\/td>/);
});
