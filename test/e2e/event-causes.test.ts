/** The answer of a person to an event, also to one that has ended: the cause, who may choose which, and where it is counted. */
import t from 'tap';
import { openKeyedGateway } from '../support/keyed-gateway.ts';
import { makeKey } from '../support/keys.ts';
import { type Json, openWorld } from '../support/world.ts';

const DAY = Date.UTC(2025, 11, 21);
const at = (hours: number) => new Date(DAY + hours * 3_600_000).toISOString();
const event = (hour: number, more: object = {}) => ({
  rule_name: 'Day limit',
  unit_id: 'sim-1',
  kind: 'level',
  what: 'leq',
  limit: 70,
  worst: 72,
  opened_at: at(hour),
  closed_at: at(hour + 0.5),
  ...more,
});

t.test('an event that has ended is answered with a note and a cause, and reports count the causes', async (t) => {
  const public_url = 'https://noise.example.org/site-7/api/nl43';
  const world = await openWorld(t, { settings: { plugin_settings: { alerts: { public_url } } } });
  await world.put('/sim-1/config', { timezone: 'UTC' });
  const events = [event(9), event(10), event(11), event(12, { cause: 'Music' })];
  t.equal((await world.post('/_alerts/events/import', { events })).status, 200);

  const shown = await world.get('/_alerts/events/1');
  t.match(shown.body, {
    data: { id: '1', cause: null, ack: null, page: 'https://noise.example.org/site-7/alerts/1' },
    messages: [],
    causes: ['Music', 'Construction'],
  });
  const answered = await world.post('/_alerts/events/1/ack', { note: 'Rang the site.', cause: 'Crane' });
  t.match(answered.body, {
    message: 'The event is acknowledged. Its cause is Crane.',
    data: { cause: 'Crane', ack: { by: 'anybody', note: 'Rang the site.' } },
  });
  await world.post('/_alerts/events/2/ack', { cause: 'Crane' });
  t.strictSame((await world.get('/_alerts/events/3')).body.causes.slice(0, 3), ['Crane', 'Music', 'Construction']);

  // The cause may be corrected; who acknowledged it stays.
  await world.post('/_alerts/events/1/ack', { note: 'Once more', cause: 'Railway' });
  for (const again of ['', 'Once more', 'Rang the site.']) await world.post('/_alerts/events/1/ack', { note: again });
  const { data: corrected } = (await world.get('/_alerts/events/1')).body;
  t.match(corrected, { cause: 'Railway', ack: { by: 'anybody', note: 'Rang the site.' } });
  t.match(corrected.ack.later, [{ by: 'anybody', at: String, note: 'Once more' }]);
  t.equal(corrected.ack.later.length, 1, 'the same note is there once');
  t.match((await world.post('/_alerts/events/1/ack')).body, { data: { cause: 'Railway' } }, 'absent: it stays');
  t.match((await world.post('/_alerts/events/4/ack', { cause: null })).body, { data: { cause: null } });
  await world.restart(1_000);
  t.match((await world.get('/_alerts/events?limit=2')).body.data, [{ cause: null }, { cause: null }]);
  t.match((await world.get('/_alerts/events/2')).body.data, { cause: 'Crane' });

  const csv = String((await world.get('/_alerts/events?format=csv')).body).split('\r\n');
  t.match(csv[0], /,cause$/);
  t.match(csv[4], /,Railway$/);
  const { data: report } = (await world.get(`/_reports/preview?units=sim-1&from=${at(0)}&to=${at(24)}&lang=de`)).body;
  const { blocks } = report.units[0].sections.find(({ section }: Json) => section === 'events');
  t.strictSame(
    blocks.at(-1).rows.toSorted(),
    [
      ['Crane', 1],
      ['Schienenverkehr', 1],
      ['ohne Ursache', 2],
    ].toSorted(),
  );

  for (const cause of ['', ' Crane', 'x'.repeat(81), 'a\nb', 7])
    t.match(
      await world.post('/_alerts/events/1/ack', { cause }),
      { status: 422, body: { errors: [{ path: '/cause' }] } },
      `${JSON.stringify(cause)} is no cause`,
    );
  t.match(await world.get('/_alerts/events/99'), { status: 404, body: { code: 'ALERT_NOT_FOUND' } });
});

t.test('two units have one tag: a key of the first unit is offered no cause of the second', async (t) => {
  const keys: Record<string, Record<string, string>> = {};
  const keyed = await openKeyedGateway(t, {}, async (dataDir, clock) => {
    keys.all = (await makeKey(dataDir, { name: 'all', role: 'admin' }, clock)).headers;
    keys.roof = (await makeKey(dataDir, { name: 'roof', role: 'operator', units: 'roof' }, clock)).headers;
  });
  const ask = (name: string, method: string, path: string, json?: object) =>
    keyed.ask(method, path, {
      headers: { ...keys[name], ...(json && { 'Content-Type': 'application/json' }) },
      ...(json && { body: JSON.stringify(json) }),
    });
  for (const unit of ['roof', 'cellar']) await ask('all', 'PUT', `/${unit}/config`, { tags: ['yard'] });
  const events = [event(9, { unit_id: 'roof' }), event(10, { unit_id: 'cellar', cause: 'Party' })];
  await ask('all', 'POST', '/_alerts/events/import', { events });
  t.ok((await ask('all', 'GET', '/_alerts/events/1')).body.causes.includes('Party'), 'of the same tag');
  t.notOk((await ask('roof', 'GET', '/_alerts/events/1')).body.causes.includes('Party'));
  t.equal((await ask('roof', 'GET', '/_alerts/events/2')).status, 404);
  t.equal((await ask('roof', 'POST', '/_alerts/events/2/ack', { cause: 'Crane' })).status, 404);
  t.match((await ask('all', 'GET', '/_alerts/events/2')).body.data, { cause: 'Party', ack: null });
});
