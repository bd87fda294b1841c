/** From an event to the people: webhook and mail as they arrive, targets as they are kept. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { Webhook } from 'standardwebhooks';
import t, { type Test } from 'tap';
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

async function mailbox(t: Test) {
  const mails: { readonly to: string[]; readonly text: string }[] = [];
  const server = new SMTPServer({
    ...{ disabledCommands: ['AUTH', 'STARTTLS'], logger: false },
    onData(stream, session, done) {
      let text = '';
      stream.on('data', (chunk) => {
        text += String(chunk);
      });
      stream.on('end', () => {
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  t.teardown(() => new Promise<void>((resolve) => server.close(resolve)));
  return { mails, port: (server.server.address() as AddressInfo).port };
}

t.test('an event arrives by webhook and mail, its end too; secrets come out nowhere', async (t) => {
  const hook = await receiver(t);
  const mail = await mailbox(t);
  const smtp = { smtp_host: '127.0.0.1', smtp_port: mail.port, smtp_security: 'none', smtp_from: 'alerts@example.org' };
  const world = await openWorld(t, {
    settings: { outbound_allow_networks: ['127.0.0.0/8'], plugin_settings: { alerts: smtp } },
  });
  const webhook = { name: 'Site office', kind: 'webhook', url: hook.url, secret: SECRET };
  t.match(await world.post('/_alerts/targets', webhook), {
    status: 201,
    body: { data: { id: '1', secret_set: true } },
  });
  const mails = { name: 'Mail', kind: 'mail', to: ['site@example.org', 'office@example.org'] };
  t.match(await world.post('/_alerts/targets', mails), { status: 201, body: { data: { id: '2' } } });

  t.match((await world.post('/_alerts/targets/1/test')).body, { delivered: true, message: 'The target answered 200.' });
  t.match((await world.post('/_alerts/targets/2/test')).body, { delivered: true });
  t.match(mail.mails[0], { to: mails.to, text: /^Subject: Test of alerts\r$/m });

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
  await world.until('the mail', () => mail.mails.length === 2);
  t.match(mail.mails[1]?.text, /^Subject: Alert: Standstill at sim-1 and 1 more\r$/m, 'both in one mail');
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
  t.match(await world.delete('/_alerts/targets/1'), { status: 422, body: { detail: /take it out of them first/ } });
  t.notOk([...world.answers, ...world.log].some((text) => text.includes(SECRET) || text.includes(SECRET.slice(6))));
});

t.test('a target that cannot be is refused with what to change', async (t) => {
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
