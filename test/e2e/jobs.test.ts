/** Jobs by HTTP: listed, shown, cancelled, and only those that a key reaches. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

const DEMO = new URL('../jobs/demo-plugin.ts', import.meta.url).pathname;

t.test('jobs are listed in pages, shown and cancelled', async (t) => {
  const world = await openWorld(t, { meters: 0, settings: { plugins: ['config', 'jobs', DEMO] } });
  for (const unit of ['roof', 'gate']) {
    await world.put(`/${unit}/config`, { host: '192.0.2.7', tcp_enabled: false });
    const { status, body, headers } = await world.post(`/${unit}/demo`);
    t.match({ status, body }, { status: 202, body: { status: 'ok', job: { state: /queued|running/, unit_id: unit } } });
    t.match(headers.get('location'), /\/_jobs\/\d+$/);
  }
  const first = await world.get('/_jobs?limit=1');
  t.match(first.body, { status: 'ok', data: [{ id: '2', unit_id: 'gate', kind: 'demo' }], next: '2' });
  const second = await world.get(`/_jobs?limit=1&cursor=${first.body.next}`);
  t.match(second.body, { data: [{ id: '1', unit_id: 'roof' }], next: null });
  t.match((await world.get('/_jobs?unit=roof,none&state=running&kind=demo')).body, { data: [{ id: '1' }] });
  t.match(await world.get('/_jobs?state=lost'), { status: 422, body: { errors: [{ path: '/state' }] } });
  t.match((await world.get('/_jobs/1')).body.data, {
    state: 'running',
    progress: { done: 1, total: null, unit: 'files' },
  });
  t.match(await world.delete('/_jobs/1'), {
    status: 200,
    body: { message: /^The job 1 is (cancelled|told to end)\.$/ },
  });
  t.match((await world.delete('/_jobs/1')).body.data, { state: 'cancelled', ended_at: String });
  for (const id of ['99', 'x', '0', '-1']) t.match(await world.get(`/_jobs/${id}`), { status: 404 }, id);
});
