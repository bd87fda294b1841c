/** A key of some units at the desk: the notes, assessments, events and reports that it reads and writes are of these units alone. */
import t from 'tap';
import { openKeyedGateway } from '../support/keyed-gateway.ts';
import { makeKey } from '../support/keys.ts';

const SPAN = 'from=2025-12-21T00:00:00Z&to=2025-12-22T00:00:00Z';
const NOTE = {
  from: '2025-12-21T10:00:00Z',
  to: '2025-12-21T11:00:00Z',
  kind: 'exclusion',
  reason: 'rain',
  text: 'Wet',
};

t.test('a key of one unit sees and changes nothing of another unit, on no route', async (t) => {
  const headers: Record<string, { headers: Record<string, string> }> = {};
  const keyed = await openKeyedGateway(t, {}, async (dataDir, clock) => {
    for (const [name, role, units] of [
      ['all', 'admin', undefined],
      ['roof', 'admin', 'roof'],
    ] as const)
      headers[name] = await makeKey(dataDir, { name, role, ...(units && { units }) }, clock);
  });
  const ask = async (name: 'all' | 'roof', method: string, path: string, json?: object) => {
    const sent = json && { body: JSON.stringify(json) };
    const type = json && { 'Content-Type': 'application/json' };
    const { status, body } = await keyed.ask(method, path, {
      headers: { ...headers[name]?.headers, ...type },
      ...sent,
    });
    return { status, code: body?.code, data: body?.data, errors: body?.errors };
  };
  t.match(await ask('all', 'POST', '/cellar/notes', NOTE), { status: 201, data: { id: '1' } });
  t.match(await ask('roof', 'POST', '/roof/notes', NOTE), { status: 201, data: { id: '2', by: 'roof' } });
  t.match((await ask('all', 'GET', '/_notes')).data, [{ id: '2' }, { id: '1' }]);
  t.match((await ask('roof', 'GET', '/_notes')).data, [{ id: '2', unit_id: 'roof' }]);
  t.equal((await ask('roof', 'GET', '/_notes?versions=true')).data.length, 1);
  await ask('all', 'POST', '/_reports', { name: 'Both', units: ['roof', 'cellar'] });
  await ask('roof', 'POST', '/_reports', { name: 'Mine', units: ['roof'] });

  const report = { name: 'Mine', units: ['cellar'] };
  for (const [method, path, json] of [
    ['GET', '/_notes?unit=cellar'],
    ['GET', '/cellar/notes'],
    ['POST', '/cellar/notes', NOTE],
    ['PUT', '/cellar/notes/1', { text: 'Dry' }],
    ['DELETE', '/cellar/notes/1'],
    ['PUT', '/roof/notes/1', { text: 'Dry' }],
    ['DELETE', '/roof/notes/1'],
    ['GET', `/cellar/assessment?preset=eu-lden&${SPAN}`],
    ['GET', `/cellar/events?threshold=60&${SPAN}`],
    ['GET', `/cellar/distribution?${SPAN}`],
    ['GET', `/cellar/loudest_hour?${SPAN}`],
    ['GET', `/cellar/moving?${SPAN}`],
    ['GET', `/cellar/notes/proposals?${SPAN}`],
    ['GET', `/_reports/preview?units=cellar&format=json&${SPAN}`],
    ['GET', `/_reports/preview?units=roof,cellar&format=json&${SPAN}`],
    ['PUT', '/_reports/1', { name: 'Both', units: ['roof'] }],
    ['POST', `/_reports/1/run?${SPAN}`],
    ['GET', '/_reports/1/runs'],
    ['GET', '/_reports/1/documents'],
    ['PUT', '/_reports/2', report],
    ['POST', '/_reports', report],
  ] as const) {
    const { status, data, errors } = await ask('roof', method, path, json);
    if (path === '/_notes?unit=cellar') t.strictSame(data, [], path);
    else if (status === 422) t.match(errors, [{ path: /^\/units/ }], `${method} ${path}`);
    else t.ok(status === 403 || status === 404, `${method} ${path}: ${status}`);
  }
  for (const [path, json] of [
    ['/_assessments/eu-lden', { confirmed_by: 'A. Reader' }],
    ['/_calendars/de', { days: [] }],
  ] as const)
    t.equal((await ask('roof', 'PUT', path, json)).status, 403, `${path} is of all units`);
  t.match((await ask('all', 'GET', '/cellar/notes')).data, [{ id: '1', text: 'Wet', version: 1 }]);
  t.match((await ask('all', 'GET', '/_reports')).data, [{ units: ['roof', 'cellar'] }, { units: ['roof'] }]);

  t.equal((await ask('roof', 'GET', `/roof/assessment?preset=eu-lden&${SPAN}`)).status, 200);
  t.equal((await ask('roof', 'GET', `/_reports/preview?units=roof&format=json&${SPAN}`)).status, 200);
});
