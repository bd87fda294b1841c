/** The link of a mail that acknowledges one event: what it shows, what it does, and what does not pass. */
import t, { type Test } from 'tap';
import { settingsOf } from '../../lib/plugin/settings.ts';
import { AckLinks } from '../../plugins/alerts/delivery/signed-links.ts';
import alerts from '../../plugins/alerts/index.ts';
import { Mailbox, mailSettings, openMailbox } from '../support/mailbox.ts';
import { standIn } from '../support/stand-in.ts';
import { openWorld, type World } from '../support/world.ts';

/** As a proxy shows the gateway to the outside, below a path of its own. */
const PUBLIC = 'https://noise.example.org/site-7/api/nl43';

const TO = ['site@example.org', 'office@example.org'];

/** A gateway that needs keys, with an event that was mailed; `say` asks without a key. */
async function mailed(t: Test, public_url = PUBLIC, root = '') {
  const box = await openMailbox(t);
  const alerts = { ...mailSettings(box), public_url };
  const world = await openWorld(t, { settings: { public_url: root, plugin_settings: { alerts } } });
  const { headers } = await world.key({ name: 'chief', role: 'admin' });
  const admin = (method: string, path: string, json?: object) =>
    world.ask(method, path, { headers, ...(json && { json }) });
  await admin('POST', '/_alerts/targets', { name: 'Duty phone', kind: 'mail', to: TO });
  const rule = { name: 'Standstill <b>', units: ['sim-1'], kind: 'device', condition: 'not_measuring', for: '0s' };
  await admin('POST', '/_alerts/rules', { ...rule, targets: ['1'] });
  await admin('POST', '/sim-1/stop');
  await admin('GET', '/sim-1/live');
  for (let s = 0; box.taken.length === 0 && s < 600; s++) await world.pass(1_000);
  const mails = box.taken.map(Mailbox.plain);
  const [link = ''] = /https?:\S+ack-link\S+/.exec(mails[0] ?? '') ?? [];
  const path = link.slice(PUBLIC.length);
  const ackOf = async () => (await admin('GET', '/_alerts/events')).body.data[0].ack;
  return { world, admin, mails, link, path, ackOf };
}

const form = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html' };
const open = (world: World, path: string) => world.ask('GET', path, { headers: { Accept: 'text/html' } });
const press = (world: World, path: string) =>
  world.ask('POST', path, { headers: { ...form, Origin: new URL(world.base).origin } });

t.test('a link shows the event and asks; only the button acknowledges, without a key; again is harmless', async (t) => {
  const { world, admin, mails, link, path, ackOf } = await mailed(t);
  t.ok(link.startsWith(`${PUBLIC}/_alerts/events/`), 'the address of the settings, with the path of the proxy');
  t.match(mails[0], `<a href="${link.replaceAll('&', '&amp;')}">`);

  const page = await open(world, path);
  t.match(page, { status: 200, body: /Standstill &lt;b&gt;/ });
  t.match(page.body, /Began: /);
  t.match(page.body, /<form method="post">/, 'no address of its own: it is sent to where the page came from');
  t.match(page.headers.get('content-security-policy'), /default-src 'none'.*form-action 'self'/);
  t.equal(page.headers.get('referrer-policy'), 'same-origin', 'or the browser sends Origin: null with the form');
  t.equal(page.headers.get('cache-control'), 'no-store');
  await world.ask('HEAD', path);
  t.equal(await ackOf(), null, 'looking changes nothing');

  t.match(await press(world, path), { status: 200, body: /The event is acknowledged\./ });
  const ack = await ackOf();
  t.match(ack, { by: 'a link mailed to target 1', at: String });
  await world.pass(5_000);
  t.match(await press(world, path), { status: 200, body: /was acknowledged before/ });
  t.match((await open(world, path)).body, /was acknowledged before/);
  t.notMatch((await open(world, path)).body, /<form/);
  t.strictSame(await ackOf(), ack, 'who and when stay');

  const { records: all } = (await admin('GET', '/_audit')).body;
  const records = all.filter(({ route }: { route: string }) => route.endsWith('/ack-link'));
  t.match(
    records,
    [{ who: `a link mailed to ${TO.toSorted().join(', ')}`, key_id: null, method: 'POST', status: 200 }],
    'once, with the addresses',
  );
  const signature = new URL(link).searchParams.get('signature') ?? '';
  t.ok(signature.length > 40);
  t.notOk(
    [...world.answers, ...world.log].some((text) => text.includes(signature)),
    'in no log and no record',
  );
});

t.test('a link that was changed, has expired or belongs to an old list of addresses does nothing', async (t) => {
  const { world, admin, path, ackOf } = await mailed(t);
  const [before = '', query = ''] = path.split('?');
  const changed = (name: string, value: string) => {
    const parameters = new URLSearchParams(query);
    parameters.set(name, value);
    return `${before}?${parameters}`;
  };
  const expires = Number(new URLSearchParams(query).get('expires'));
  const signature = new URLSearchParams(query).get('signature') ?? '';
  const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
  const wrong = [
    `${before.replace(/\d+/, '2')}?${query}`,
    ...[changed('expires', String(expires + 1)), changed('target', '2'), changed('signature', flipped)],
    ...[changed('signature', signature.slice(1)), changed('signature', `${signature}A`)],
  ];
  for (const each of wrong) {
    t.match(await press(world, each), { status: 404, body: /wrong/ }, each);
    t.match(await open(world, each), { status: 404 });
  }
  for (const each of [before, changed('signature', ''), changed('expires', '-1'), `${path}&expires=1`])
    t.match(await press(world, each), { status: 422 }, each);
  t.equal(await ackOf(), null);

  const mails = { name: 'Duty phone', kind: 'mail' };
  await admin('PUT', '/_alerts/targets/1', { ...mails, to: ['new@example.org'] });
  t.match(await press(world, path), { status: 404 }, 'whoever is taken off the list cannot use its mails');
  await admin('PUT', '/_alerts/targets/1', { ...mails, to: TO.toReversed() });
  t.match(await open(world, path), { status: 200 }, 'the order of the addresses does not matter');
  const foreign = await world.ask('POST', path, { headers: { ...form, Origin: 'https://evil.example' } });
  t.match(foreign, { status: 403 });

  await world.restart(1_000);
  t.match(await open(world, path), { status: 200 }, 'also after a restart');
  await world.restart(expires * 1_000 - world.clock.now());
  t.match(await press(world, path), { status: 404, body: /has expired/ });
  t.match(await open(world, path), { status: 404, body: /has expired/ });
  t.equal(await ackOf(), null);
  const { records: all } = (await admin('GET', '/_audit')).body;
  t.notOk(
    all.some(({ route }: { route: string }) => route.endsWith('/ack-link')),
    'refusals fill no disk',
  );
});

t.test('without a key to sign with a mail has no link, and a changed list of addresses ends a link', async (t) => {
  const kept = new Map<string, string>();
  const secrets = {
    get: async (name: string) => kept.get(name),
    put: async (name: string, text: string) => void kept.set(name, text),
  };
  const said: unknown[] = [];
  const now = 1_700_000_000_000;
  const log = { warn: (about: unknown) => void said.push(about) };
  const host = standIn<ConstructorParameters<typeof AckLinks>[0]>({ secrets, clock: { now: () => now }, log });
  const message = { eventId: 7, type: 'escalated', event: { opened_at: new Date(now).toISOString() } } as const;
  const links = new AckLinks(host, PUBLIC);
  const [link = '', again] = await Promise.all([1, 2].map(() => links.linkFor({ id: '1', to: TO }, message)));
  t.equal(link, again, 'the first two at once are signed by one key');
  const query = Object.fromEntries(new URL(link).searchParams) as { target: string; signature: string };
  const found = (to: readonly string[], expires: number) =>
    links.check({ id: '1', to }, { id: 7, openedAt: now }, { ...query, expires });
  const end = now / 1_000 + 7 * 86_400;
  t.strictSame(await Promise.all([found(TO, end), found(TO.slice(1), end), found(TO, end + 1)]), [
    ...['good', 'wrong', 'wrong'],
  ]);
  kept.clear();
  const put = () => Promise.reject(new Error('the disk is full'));
  const without = new AckLinks({ ...host, secrets: { ...host.secrets, put } }, PUBLIC);
  t.equal(await without.linkFor({ id: '1', to: TO }, message), undefined);
  t.match(said, [{ reason: 'the disk is full' }]);
});

t.test('where only the gateway has a public address, the link of a mail is below it', async (t) => {
  const { link } = await mailed(t, '', new URL(PUBLIC).origin);
  t.ok(link.startsWith(`${new URL(PUBLIC).origin}/api/nl43/_alerts/events/1/ack-link?`), link);
});

t.test('without the public address a mail has no link, and an address that cannot be is refused', async (t) => {
  const { mails, link } = await mailed(t, '');
  t.equal(mails.length, 1);
  t.equal(link, '');
  t.notMatch(mails[0], /<a /);
  for (const public_url of [
    'noise.example.org',
    'ftp://noise.example.org',
    'https://x.example.org/?a=1',
    'https://x y',
    'https://x.example.org/',
  ])
    t.throws(
      () => settingsOf(alerts, { public_url }),
      /plugin_settings\.alerts: .*public_url.*such as https:/,
      public_url,
    );
  for (const public_url of ['http://192.0.2.7:8100', 'https://[2001:db8::1]/api/nl43', PUBLIC])
    t.match(settingsOf(alerts, { public_url }), { public_url });
});
