/** Reports that are kept: made, changed and removed by people with the right role. Wrong input changes nothing. */
import t from 'tap';
import { openKeyedGateway } from '../support/keyed-gateway.ts';
import { type Json, openWorld } from '../support/world.ts';

const WEEK = { name: 'Week of the bridge', units: ['sim-1'], period: 'week', at: '06:30', zone: 'Europe/Berlin' };

t.test('a report is made, shown, changed and removed, and survives a restart', async (t) => {
  const world = await openWorld(t);
  const made = await world.post('/_reports', { ...WEEK, limits: 'lden:58' });
  t.match(made, {
    status: 201,
    body: { data: { id: '1', ...WEEK, formats: ['pdf'], limits: 'lden:58' } },
  });
  t.match(made.body.data, { template: 'full', preset: 'eu-lden', area: null, last_run: null, warnings: [] });
  t.equal(made.headers.get('location')?.endsWith('/_reports/1'), true);
  const { data } = (await world.get('/_reports/1')).body;
  t.strictSame(data, made.body.data);
  const changed = await world.put('/_reports/1', { ...data, name: 'Another', period: 'none', area: null });
  t.match(changed, { status: 200, body: { data: { name: 'Another', period: 'none', next_due_at: null } } });
  await world.restart(1_000);
  t.strictSame((await world.get('/_reports')).body, { status: 'ok', data: [changed.body.data], next: null });
  t.equal((await world.delete('/_reports/1')).status, 200);
  t.match(await world.get('/_reports/1'), { status: 404, body: { code: 'REPORT_NOT_FOUND' } });
  t.equal((await world.post('/_reports', WEEK)).body.data.id, '2', 'an id is not given again');
  const { records } = (await world.get('/_audit')).body;
  const told = records.map(({ method, route, before }: Json) => [`${method} ${route}`, before?.name]);
  t.match(told, [
    ['POST /_reports'],
    ['DELETE /_reports/{id}', 'Another'],
    ['PUT /_reports/{id}', WEEK.name],
    ['POST /_reports'],
  ]);
});

t.test('the answer to bad input names its path, and nothing is kept', async (t) => {
  const world = await openWorld(t);
  for (const [change, path] of [
    [{ name: '' }, '/name'],
    [{ name: 'two\nlines' }, '/name'],
    [{ units: [] }, '/units'],
    [{ units: ['nobody'] }, '/units/0'],
    [{ units: ['sim-1', 'sim-1'] }, '/units'],
    [{ period: 'year' }, '/period'],
    [{ at: '24:00' }, '/at'],
    [{ at: '6:00' }, '/at'],
    [{ zone: 'Mars/Crater' }, '/zone'],
    [{ formats: [] }, '/formats'],
    [{ formats: ['json'] }, '/formats/0'],
    [{ formats: ['exe'] }, '/formats/0'],
    [{ targets: Array.from({ length: 21 }, (_, n) => String(n + 1)) }, '/targets'],
    [{ targets: ['../x'] }, '/targets/0'],
    [{ targets: ['1'] }, '/targets/0'],
    [{ template: 'none' }, '/template'],
    [{ limits: 'nothing:50' }, '/limits'],
    [{ area: 'nowhere' }, '/area'],
    [{ remarks: '\u001b' }, '/remarks'],
    [{ title: 'x'.repeat(201) }, '/title'],
    [{ colour: 'red' }, '/colour'],
  ] as const) {
    const { status, body } = await world.post('/_reports', { ...WEEK, ...change });
    t.match({ status, body }, { status: 422, body: { code: 'INVALID', errors: [{ path }] } }, JSON.stringify(change));
  }
  t.match(await world.post('/_reports', { ...WEEK, preset: 'none' }), {
    status: 404,
    body: { code: 'ASSESSMENT_NOT_FOUND' },
  });
  t.strictSame((await world.get('/_reports')).body.data, []);
});

t.test('operators change, viewers read, and a key of some units has reports of these alone', async (t) => {
  const keyed = await openKeyedGateway(t);
  const viewer = await keyed.key({ name: 'viewer' });
  const operator = await keyed.key({ name: 'operator', role: 'operator' });
  const roof = await keyed.key({ name: 'roof', role: 'operator', units: 'roof' });
  const body = (units: readonly string[]) => ({ name: 'One', units });
  t.equal((await keyed.post('/_reports', body(['roof']), viewer.headers)).status, 403);
  t.equal((await keyed.post('/_reports', body(['roof']), operator.headers)).status, 201);
  t.equal((await keyed.post('/_reports', body(['roof', 'cellar']), operator.headers)).status, 201);
  t.match(await keyed.post('/_reports', body(['roof', 'cellar']), roof.headers), {
    status: 422,
    body: { errors: [{ path: '/units/1', message: /is no unit that you may see/ }] },
  });
  t.match((await keyed.post('/_reports', body(['roof']), roof.headers)).body.data, { id: '3', created_by: 'roof' });
  const ids = async (key: typeof viewer) =>
    (await keyed.ask('GET', '/_reports', key)).body.data.map(({ id }: { id: string }) => id);
  t.strictSame(await ids(viewer), ['1', '2', '3']);
  t.strictSame(await ids(roof), ['1', '3']);
  for (const method of ['GET', 'DELETE']) t.equal((await keyed.ask(method, '/_reports/2', roof)).status, 404, method);
  t.equal((await keyed.ask('DELETE', '/_reports/1', viewer)).status, 403);
});

t.test('at the most there are 200', async (t) => {
  const world = await openWorld(t);
  for (let n = 0; n < 200; n++) {
    const { status } = await world.post('/_reports', { name: `Report ${n}`, units: ['sim-1'], template: 'levels' });
    if (status !== 201) throw new Error(`the report ${n} answered ${status}`);
  }
  t.match(await world.post('/_reports', WEEK), { status: 422, body: { errors: [{ path: '', message: /200/ }] } });
  t.equal((await world.get('/_reports?limit=1000')).body.data.length, 200);
  await world.delete('/_reports/7');
  t.equal((await world.post('/_reports', WEEK)).status, 201);
});

t.test(
  'a report by tag is about the meters that have the tag when it is made, and is for callers by this tag',
  async (t) => {
    const keyed = await openKeyedGateway(t);
    const all = await keyed.key({ name: 'all', role: 'operator' });
    const client = await keyed.key({ name: 'client', role: 'operator', tags: 'harbour' });
    const other = await keyed.key({ name: 'other', role: 'operator', tags: 'club' });
    const tag = (unitId: string, ...tags: string[]) =>
      keyed.gateway.store.configs.change(unitId, (present) => ({ ...(present as NonNullable<typeof present>), tags }));
    const add = (key: typeof all) =>
      keyed.post('/_reports', { ...WEEK, units: [], tag: 'harbour', formats: ['csv'] }, key.headers);
    t.match((await add(all)).body, { errors: [{ path: '/tag', message: 'no unit has this tag' }] });
    await tag('roof', 'harbour');
    t.match((await add(other)).body, { errors: [{ path: '/tag' }] });
    const { data } = (await add(client)).body;
    t.match(data, { units: ['roof'], tag: 'harbour', warnings: [] });
    t.equal((await keyed.ask('GET', '/_reports/1', all)).status, 200);
    t.equal((await keyed.ask('GET', '/_reports/1', other)).status, 404);
    await tag('cellar', 'harbour');
    const { job } = (await keyed.ask('POST', '/_reports/1/run', client)).body;
    const state = async () => (await keyed.ask('GET', `/_jobs/${job}`, all)).body.data.state;
    while (!['done', 'failed'].includes(await state())) await keyed.clock.advance(100);
    const [document] = (await keyed.ask('GET', '/_reports/1/documents', client)).body.data;
    t.match(document.query, /units=cellar%2Croof|units=roof%2Ccellar/, 'a meter that got the tag since is in it');
    await tag('roof');
    await tag('cellar');
    t.match((await keyed.ask('GET', '/_reports/1', client)).body.data.warnings, [/No meter has the tag harbour/]);
  },
);
