/** Stations that send by MQTT, with the rights of an API key. */
import { join } from 'node:path';
import t from 'tap';
import { makeKey } from '../support/keys.ts';
import { openWorld } from '../support/world.ts';
import { openBroker } from './support.ts';

t.test('observations are kept with the rights of the key; what cannot be kept is counted and logged', async (t) => {
  const broker = await openBroker(t);
  const mqtt = { url: broker.url, observations: true, command_key: 'weather' };
  const world = await openWorld(t, { settings: { plugin_settings: { mqtt } } });
  for (const id of ['mast', 'yard']) await world.put(`/_stations/${id}`, { units: id === 'mast' ? ['sim-1'] : null });
  const dataDir = join(world.dataDir, 'data');
  const admin = await makeKey(dataDir, { name: 'admin', role: 'admin' }, world.clock);
  await makeKey(dataDir, { name: 'weather', role: 'operator', units: 'sim-1' }, world.clock);
  await world.until('the broker', () => broker.texts('slm/_gateway/availability').includes('online'));
  await world.pass(3_000);
  const span = `from=2025-12-01T00:00:00Z&to=2026-01-01T00:00:00Z`;
  const kept = async (id: string) => {
    const path = `/_stations/${id}/observations?${span}`;
    return (await world.get(path, { headers: { ...admin.headers } })).body.data as { to: string; values: object }[];
  };
  const refused = () => broker.last('slm/_gateway/state')?.refused;

  const before = world.clock.now();
  await broker.say('slm/station/mast', '{"wind_speed": 3.2,\n "rain": 0}');
  for (let tries = 0; tries < 50 && (await kept('mast')).length === 0; tries++);
  const [now] = await kept('mast');
  t.match(now?.values, { wind_speed: 3.2, rain: 0, gust: null });
  t.ok(Math.abs(Date.parse(now?.to ?? '') - before) <= 10_000, 'without a time it is about now');
  await broker.say('slm/station/mast', 'time,gust\n2025-12-23T06:00:00Z,8.1\n2025-12-23T06:10:00Z,9\n');
  for (let tries = 0; tries < 50 && (await kept('mast')).length < 3; tries++);
  t.match((await kept('mast'))[0], { to: '2025-12-23T06:00:00.000Z', values: { gust: 8.1 } });

  const wrong = [
    ['mast', '{"wind_speed": 1000}'],
    ['mast', 'hello'],
    ['mast', ''],
    ['none', '{"wind_speed": 1}'],
    ['yard', '{"wind_speed": 1}'],
    ['Mast', '{"wind_speed": 1}'],
  ] as const;
  for (const [id, payload] of wrong) await broker.say(`slm/station/${id}`, payload);
  await broker.say('slm/station/mast', '{"wind_speed": 1}', { retain: true });
  broker.cut();
  await world.until('all are refused, also the retained one', () => refused() > wrong.length);
  t.equal((await kept('mast')).length >= 3, true);
  t.strictSame(await kept('yard'), [], 'the key is not for all units of this station');
  t.ok(world.log.some((line) => line.includes('an observation was not kept') && line.includes('"why"')));
});
