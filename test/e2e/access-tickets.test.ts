/** Browsers and WebSockets: a ticket in place of a key. */
import t from 'tap';
import { type KeyedGateway, openKeyedGateway } from '../support/keyed-gateway.ts';
import { revokeKey } from '../support/keys.ts';

const TICKET = /^slt_[A-Za-z0-9_-]{43}$/;
/** The units are switched off, so whoever is let in hears that. */
const LET_IN = 'TCP_DISABLED';

const codeOf = async (keyed: KeyedGateway, path: string, headers = {}) =>
  (await keyed.upgrade(path, headers)).body?.code;

t.test('a key is changed for a ticket, which opens a stream of its unit once', async (t) => {
  const keyed = await openKeyedGateway(t);
  const { headers } = await keyed.key({ name: 'dash' });
  const { status, body } = await keyed.post('/_tickets', { unit_id: 'roof' }, headers);
  t.equal(status, 200);
  t.match(body, { status: 'ok', ticket: TICKET, expires_in_s: 30 });
  t.equal(await codeOf(keyed, `/roof/live?ticket=${body.ticket}`), LET_IN);
  t.equal(await codeOf(keyed, `/roof/live?ticket=${body.ticket}`), 'UNAUTHENTICATED', 'and not again');
});

t.test('a ticket does not work elsewhere, later, twice in one address, or after its key was revoked', async (t) => {
  const keyed = await openKeyedGateway(t);
  const key = await keyed.key({ name: 'dash', role: 'admin' });
  const ticket = async (): Promise<string> =>
    (await keyed.post('/_tickets', { unit_id: 'roof' }, key.headers)).body.ticket;
  t.equal(await codeOf(keyed, `/cellar/live?ticket=${await ticket()}`), 'UNAUTHENTICATED', 'another unit');
  const one = await ticket();
  t.equal(await codeOf(keyed, `/roof/live?ticket=${one}&ticket=${one}`), 'UNAUTHENTICATED', 'twice');
  const get = await keyed.ask('GET', `/roof/status?ticket=${await ticket()}`);
  t.equal(`${get.status} ${get.body.code}`, '401 UNAUTHENTICATED', 'a GET');
  const bearer = await keyed.ask('GET', '/roof/status', { headers: { Authorization: `Bearer ${await ticket()}` } });
  t.equal(bearer.status, 401, 'in place of a key');
  const late = await ticket();
  await keyed.clock.advance(30_000);
  t.equal(await codeOf(keyed, `/roof/live?ticket=${late}`), 'UNAUTHENTICATED', 'after 30 s');
  await keyed.clock.advance(900_000);
  const orphan = await ticket();
  await revokeKey(keyed.dataDir, key, keyed.clock);
  await keyed.clock.advance(1_000);
  t.equal(await codeOf(keyed, `/roof/live?ticket=${orphan}`), 'UNAUTHENTICATED', 'a revoked key');
});

t.test('a ticket has the rights of its key and no more', async (t) => {
  const keyed = await openKeyedGateway(t);
  const { headers } = await keyed.key({ name: 'dash', units: 'roof' });
  const far = await keyed.post('/_tickets', { unit_id: 'cellar' }, headers);
  t.equal(`${far.status} ${far.body.code}`, '403 FORBIDDEN');
  const none = await keyed.post('/_tickets', { unit_id: 'roof' }, {});
  t.equal(none.status, 401);
  const wrong = await keyed.post('/_tickets', { unit_id: '../x' }, headers);
  t.equal(`${wrong.status} ${wrong.body.errors[0].path}`, '422 /unit_id');
  const general = await keyed.post('/_tickets', {}, headers);
  t.match(general.body.ticket, TICKET, 'one for streams of no single unit');
  t.equal(await codeOf(keyed, `/roof/live?ticket=${general.body.ticket}`), 'UNAUTHENTICATED');
});

t.test('a key in the address is not looked at', async (t) => {
  const keyed = await openKeyedGateway(t);
  const { text } = await keyed.key({ name: 'dash' });
  for (const name of ['ticket', 'key', 'token', 'access_token', 'api_key']) {
    t.equal(await codeOf(keyed, `/roof/live?${name}=${text}`), 'UNAUTHENTICATED', name);
  }
});

t.test('a gateway without keys gives and takes tickets, too', async (t) => {
  const keyed = await openKeyedGateway(t);
  const { body } = await keyed.post('/_tickets', { unit_id: 'roof' }, {});
  t.match(body.ticket, TICKET);
  t.equal(await codeOf(keyed, `/roof/live?ticket=${body.ticket}`), LET_IN);
  await keyed.key({ name: 'first', role: 'admin' });
  const { body: early } = await keyed.post('/_tickets', { unit_id: 'roof' }, {});
  t.equal(early.code, 'UNAUTHENTICATED', 'and no longer once there is a key');
});

t.test(
  'spent tickets are refused again and again, and neither keys nor fresh tickets of their address wait',
  async (t) => {
    const keyed = await openKeyedGateway(t);
    const { headers } = await keyed.key({ name: 'dash' });
    const { body } = await keyed.post('/_tickets', { unit_id: 'roof' }, headers);
    const path = `/roof/live?ticket=${body.ticket}`;
    t.equal(await codeOf(keyed, path), LET_IN);
    for (let again = 0; again < 20; again++) t.equal(await codeOf(keyed, path), 'UNAUTHENTICATED');
    t.equal((await keyed.ask('GET', '/roof/status', { headers })).status, 200, 'while keys are good as ever');
    t.equal((await keyed.post('/_tickets', { unit_id: 'roof' }, headers)).status, 200);
    const { body: fresh } = await keyed.post('/_tickets', { unit_id: 'roof' }, headers);
    t.equal(await codeOf(keyed, `/roof/live?ticket=${fresh.ticket}`), LET_IN, 'and a fresh ticket opens');
  },
);

t.test('the ticket appears in no line of the log', async (t) => {
  const keyed = await openKeyedGateway(t);
  const { headers } = await keyed.key({ name: 'dash' });
  const { body } = await keyed.post('/_tickets', { unit_id: 'roof' }, headers);
  await keyed.upgrade(`/roof/live?ticket=${body.ticket}`);
  t.ok(keyed.log.length > 0);
  t.notOk(keyed.log.join('').includes(body.ticket));
});
