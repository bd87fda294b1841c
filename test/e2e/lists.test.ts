/** Rules for every list, and for every thing that can be replaced. */
import t from 'tap';
import { openWorld, type World } from '../support/world.ts';

const LIMIT = { name: 'Limit', kind: 'level', quantity: 'leq', window: '15m', limit_db: 70 };
const LOST = { name: 'Lost', units: ['sim-1'], kind: 'device', condition: 'unreachable' };
const TARGET = { name: 'Office', kind: 'mail', to: ['site@example.org'] };
const PROFILE = { description: 'Nights', settings: { frequency_weighting: 'C' } };

/** All entries of a list, one a page. */
async function singly(world: World, path: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await world.get(`${path}?limit=1&cursor=${encodeURIComponent(cursor)}`);
    if (status !== 200 || body.data.length > 1) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    all.push(...body.data);
    cursor = body.next;
  }
  return all;
}

t.test('lists come in pages, each with the cursor of the next one', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  for (const name of ['a', 'b', 'c']) {
    await world.post('/_alerts/rules', { ...LIMIT, name, units: ['sim-1', 'sim-2'] });
    await world.post('/_alerts/targets', { ...TARGET, name });
    await world.put(`/_profiles/${name}`, PROFILE);
  }
  const { body } = await world.post('/_profiles/a/apply', { units: ['sim-2', 'sim-1'] });
  t.equal(body.job, null, 'two jobs: their ids are in jobs');
  await world.until('both jobs', () => world.meters.every((meter) => meter.read('Frequency Weighting (Main)') === 'C'));
  await world.pass(2_000);
  for (const [path, count] of [
    ['/_alerts/rules', 3],
    ['/_alerts/targets', 3],
    ['/_profiles', 3],
    ['/_profiles/a/drift', 2],
    ['/_jobs', 2],
    ['/sim-1/budget', 3],
    ['/_budget', 6],
    ['/_status', 2],
  ] as const) {
    const whole = (await world.get(path)).body;
    t.match(whole, { next: null }, path);
    t.equal(whole.data.length, count, path);
    const ids = (all: unknown[]) =>
      all.map((one) => {
        const { id, name, unit_id, rule } = one as Record<string, unknown>;
        return [id, name, unit_id, rule];
      });
    t.same(ids(await singly(world, path)), ids(whole.data), path);
    for (const limit of ['0', '1001', 'x'])
      t.match(await world.get(`${path}?limit=${limit}`), { status: 422, body: { errors: [{ path: '/limit' }] } });
  }
});

t.test('the audit log has the pages of all lists, and its older form of pages', async (t) => {
  const world = await openWorld(t);
  for (const name of ['a', 'b', 'c']) await world.put(`/_profiles/${name}`, PROFILE);
  const [first, second, third] = (await world.get('/_audit?limit=3')).body.records;
  for (const name of ['before', 'cursor'] as const) {
    const page = await world.get(`/_audit?limit=1&${name}=${first.n}`);
    t.same(page.body.records, [second]);
    t.equal(page.body.next, second.n);
    t.same((await world.get(`/_audit?limit=1&${name}=${page.body.next}`)).body.records, [third]);
  }
  t.match((await world.get('/_audit?limit=1000')).body, { next: null });
});

t.test('an empty filter is no filter, in every list', async (t) => {
  const world = await openWorld(t, { meters: 2 });
  await world.put('/_profiles/a', PROFILE);
  const { headers } = await world.post('/_profiles/a/apply', { units: ['sim-1'] });
  const job = String(headers.get('location')).replace(/^.*(?=\/_jobs)/, '');
  // A job that still runs would change the later answers.
  while (['queued', 'running'].includes((await world.get(job)).body.data.state)) await world.pass(200);
  for (const [path, filters] of [
    ['/_status', ['units', 'tag', 'state', 'q', 'limit', 'cursor']],
    ['/_jobs', ['unit', 'state', 'kind', 'limit', 'cursor']],
    ['/_alerts/rules', ['limit', 'cursor']],
    ['/_alerts/events', ['unit', 'rule', 'open', 'from', 'to', 'limit', 'cursor']],
    ['/_alerts/targets', ['limit', 'cursor']],
    ['/_alerts/deliveries', ['target', 'state', 'limit', 'cursor']],
    ['/_profiles', ['limit', 'cursor']],
    ['/_budget', ['limit', 'cursor']],
    ['/sim-1/files', ['card', 'limit', 'cursor']],
    ['/sim-1/log', ['kind', 'from', 'to', 'q', 'outcome', 'limit', 'cursor']],
    ['/_audit', ['unit', 'before', 'limit', 'cursor']],
  ] as const) {
    const whole = await world.get(path);
    for (const name of filters) {
      const { status, body } = await world.get(`${path}?${name}=`);
      t.equal(status, 200, `${path}?${name}=`);
      t.equal(body.data?.length, whole.body.data?.length, `${path}?${name}=`);
    }
  }
});

t.test('a span that ends before it begins is refused, in every list', async (t) => {
  const world = await openWorld(t);
  const span = 'from=2025-12-24T00:00:00Z&to=2025-12-23T00:00:00Z';
  for (const path of ['/_alerts/events', '/sim-1/log', '/sim-1/files/reconciliation', '/sim-1/history'])
    t.match(await world.get(`${path}?${span}`), { status: 422, body: { errors: [{ path: '/to' }] } }, path);
});

t.test('an impossible id gets the answer of an unknown id', async (t) => {
  const world = await openWorld(t);
  for (const id of ['x', '0', '999', '0x1', '1e0', '%20'])
    for (const [method, path, code] of [
      ['GET', `/_jobs/${id}`, 'JOB_NOT_FOUND'],
      ['DELETE', `/_jobs/${id}`, 'JOB_NOT_FOUND'],
      ['GET', `/_alerts/rules/${id}`, 'ALERT_NOT_FOUND'],
      ['PUT', `/_alerts/rules/${id}`, 'ALERT_NOT_FOUND'],
      ['DELETE', `/_alerts/rules/${id}`, 'ALERT_NOT_FOUND'],
      ['GET', `/_alerts/targets/${id}`, 'ALERT_NOT_FOUND'],
      ['POST', `/_alerts/targets/${id}/test`, 'ALERT_NOT_FOUND'],
      ['POST', `/_alerts/events/${id}/ack`, 'ALERT_NOT_FOUND'],
    ] as const) {
      const ask = method === 'PUT' ? { json: LOST } : {};
      t.match(await world.ask(method, path, ask), { status: 404, body: { code } }, `${method} ${path}`);
    }
  t.match(await world.get('/_profiles/%20'), { status: 404, body: { code: 'PROFILE_NOT_FOUND' } });
  t.match(await world.put('/_profiles/%20', PROFILE), { status: 422 }, 'this one would be created');
});

t.test('the data of GET can be sent back with PUT; data of another thing cannot', async (t) => {
  const world = await openWorld(t);
  await world.post('/_alerts/rules', { ...LIMIT, tag: 'site' });
  await world.post('/_alerts/rules', { ...LOST, for: '5m' });
  await world.post('/_alerts/targets', TARGET);
  await world.put('/_profiles/night', PROFILE);
  const changes = new Set(['changed_at', 'tcp_enabled']);
  for (const [path, identity] of [
    ['/_alerts/rules/1', 'id'],
    ['/_alerts/rules/2', 'id'],
    ['/_alerts/targets/1', 'id'],
    ['/_profiles/night', 'name'],
    ['/sim-1/polling/config', 'unit_id'],
    ['/sim-1/config', 'unit_id'],
    ['/sim-1/schedule', undefined],
  ] as const) {
    const { data } = (await world.get(path)).body;
    const put = await world.put(path, data);
    t.equal(put.status, 200, path);
    const rest = (all: object) => Object.entries(all).filter(([name]) => !changes.has(name));
    t.same(rest((await world.get(path)).body.data), rest(data), path);
    if (identity === undefined) continue;
    const foreign = await world.put(path, { ...data, [identity]: '7' });
    t.match(foreign, { status: 422, body: { errors: [{ path: `/${identity}` }] } }, path);
    t.equal((await world.put(path, { ...data, stranger: 1 })).status, 422, path);
  }
  t.equal((await world.get('/_alerts/rules')).body.data.length, 2);
});

t.test('small lists and single things are not sent again while they do not change', async (t) => {
  const world = await openWorld(t);
  await world.post('/_alerts/rules', LOST);
  await world.post('/_alerts/targets', TARGET);
  await world.put('/_profiles/night', PROFILE);
  const { body } = await world.post('/_profiles/night/apply', { units: ['sim-1'] });
  await world.pass(5_000);
  const reconciliation = '/sim-1/files/reconciliation?from=2025-12-24T00:00:00Z&to=2025-12-25T00:00:00Z';
  for (const path of [
    ...['/_alerts/rules', '/_alerts/rules/1', '/_alerts/targets', '/_alerts/targets/1', '/_alerts/events'],
    ...['/_alerts/deliveries', '/_jobs', `/_jobs/${body.job}`, '/_profiles', '/_profiles/night'],
    ...['/_profiles/night/drift', '/sim-1/schedule', '/sim-1/files', '/sim-1/log', '/sim-1/polling/config'],
    ...['/sim-1/config', '/', reconciliation],
  ]) {
    const etag = (await world.get(path)).headers.get('etag') ?? 'none';
    t.match(await world.get(path, { headers: { 'If-None-Match': etag } }), { status: 304 }, path);
  }
});

t.test('a path that leads out of the card is refused in the same way everywhere', async (t) => {
  const world = await openWorld(t);
  for (const path of ['../x', '/../x', '/a/..', '', 'x', '/a%00'])
    for (const route of ['files/content', 'files/archive', 'ftp/file', 'ftp/files', 'ftp/archive'])
      t.match(
        await world.get(`/sim-1/${route}?path=${path}`),
        { status: 422, body: { errors: [{ path: '/path' }] } },
        `${route} ${path}`,
      );
});

t.test('an empty body may be left out', async (t) => {
  const world = await openWorld(t);
  t.match(await world.post('/_tickets'), { status: 200, body: { ticket: String } });
  t.match(await world.post('/_alerts/events/1/ack'), { status: 404, body: { code: 'ALERT_NOT_FOUND' } });
  t.match(await world.post('/sim-1/cycle/stop'), { status: 202 });
});
