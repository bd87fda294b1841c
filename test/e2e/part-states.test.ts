/** A part that does not work is seen where people and monitors look: /health, /readyz, metrics. */
import t from 'tap';
import { openBroker } from '../mqtt/support.ts';
import { openWorld, type World } from '../support/world.ts';

const probe = async (world: World, path: string) => {
  const response = await fetch(new URL(path, world.base));
  const body = (await response.json()) as { status: string; problems?: readonly { part: string; detail: string }[] };
  return { status: response.status, body };
};
const metric = async (world: World, part: string) => {
  const text = await (await fetch(new URL('/metrics', world.base))).text();
  return new RegExp(`^slm_part_working\\{part="${part}"\\} (\\d)$`, 'm').exec(text)?.[1];
};

t.test('a broker that is away is reported after ten seconds, until it is back', async (t) => {
  const broker = await openBroker(t);
  const world = await openWorld(t, { settings: { plugin_settings: { mqtt: { url: broker.url } } } });
  await world.until('it is online', () => broker.texts('slm/_gateway/availability').includes('online'));
  t.match(await probe(world, '/health'), { body: { status: 'ok' } });
  t.equal(await metric(world, 'mqtt'), '1');
  broker.refuse();
  await world.pass(12_000);
  t.match(await probe(world, '/health'), {
    body: {
      status: 'degraded',
      problems: [{ part: 'mqtt', detail: /^There has been no connection to the MQTT broker/ }],
    },
  });
  t.equal((await probe(world, '/readyz')).status, 200, 'requests are answered as usual');
  t.equal(await metric(world, 'mqtt'), '0');
  broker.allow();
  await world.pass(40_000);
  t.match(await probe(world, '/health'), { body: { status: 'ok' } });
  t.equal(await metric(world, 'mqtt'), '1');
});

t.test('webhooks and mails that go nowhere for an hour are a trouble, without their addresses', async (t) => {
  // Nothing listens there.
  const alerts = { smtp_host: '127.0.0.1', smtp_port: 9, smtp_security: 'none', smtp_from: 'alerts@example.org' };
  const world = await openWorld(t, {
    settings: { outbound_allow_networks: ['127.0.0.0/8'], plugin_settings: { alerts } },
  });
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const hook = { name: 'Site office', kind: 'webhook', url: 'http://127.0.0.1:9/hook', secret };
  t.equal((await world.post('/_alerts/targets', hook)).status, 201);
  const mail = { name: 'Night desk', kind: 'mail', to: ['desk@example.org'] };
  const made = await world.post('/_alerts/targets', mail);
  t.equal(made.status, 201, JSON.stringify(made.body));
  const off = {
    name: 'Stopped',
    units: ['sim-1'],
    kind: 'device',
    condition: 'not_measuring',
    for: '0s',
    targets: ['1', '2'],
  };
  await world.post('/_alerts/rules', off);
  await world.get('/sim-1/live');
  await world.pass(60_000);
  t.match((await world.get('/_alerts/deliveries')).body.data, [
    { state: 'waiting', tries: /[1-9]/ },
    { state: 'waiting', tries: /[1-9]/ },
  ]);
  t.match(await probe(world, '/health'), { body: { status: 'ok' } });
  for (let minute = 0; minute < 62; minute++) {
    await world.clock.advance(60_000);
    await world.pass(50);
  }
  const { body } = await probe(world, '/health');
  t.match(body.problems, [{ part: 'alert messages', detail: /for an hour or longer: 1 \(webhook\), 2 \(mail\)\.$/ }]);
  t.notMatch(JSON.stringify(body), /127\.0\.0\.1|Site office|Night desk|desk@example/);
  t.equal(await metric(world, 'alert messages'), '0');
});

t.test(
  'a clock that was set back: while its times have levels already, nothing is recorded, and the state says so',
  async (t) => {
    const world = await openWorld(t);
    const shown = world.clock.now.bind(world.clock);
    let off = 0;
    world.clock.now = () => shown() + off;
    await world.put('/sim-1/config', { history: 'stream' });
    const { history } = world.gateway;
    const measured = async () => (await history.extent('sim-1')).series[0]?.measured ?? 0;
    while ((await measured()) < 30) await world.pass(1_000);
    t.match(await probe(world, '/health'), { body: { status: 'ok' } });
    off = -25_000;
    await world.until('it is noticed', () => history.status.drops);
    t.match(await probe(world, '/health'), {
      body: {
        problems: [{ part: 'history', detail: /^New levels are dropped: .*The clock of this computer was set back/ }],
      },
    });
    t.equal((await probe(world, '/readyz')).status, 503, 'levels are lost');
    t.equal(await metric(world, 'history'), '0');
    await world.until('its times are new again', () => !history.status.drops);
    t.match(await probe(world, '/health'), { body: { status: 'ok' } });
  },
);
