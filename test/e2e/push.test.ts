/** Alerts on phones: subscriptions, arrival, buttons, and the report when nobody is reached. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type MadeKey, revokeKey } from '../support/keys.ts';
import { vapidOf } from '../support/push-reader.ts';
import { openPushService } from '../support/push-service.ts';
import { openWorld, type World } from '../support/world.ts';

const SETTINGS = {
  outbound_allow_networks: ['127.0.0.0/8'],
  plugin_settings: { alerts: { push_contact: 'mailto:noise@example.org' } },
};
const RULE = { name: 'Standstill', kind: 'device', condition: 'not_measuring', for: '0s' };

type Words = Parameters<World['key']>[0];

/** A gateway that needs keys; `as` asks with the key of somebody. */
async function keyed(t: Test, people: Readonly<Record<string, Words>>, settings: object = SETTINGS, meters = 1) {
  const service = await openPushService(t);
  const world = await openWorld(t, { meters, settings });
  const folder = join(world.dataDir, 'data');
  const all: Readonly<Record<string, Words>> = { chief: { role: 'admin' }, ...people };
  const keys = new Map<string, MadeKey>();
  for (const [name, words] of Object.entries(all)) keys.set(name, await world.key({ name, ...words }));
  const as = (name: string) => (method: string, path: string, json?: object) =>
    world.ask(method, path, { headers: { ...keys.get(name)?.headers }, ...(json && { json }) });
  const revoke = async (name: string) => {
    const key = keys.get(name);
    if (key) await revokeKey(folder, key, world.clock);
    await world.pass(1_100);
  };
  const health = () =>
    world.passing(
      fetch(new URL('/health', world.base), { headers: { ...keys.get('chief')?.headers } }).then((all) => all.text()),
    );
  return { world, service, as, revoke, health, admin: as('chief') };
}

/** Lets time pass until the condition holds. */
async function eventually(world: World, what: string, holds: () => Promise<boolean>, stepMs = 0): Promise<void> {
  for (let s = 0; !(await holds()); s++) {
    if (s > 600) throw new Error(`not in time: ${what}`);
    if (stepMs > 0) await world.clock.advance(stepMs);
    await world.pass(1_000);
  }
}

type Ask = Awaited<ReturnType<typeof keyed>>['admin'];

const stop = async (admin: Ask, unitId = 'sim-1') => {
  await admin('POST', `/${unitId}/stop`);
  await admin('GET', `/${unitId}/live`);
};
const pressed = (world: World, body: object) => world.ask('POST', '/_push/actions', { json: body });

t.test(
  'an alert arrives on the phones of those who may see it: unit, rule, value, since when, and its buttons',
  async (t) => {
    const { world, service, as, admin } = await keyed(t, {
      Anna: { role: 'operator' },
      guest: { role: 'viewer' },
      elsewhere: { role: 'viewer', units: 'other' },
    });
    const phones = Object.fromEntries(
      ['Anna', 'guest', 'elsewhere'].map((name) => [name, service.subscribe(`/${name}`)]),
    );
    for (const [name, { subscription }] of Object.entries(phones)) {
      const made = await as(name)('POST', '/_push', {
        ...subscription,
        name: `phone of ${name}`,
        ...(name === 'guest' && { language: 'de' }),
      });
      t.match(made, {
        status: 201,
        body: { data: { name: `phone of ${name}`, person: name, own: true, service: service.origin } },
      });
    }
    t.match(await admin('POST', '/_alerts/targets', { name: 'Phones', kind: 'push' }), { status: 201 });
    t.match((await admin('POST', '/_alerts/targets/1/test')).body, { delivered: true, message: /^3 of 3 phones/ });
    await admin('POST', '/_alerts/rules', { ...RULE, units: ['sim-1'], targets: ['1'], severity: 'critical' });
    await stop(admin);
    await world.until('both phones', () => service.calls.length === 5);
    const [, forAnna] = phones.Anna?.read() ?? [];
    t.match(forAnna, { version: 1, title: 'Alert: Standstill at sim-1', tag: 'event-1', open: 'alerts/1' });
    t.match(forAnna.body, /Meter: .*sim-1\nSeverity: critical\nWhat: .+\nBegan: \d{4}-/);
    t.strictSame(
      forAnna.actions.map(({ title }: { title: string }) => title),
      ['Acknowledge', 'Quiet for an hour'],
    );
    const [, forGuest] = phones.guest?.read() ?? [];
    t.match(forGuest.body, /Messgerät: .*sim-1\nSchwere: kritisch\nWas: Das Messgerät misst nicht\.\nBegann: /);
    t.strictSame(
      forGuest.actions.map(({ title }: { title: string }) => title),
      ['Eine Stunde still'],
      'a viewer cannot acknowledge',
    );
    t.equal(phones.elsewhere?.read().length, 1, 'only the test: it may not see this unit');

    const { headers } =
      service.calls.find(({ path, headers }) => path === '/Anna' && headers.topic === 'event-1') ?? {};
    t.match(headers, {
      urgency: 'high',
      ttl: '86400',
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
    });
    const { claims, key } = vapidOf(String(headers?.authorization));
    t.match(claims, { aud: service.origin, sub: 'mailto:noise@example.org' });
    t.equal(key, (await as('guest')('GET', '/_push/key')).body.data.public_key);
    await world.restart(1_000);
    t.equal(key, (await as('guest')('GET', '/_push/key')).body.data.public_key, 'the same after a restart');
    t.match((await admin('GET', '/_push')).body.data, [{ taken_at: String }, { taken_at: String }, {}]);

    // Neither the addresses and keys of the phones nor the private key come out anywhere.
    const secrets = Object.values(phones).flatMap(({ subscription: { endpoint, keys } }) => [
      endpoint,
      keys.auth,
      keys.p256dh,
    ]);
    const audited = JSON.stringify((await admin('GET', '/_audit')).body);
    const said = [...world.answers, ...world.log, audited];
    t.notOk(secrets.some((secret) => said.some((text) => text.includes(secret))));
  },
);

t.test(
  'the buttons acknowledge, or are quiet for an hour: signed for one event and phone, and no longer than a day',
  async (t) => {
    const { world, service, as, admin, revoke } = await keyed(t, {
      Anna: { role: 'operator' },
      Ben: { role: 'viewer' },
    });
    const [anna, ben] = [service.subscribe('/anna'), service.subscribe('/ben')];
    await as('Anna')('POST', '/_push', anna.subscription);
    await as('Ben')('POST', '/_push', ben.subscription);
    await admin('POST', '/_alerts/targets', { name: 'Phones', kind: 'push' });
    await admin('POST', '/_alerts/rules', { ...RULE, units: ['sim-1'], targets: ['1'] });
    await stop(admin);
    await world.until('both', () => service.calls.length === 2);
    const [acknowledge, quiet] = anna.read()[0].actions.map(({ body }: { body: object }) => body);
    const [benQuiet] = ben.read()[0].actions.map(({ body }: { body: object }) => body);

    const flipped = (acknowledge.signature.startsWith('A') ? 'B' : 'A') + acknowledge.signature.slice(1);
    for (const wrong of [
      { ...acknowledge, action: 'quiet' },
      { ...benQuiet, action: 'acknowledge' },
      { ...acknowledge, phone: benQuiet.phone },
      { ...acknowledge, event: '2' },
      { ...acknowledge, expires: acknowledge.expires + 1 },
      { ...acknowledge, signature: flipped },
      { ...acknowledge, signature: acknowledge.signature.slice(1) },
    ])
      t.match(await pressed(world, wrong), { status: 404, body: { code: 'ALERT_NOT_FOUND' } });
    t.match(await pressed(world, { ...acknowledge, more: 1 }), { status: 422 });
    const ackOf = async () => (await admin('GET', '/_alerts/events')).body.data.at(-1).ack;
    t.equal(await ackOf(), null);

    t.match(await pressed(world, benQuiet), { status: 200, body: { message: /quiet about Standstill for an hour/ } });
    t.match((await as('Ben')('GET', '/_push')).body.data, [
      { quiet: [{ rule: '1', unit_id: 'sim-1', until: String }] },
    ]);
    t.equal(await ackOf(), null, 'quiet is only for this phone');
    t.match(await pressed(world, acknowledge), { status: 200, body: { message: 'The event is acknowledged.' } });
    t.match(await ackOf(), { by: 'Anna' });
    t.match(await pressed(world, acknowledge), { status: 200, body: { message: /acknowledged before, by Anna/ } });
    const { records } = (await admin('GET', '/_audit')).body;
    t.match(
      records
        .filter(({ route }: { route: string }) => route.endsWith('/actions'))
        .map(({ who }: { who: string }) => who)
        .toSorted(),
      ['Anna, by phone 1', 'Ben, by phone 2'],
      'once each',
    );

    await admin('POST', '/sim-1/start');
    await admin('GET', '/sim-1/live');
    await world.until('the end, at Anna', () => anna.read().length === 2);
    t.match(anna.read()[1], { title: /^Resolved: Standstill/, actions: [] });
    const waits = async () => (await admin('GET', '/_alerts/deliveries?state=waiting')).body.data;
    t.match(await waits(), [{ type: 'closed', target: '1' }]);
    t.equal(ben.read().length, 1, 'Ben is not told meanwhile');
    await world.clock.advance(3_600_000);
    await world.until('the end, at Ben', () => ben.read().length === 2);
    t.same((await as('Ben')('GET', '/_push')).body.data[0].quiet, []);

    await world.clock.advance(quiet.expires * 1_000 - world.clock.now() - 1);
    const lastMoment = await world.asked('POST', '/_push/actions', { json: quiet });
    t.match(lastMoment, { status: 200 }, 'to the last millisecond');
    await world.clock.advance(1);
    t.match(await pressed(world, quiet), { status: 404, body: { detail: /has expired/ } });
    await revoke('Anna');
    t.match(await pressed(world, acknowledge), { status: 404 }, 'a key that was revoked acknowledges nothing');
  },
);

t.test(
  'a phone that is gone is removed; a service that is down delays only its own phones; a message without a phone is reported',
  async (t) => {
    const { world, service, as, admin, health } = await keyed(t, {
      Anna: { role: 'operator' },
      Ben: { role: 'viewer' },
    });
    const [anna, ben] = [service.subscribe('/anna'), service.subscribe('/ben')];
    await as('Anna')('POST', '/_push', anna.subscription);
    await as('Ben')('POST', '/_push', ben.subscription);
    await admin('POST', '/_alerts/targets', { name: 'Phones', kind: 'push' });
    await admin('POST', '/_alerts/rules', { ...RULE, units: ['sim-1'], targets: ['1'] });
    service.statuses.set('/anna', 429);
    await stop(admin);
    await world.until('Ben', () => ben.read().length === 1);
    await admin('POST', '/sim-1/start');
    await admin('GET', '/sim-1/live');
    await world.until('Ben again', () => ben.read().length === 2);
    const of = async (state: string) => (await admin('GET', `/_alerts/deliveries?state=${state}`)).body.data;
    await world.until('a try', () => anna.read().length >= 1);
    t.match(await of('waiting'), [{ type: 'closed' }, { type: 'opened', outcome: 'The push service answered 429.' }]);
    service.statuses.set('/anna', 503);
    const before = anna.read().length;
    await world.until('a further try', () => anna.read().length > before);
    await world.clock.advance(3_600_000);
    await eventually(world, 'it is told', async () =>
      /Phones have taken no message for an hour or longer: 1\./.test(await health()),
    );
    service.statuses.delete('/anna');
    // The pauses between tries have become long.
    await eventually(world, 'both', async () => (await of('waiting')).length === 0, 600_000);
    t.strictSame(
      anna
        .read()
        .slice(-2)
        .map(({ title }: { title: string }) => title),
      ['Alert: Standstill at sim-1', 'Resolved: Standstill at sim-1'],
    );

    for (const [name, status] of [
      ['anna', 410],
      ['ben', 404],
    ] as const)
      service.statuses.set(`/${name}`, status);
    await stop(admin);
    await eventually(world, 'both are removed', async () => (await admin('GET', '/_push')).body.data.length === 0);
    t.match((await of('failed')).map(({ outcome }: { outcome: string }) => outcome).toSorted(), [
      /answered 404.*subscribe again/,
      /answered 410.*subscribe again/,
    ]);
    t.match(await health(), /No phone is subscribed for targets of alerts: 1\./);
    t.match((await admin('POST', '/_alerts/targets/1/test')).body, {
      delivered: false,
      message: /No phone is subscribed/,
    });
    await admin('POST', '/sim-1/start');
    await admin('GET', '/sim-1/live');
    await eventually(world, 'the message waits and says why', async () =>
      /No phone/.test((await of('waiting'))[0]?.outcome ?? ''),
    );
    const again = service.subscribe('/again');
    await as('Anna')('POST', '/_push', again.subscription);
    await eventually(world, 'who subscribes again gets it', async () => again.read().length === 1);
    t.notMatch(await health(), /No phone/);
  },
);

t.test('a browser that renews its subscription stays the same phone', async (t) => {
  const { world, service, as, admin } = await keyed(t, { Anna: { role: 'operator' }, Ben: { role: 'viewer' } });
  const [old, fresh, other] = ['/old', '/fresh', '/other'].map((path) => service.subscribe(path));
  if (!old || !fresh || !other) throw new Error('no phones');
  const replaces = old.subscription.endpoint;
  const renew = (name: string, more: object = {}) =>
    as(name)('POST', '/_push', { ...fresh.subscription, replaces, ...more });
  t.match(await renew('Anna'), { status: 404, body: { code: 'ALERT_NOT_FOUND' } }, 'there was none');
  await as('Anna')('POST', '/_push', { ...old.subscription, name: 'Duty' });
  t.match(await renew('Ben'), { status: 404 }, 'that of somebody else');
  t.match(await renew('Anna', { replaces: '' }), { status: 422, body: { errors: [{ path: '/replaces' }] } });
  t.match(await renew('Anna', { endpoint: 'https://10.0.0.1/x' }), { status: 403 });
  t.match(await renew('Anna'), { status: 201, body: { data: { id: '1', name: 'Duty', person: 'Anna' } } });
  t.match(await renew('Anna'), { status: 404 }, 'the old address is gone');
  await as('Ben')('POST', '/_push', other.subscription);
  const again = { replaces: fresh.subscription.endpoint, ...other.subscription, name: 'Duty 2' };
  t.match(await as('Anna')('POST', '/_push', again), { status: 201, body: { data: { id: '1', name: 'Duty 2' } } });
  t.match((await admin('GET', '/_push')).body.data, [{ id: '1', person: 'Anna' }]);
  t.equal((await admin('GET', '/_push')).body.data.length, 1, 'one browser is one phone');
  await admin('POST', '/_alerts/targets', { name: 'Phones', kind: 'push' });
  await world.restart(1_000);
  t.match((await admin('POST', '/_alerts/targets/1/test')).body, { delivered: true, message: /^1 of 1 phone:/ });
  t.equal(other.read().length, 1, 'messages go to the new address, also after a restart');
  t.equal(old.read().length + fresh.read().length, 0);
});

t.test('bad input: addresses inside, wrong keys, more than the limit, phones of others', async (t) => {
  const { service, as, admin } = await keyed(t, {
    Anna: { role: 'operator' },
    Ben: { role: 'viewer' },
    site: { role: 'admin', units: 'sim-1' },
  });
  const good = service.subscribe('/1').subscription;
  const post = (json: object) => as('Ben')('POST', '/_push', json);
  for (const [change, path] of [
    [{ endpoint: 'ftp://push.example.org/1' }, ''],
    [{ endpoint: good.endpoint.replace('https:', 'http:') }, ''],
    [{ endpoint: 'https://user:word@push.example.org/1' }, ''],
    [{ endpoint: '' }, '/endpoint'],
    [{ keys: { ...good.keys, auth: 'short' } }, '/keys/auth'],
    [{ keys: { ...good.keys, p256dh: good.keys.p256dh.replace(/.{20}$/, 'A'.repeat(20)) } }, '/keys/p256dh'],
    [{ keys: undefined }, '/keys'],
    [{ name: 'two\nlines' }, '/name'],
  ] as const) {
    const { status, body } = await post({ ...good, ...change });
    t.equal(status, 422, JSON.stringify(change));
    if (path !== '') t.equal(body.errors[0].path, path);
  }
  for (const host of ['10.0.0.1', '169.254.169.254', '[::1]', '192.168.1.1:8443', '0xa.1', '[::ffff:10.0.0.1]'])
    t.match(
      await post({ ...good, endpoint: `https://${host}/x` }),
      { status: 403, body: { code: 'ADDRESS_REFUSED' } },
      host,
    );
  t.same((await admin('GET', '/_push')).body.data, []);
  for (let n = 1; n <= 10; n++) t.match(await post(service.subscribe(`/${n}`).subscription), { status: 201 });
  t.match(await post(service.subscribe('/11').subscription), { status: 422, body: { detail: /You have 10 phones/ } });
  t.match(
    await post({ ...good, name: 'renamed' }),
    { status: 201, body: { data: { name: 'renamed' } } },
    'the same browser again',
  );
  t.equal((await as('Ben')('GET', '/_push')).body.data.length, 10);
  t.same((await as('Anna')('GET', '/_push')).body.data, [], 'others see nothing of them');
  t.same((await as('site')('GET', '/_push')).body.data, [], 'nor does an admin of some units');
  t.match(await as('Anna')('DELETE', '/_push/1'), { status: 404 });
  t.match(await as('site')('DELETE', '/_push/1'), { status: 404 });
  t.match(await as('Ben')('DELETE', '/_push/1'), { status: 200 });
  t.match(await admin('DELETE', '/_push/2'), { status: 200 });
  t.match(
    await as('Anna')('POST', '/_push', service.subscribe('/3').subscription),
    { status: 201, body: { data: { person: 'Anna', id: '11' } } },
    'another person at the same browser',
  );
  t.equal((await as('Ben')('GET', '/_push')).body.data.length, 7);
});

t.test(
  'a target names people; a revoked key gets no more messages; without a contact the error has the reason',
  async (t) => {
    const { service, as, admin, revoke, health } = await keyed(
      t,
      { Anna: { role: 'operator' }, Ben: { role: 'viewer' } },
      { outbound_allow_networks: ['127.0.0.0/8'] },
    );
    const [anna, ben] = [service.subscribe('/anna'), service.subscribe('/ben')];
    await as('Anna')('POST', '/_push', anna.subscription);
    await as('Ben')('POST', '/_push', ben.subscription);
    const made = await admin('POST', '/_alerts/targets', { name: 'Phones', kind: 'push', people: ['Ben'] });
    t.match(made, { status: 201, body: { warning: /push_contact/ } });
    t.match((await admin('POST', '/_alerts/targets/1/test')).body, { delivered: false, message: /push_contact/ });
    t.equal(service.calls.length, 0);
    await revoke('Ben');
    t.match((await admin('GET', '/_push')).body.data, [
      { person: 'Anna', reached: true },
      { person: 'Ben', reached: false },
    ]);
    t.match((await admin('POST', '/_alerts/targets/1/test')).body, {
      delivered: false,
      message: /No phone is subscribed/,
    });
    t.match(await health(), /No phone is subscribed for targets of alerts: 1\./);
  },
);

t.test('no phone of a viewer leads into the private network unless the setting names it', async (t) => {
  const settings = { plugin_settings: SETTINGS.plugin_settings };
  const { service, as } = await keyed(t, { Ben: { role: 'viewer' } }, settings);
  const { subscription } = service.subscribe('/1');
  for (const host of ['10.0.0.1', '172.16.0.1', '192.168.1.1:8443', '100.64.0.1', '[fd12::1]', '[::ffff:10.0.0.1]'])
    t.match(await as('Ben')('POST', '/_push', { ...subscription, endpoint: `https://${host}/x` }), {
      status: 403,
      body: { code: 'ADDRESS_REFUSED', detail: /private network; the setting outbound_allow_networks would allow it/ },
    });
});
