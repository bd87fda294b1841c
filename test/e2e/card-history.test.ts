/** The levels on the card become history: what was missed while the link was down is there afterwards. */
import t from 'tap';
import { read } from '../card/setup.ts';
import { openWorld } from '../support/world.ts';

t.test('two hours that nobody saw live are filled from the card, and the day has the level of the card', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { mirror: { paths: ['/NL-43'], parse: true }, timezone: 'UTC' });
  const { card } = world.meter;
  const startedAt = world.clock.now() - 3 * 3_600_000;
  card.exchange({ startedAt, stores: { serial: '00000001', index: 1 } });
  await world.ftpOn();
  const { headers } = await world.post('/sim-1/mirror');
  const path = String(headers.get('location')).replace(/^.*(?=\/_jobs)/, '');
  let job = (await world.get(path)).body.data;
  for (let asked = 0; asked < 300 && ['queued', 'running'].includes(job.state); asked += 1) {
    await world.pass(200);
    job = (await world.get(path)).body.data;
  }
  t.match(job, { state: 'done', result: { stopped: null, growing: 0 } });
  const { data: files } = (await world.get('/sim-1/files')).body;
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
    `/sim-1/history?from=${from}T00:00:00Z&to=${to}T00:00:00Z&step=1d&zone=UTC&quantities=leq`,
  );
  const column = (name: string) => body.data.columns.indexOf(name);
  const [day] = body.data.rows.filter((row: unknown[]) => row[column('leq')] !== null);
  t.ok(Math.abs(day[column('leq')] - 10 * Math.log10(energy / rows)) < 0.05, 'within 0.05 dB');
  t.equal(day[column('source')], 'card');
  const hours = (await world.get(`/sim-1/files/reconciliation?from=${from}T00:00:00Z&to=${to}T00:00:00Z`)).body.data;
  t.equal(
    hours.reduce((sum: number, { filled_s }: { filled_s: number }) => sum + filled_s, 0),
    7_200,
  );
});
