/** From an event to the people: webhook and mail as they arrive, targets as they are kept. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { Webhook } from 'standardwebhooks';
import t, { type Test } from 'tap';
import { openBroker } from '../mqtt/support.ts';
import { selfSigned } from '../support/certificate.ts';
import { mailSettings, openMailbox } from '../support/mailbox.ts';
import { openWorld } from '../support/world.ts';

const SECRET = `whsec_${Buffer.from('a secret of a webhook, 32 bytes!').toString('base64')}`;

async function receiver(t: Test) {
  const calls: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      calls.push({ headers: request.headers, body });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  return { calls, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

t.test('an event and its end arrive by webhook and mail; no output has a secret', async (t) => {
  const hook = await receiver(t);
  const box = await openMailbox(t);
  const { taken } = box;
  const plugin_settings = { alerts: mailSettings(box) };
  const world = await openWorld(t, { settings: { outbound_allow_networks: ['127.0.0.0/8'], plugin_settings } });
  const webhook = { name: 'Site office', kind: 'webhook', url: hook.url, secret: SECRET };
  t.match(await world.post('/_alerts/targets', webhook), {
    status: 201,
    body: { data: { id: '1', secret_set: true } },
  });
  const mails = { name: 'Mail', kind: 'mail', to: ['site@example.org', 'office@example.org'] };
  t.match(await world.post('/_alerts/targets', mails), { status: 201, body: { data: { id: '2' } } });

  t.match((await world.post('/_alerts/targets/1/test')).body, { delivered: true, message: 'The target answered 200.' });
  t.match((await world.post('/_alerts/targets/2/test')).body, { delivered: true });
  const broker = await openBroker(t);
  const mqtt = { name: 'Control room', kind: 'mqtt', url: broker.url, topic: 'site/alarms' };
  t.match(await world.post('/_alerts/targets', mqtt), { status: 201, body: { data: { id: '3', secret_set: false } } });
  t.match((await world.post('/_alerts/targets/3/test')).body, { delivered: true, message: /confirmed/ });
  t.match(JSON.parse(broker.texts('site/alarms')[0] ?? ''), { type: 'alert.test', data: {} });
  const page = async (query: string) => {
    const { data, next } = (await world.get(`/_alerts/targets?${query}`)).body;
    return { ids: data.map(({ id }: { id: string }) => id), next };
  };
  t.same(await page('limit=2'), { ids: ['1', '2'], next: '2' });
  t.same(await page('limit=2&cursor=2'), { ids: ['3'], next: null });
  t.match(await world.delete('/_alerts/targets/3'), { status: 200 });
  t.match(taken[0], { to: mails.to, text: /^Subject: Test of alerts\r$/m });

  const rule = {
    name: 'Standstill',
    units: ['sim-1'],
    kind: 'device',
    condition: 'not_measuring',
    for: '0s',
    targets: ['1', '2'],
  };
  await world.post('/_alerts/rules', rule);
  await world.post('/sim-1/stop');
  await world.get('/sim-1/live');
  await world.until('the webhook', () => hook.calls.length === 2);
  const headers = hook.calls[1]?.headers as Record<string, string>;
  const sentAt = Number(headers['webhook-timestamp']) * 1_000;
  t.ok(Math.abs(sentAt - world.clock.now()) < 10_000);
  // The library compares with the time of this machine; the signature itself is what it is asked for.
  const signature = new Webhook(SECRET).sign(headers['webhook-id'] ?? '', new Date(sentAt), hook.calls[1]?.body ?? '');
  t.equal(headers['webhook-signature'], signature);
  t.match(JSON.parse(hook.calls[1]?.body ?? ''), {
    type: 'alert.opened',
    data: { rule_name: 'Standstill', unit_id: 'sim-1', what: 'not_measuring', closed_at: null },
  });

  await world.post('/sim-1/start');
  await world.get('/sim-1/live');
  await world.until('the end of it', () => hook.calls.length === 3);
  t.match(JSON.parse(hook.calls[2]?.body ?? ''), { type: 'alert.closed', data: { closed_at: String } });
  await world.pass(61_000);
  await world.until('the mail', () => taken.length === 2);
  t.match(taken[1]?.text, /^Subject: Alert: Standstill at sim-1 and 1 more\r$/m, 'both in one mail');
  const { data } = (await world.get('/_alerts/deliveries?state=done')).body;
  t.match(
    data.map(({ target, type, tries }: Record<string, unknown>) => [target, type, tries]),
    [
      ['2', 'closed', 1],
      ['1', 'closed', 1],
      ['2', 'opened', 1],
      ['1', 'opened', 1],
    ],
  );
  t.match(await world.delete('/_alerts/targets/1'), { status: 422, body: { detail: /named by 1 rule/ } });
  t.notOk([...world.answers, ...world.log].some((text) => text.includes(SECRET) || text.includes(SECRET.slice(6))));
});

t.test('an impossible target is refused with advice', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  const webhook = { name: 'Hook', kind: 'webhook', url: 'https://192.0.2.7/hook', secret: SECRET };
  for (const [change, path] of [
    [{ secret: undefined }, '/secret'],
    [{ secret: 'short' }, '/secret'],
    [{ url: undefined }, '/url'],
    [{ url: 'ftp://example.org' }, '/url'],
    [{ to: ['a@example.org'] }, '/to'],
    [{ zone: 'Mars/Olympus' }, '/zone'],
    [{ kind: 'mail', url: undefined, secret: undefined, to: ['a@example.org\r\nBcc: b@example.org'] }, '/to/0'],
    [{ kind: 'mail', url: undefined, secret: undefined, to: ['Name <a@example.org>'] }, '/to/0'],
  ] as const) {
    const { status, body } = await world.post('/_alerts/targets', { ...webhook, ...change });
    t.match({ status, errors: body.errors }, { status: 422, errors: [{ path }] }, path);
  }
  const own = await world.post('/_alerts/targets', { ...webhook, url: `${world.base}/_alerts/rules` });
  t.match(own, { status: 403, body: { code: 'ADDRESS_REFUSED', detail: /itself/ } });
  t.same((await world.get('/_alerts/targets')).body.data, []);
});

t.test('an event without an acknowledgement goes to more people, once; a key sees only its own units', async (t) => {
  const [office, chief] = [await receiver(t), await receiver(t)];
  const world = await openWorld(t, { meters: 2, settings: { outbound_allow_networks: ['127.0.0.0/8'] } });
  for (const { url } of [office, chief])
    await world.post('/_alerts/targets', { name: 'Hook', kind: 'webhook', url, secret: SECRET });
  const rule = {
    name: 'Standstill',
    units: ['sim-1', 'sim-2'],
    kind: 'device',
    condition: 'not_measuring',
    for: '0s',
    targets: ['1'],
    ack_within: '1m',
    escalate_to: ['2'],
  };
  await world.post('/_alerts/rules', rule);
  for (const unit of ['sim-1', 'sim-2']) {
    await world.post(`/${unit}/stop`);
    await world.get(`/${unit}/live`);
  }
  await world.until('both events', () => office.calls.length === 2);
  const events = (await world.get('/_alerts/events')).body.data;
  const eventOf = (unit: string) => events.find(({ unit_id }: { unit_id: string }) => unit_id === unit);
  const [slow, quick] = [eventOf('sim-1'), eventOf('sim-2')];
  await world.post(`/_alerts/events/${quick.id}/ack`, { note: 'On my way.' });
  // The minute counts from the event. A meter behind a slow link takes seconds until it is acknowledged.
  const due = Date.parse(slow.opened_at) + 60_000;
  await world.pass(due - 5_000 - world.clock.now());
  t.equal(chief.calls.length, 0, 'there is time yet');
  await world.until('the escalation', () => chief.calls.length > 0);
  const late = Date.parse(JSON.parse(chief.calls[0]?.body ?? '').data.escalated_at) - due;
  t.ok(late >= 0 && late < 10_000, `told ${late} ms after the minute`);
  await world.pass(70_000);
  t.match(
    chief.calls.map(({ body }) => JSON.parse(body)),
    [{ type: 'alert.escalated', data: { unit_id: 'sim-1', escalated_at: String, ack: null } }],
    'the event without an acknowledgement, once',
  );

  const { headers } = await world.key({ name: 'tenant', role: 'admin', units: 'sim-1' });
  const ask = (method: string, path: string, json?: object) =>
    world.ask(method, path, { headers, ...(json && { json }) });
  const [seen] = (await ask('GET', '/_alerts/rules')).body.data;
  t.strictSame(seen.units, ['sim-1'], 'a shared rule names no unit of others');
  t.strictSame((await ask('GET', '/_alerts/rules/1')).body.data.units, ['sim-1']);
  const { escalate_to: _to, ack_within: _within, ...own } = { ...rule, units: ['sim-1'], targets: [] };
  t.match(await ask('PUT', '/_alerts/rules/1', own), { status: 403, body: { detail: /other units, too/ } });
  t.match(await ask('DELETE', '/_alerts/rules/1'), { status: 403 });
  t.match(await ask('POST', '/_alerts/rules', { ...own, units: ['sim-2'] }), {
    status: 422,
    body: { errors: [{ path: '/units/0', message: /has no device config/ }] },
  });
  t.match(await ask('POST', '/_alerts/rules', { ...own, units: undefined, tag: 'site' }), {
    status: 403,
    body: { detail: /name the units of the rule/ },
  });
  t.match(await ask('POST', '/_alerts/rules', own), { status: 201 });
  const units = (await ask('GET', '/_alerts/events')).body.data.map(({ unit_id }: { unit_id: string }) => unit_id);
  t.strictSame(units, ['sim-1']);
});

t.test('when the certificate of a broker repeats the password, the answer of a test does not have it', async (t) => {
  const { cert, key } = selfSigned('broker', 'canary-3.example');
  const server = tls.createServer({ cert, key });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  const usual = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...usual, cert]);
  t.teardown(() => tls.setDefaultCACertificates(usual));
  const world = await openWorld(t, { settings: { outbound_allow_networks: ['127.0.0.0/8'] } });
  const url = `mqtts://localhost:${(server.address() as AddressInfo).port}`;
  const broker = { name: 'Broker', kind: 'mqtt', url, topic: 'site/alarms', username: 'slm', secret: 'canary-3' };
  t.match(await world.post('/_alerts/targets', broker), { status: 201 });
  const { body } = await world.post('/_alerts/targets/1/test');
  t.match(body, { delivered: false, message: /altnames: .*DNS:\*\*\*\.example/ });
  t.notMatch(JSON.stringify(body), /canary/);
});
