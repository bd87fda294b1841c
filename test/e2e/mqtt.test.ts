/** MQTT as a user meets it: what is published of a meter, and commands from a topic. */
import { join } from 'node:path';
import t from 'tap';
import { isDiscovery } from '../mqtt/discovery-schema.ts';
import { openBroker } from '../mqtt/support.ts';
import { revokeKey } from '../support/keys.ts';
import { openWorld } from '../support/world.ts';

const broker = await openBroker(t);
const mqtt = { url: broker.url, commands: true, command_key: 'automation' };
const world = await openWorld(t, { settings: { plugin_settings: { mqtt } } });
const dataDir = join(world.dataDir, 'data');
const DISCOVERY = 'homeassistant/device/slm_-sim-1/config';

t.test('a meter is published, with its levels as numbers and their time, and Home Assistant knows it', async (t) => {
  await world.get('/sim-1/live');
  await world.until('levels', () => broker.texts('slm/sim-1/levels').length > 0);
  const levels = broker.last('slm/sim-1/levels');
  t.type(levels.lp, 'number');
  t.equal(levels.leq, null, 'nothing is measured yet');
  t.match(levels.time, /^2025-12-24T02:/);
  await world.until('its state', () => broker.last('slm/sim-1/state')?.reachability === 'online');
  t.match(broker.last('slm/sim-1/state'), { measurement_state: /^(Measure|Stop)$/, problem: false, problems: [] });
  await world.until('battery and card', () =>
    ['battery', 'card'].every((part) => broker.last(`slm/sim-1/${part}`) != null),
  );
  t.type(broker.last('slm/sim-1/battery').battery_level, 'number');
  t.type(broker.last('slm/sim-1/card').free_percent, 'number');
  t.equal(broker.texts('slm/sim-1/availability').at(-1), 'online');
  t.equal(broker.texts('slm/_gateway/availability').at(-1), 'online');
  t.ok(isDiscovery(broker.last(DISCOVERY)), JSON.stringify(isDiscovery.errors));
  const own = broker.seen.filter(({ topic }) => !topic.startsWith('$'));
  t.ok(own.every(({ retain }) => retain));
});

t.test('messages cost the meter nothing: the gateway asks it as often as without MQTT', async (t) => {
  world.meter.log.clear();
  await world.pass(15_000);
  t.strictSame(world.meter.log.commands, []);
});

t.test('a broker that comes back gets everything again', async (t) => {
  const before = broker.seen.length;
  broker.cut();
  const again = () => broker.seen.slice(before).map(({ topic }) => topic);
  await world.until('everything', () => again().includes('slm/_gateway/state'));
  for (const topic of ['_gateway/availability', 'sim-1/availability', 'sim-1/state', 'sim-1/levels', 'sim-1/card']) {
    t.ok(again().includes(`slm/${topic}`), topic);
  }
  t.ok(again().includes(DISCOVERY));
});

t.test('without an API key of the configured name no command is carried out', async (t) => {
  world.meter.log.clear();
  await broker.say('slm/sim-1/command', 'start');
  await world.until('a result', () => broker.texts('slm/sim-1/result').length === 1);
  t.match(broker.last('slm/sim-1/result'), { ok: false, code: 'UNAUTHENTICATED', command: 'start' });
  t.strictSame(world.meter.log.commands, []);
});

t.test('a config that is removed takes its retained messages along', async (t) => {
  await world.configure('gone', world.meter, { tcp_enabled: false });
  const topic = 'homeassistant/device/slm_-gone/config';
  await world.until('the new one', () => broker.texts(topic).length === 1);
  await world.delete('/gone/config');
  await world.until('its end', () => broker.texts('slm/gone/card').includes(''));
  for (const name of [topic, 'slm/gone/state', 'slm/gone/levels', 'slm/gone/battery', 'slm/gone/availability'])
    t.equal(broker.texts(name).at(-1), '', name);
});

t.test(
  'the configured key decides: a viewer may not, an operator may for its units, and the audit log has it',
  async (t) => {
    const say = async (unitId: string, command: string) => {
      const topic = `slm/${unitId}/result`;
      const said = broker.texts(topic).length;
      await broker.say(`slm/${unitId}/command`, command);
      await world.until('a result', () => broker.texts(topic).length > said);
      return broker.last(topic);
    };
    await world.configure('other', world.meter, { tcp_enabled: false });
    const viewer = await world.key({ name: 'automation', role: 'viewer' });
    const admin = await world.key({ name: 'me', role: 'admin' });
    world.meter.log.clear();
    t.match(await say('sim-1', 'start'), { ok: false, code: 'FORBIDDEN', detail: /needs the role operator/ });
    await revokeKey(dataDir, viewer, world.clock);
    await world.pass(1_100);
    t.match(await say('sim-1', 'start'), { ok: false, code: 'UNAUTHENTICATED' });
    t.strictSame(world.meter.log.commands, []);

    const { id } = await world.key({ name: 'automation', role: 'operator', units: 'sim-1' });
    t.match(await say('other', 'start'), { ok: false, code: 'FORBIDDEN', detail: /is not valid for this unit/ });
    t.match(await say('sim-1', 'start'), { ok: true, command: 'start', message: /started/ });
    t.ok(world.meter.log.commands.includes('Measure,Start'));
    await world.until('the new state', () => broker.last('slm/sim-1/state').measurement_state === 'Measure');
    const { body } = await world.ask('GET', '/_audit?unit=sim-1', { headers: admin.headers });
    t.match(body.records[0], {
      who: 'automation',
      key_id: id,
      route: '/{unit_id}/start',
      address: 'mqtt',
      status: 200,
    });
  },
);

t.test('messages of a hostile broker reach no meter and harm nobody', async (t) => {
  world.meter.log.clear();
  const logged = world.log.length;
  const said = broker.texts('slm/sim-1/result').length;
  const wrong = [
    '',
    'START',
    'start\n',
    ' start',
    'Measure,Start',
    '{"command":"start"}',
    '\u0000',
    'x'.repeat(100_000),
  ];
  for (const payload of wrong) await broker.say('slm/sim-1/command', payload);
  await broker.say('slm/sim-1/command', Buffer.from([0xff, 0xfe, 0x00]));
  for (const topic of ['nobody', '../x', '_gateway', 'sim-1 ', 'a'.repeat(1_000)]) {
    await broker.say(`slm/${topic}/command`, 'start');
  }
  // The bytes, and all topics except the topic with a slash, which nobody has subscribed to.
  const refused = wrong.length + 1 + 4;
  await world.until('the count', () => broker.last('slm/_gateway/state').refused === refused);
  broker.cut();
  await broker.say('slm/sim-1/command', 'start', { retain: true });
  await world.pass(3_000);
  t.strictSame(world.meter.log.commands, []);
  t.equal(broker.texts('slm/sim-1/result').length, said, 'and nothing of it is answered');
  const lines = world.log.slice(logged).filter((line) => line.includes('was ignored'));
  t.equal(lines.length, 1, 'one line of the log is enough');
});
