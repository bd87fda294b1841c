/** The recipe of docs/plugins.md runs: loaded through the settings, called over HTTP and WebSocket, undone at the end. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { PROPERTIES } from '../../lib/settings/schema.ts';
import { openWorld } from '../support/world.ts';

const EXAMPLE = fileURLToPath(new URL('../../docs/examples/hello-plugin.ts', import.meta.url));

const worldWith = (t: Test, settings: object) =>
  openWorld(t, { settings: { plugins: ['config', EXAMPLE], plugin_settings: { hello: { ...settings } } } });

t.test('the example plugin answers with what the meter says', async (t) => {
  const world = await worldWith(t, { greeting: 'Good morning,' });
  t.match(await world.get('/sim-1/hello'), {
    status: 200,
    body: { status: 'ok', greeting: 'Good morning, NL-43', clock: /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d$/ },
  });
  t.match(await world.get('/sim-1/hello?loudly=true'), { body: { greeting: 'GOOD MORNING, NL-43' } });
  t.same(world.meter.log.commands, ['Type?', 'Clock?', 'Type?', 'Clock?']);
  t.same(world.meter.log.spacingViolations(), []);
});

t.test('the host checks all that the example does not check itself', async (t) => {
  const world = await worldWith(t, {});
  t.match(await world.get('/sim-1/hello?loudly=perhaps'), { status: 422, body: { code: 'INVALID' } });
  t.match(await world.get('/nowhere/hello'), { status: 404, body: { code: 'UNIT_NOT_FOUND' } });
  const { body } = await world.get('/openapi.json');
  t.match(body.paths['/{unit_id}/hello'].get, {
    'x-access': 'viewer',
    'x-websocket': { summary: 'Hear when it is loud' },
  });
});

t.test('its WebSocket speaks up from the level in its settings on, and ends with the client', async (t) => {
  const world = await worldWith(t, { loud_db: 80 });
  world.meter.instrument.play({ steadyDb: 60 });
  const watched = await world.watch('/sim-1/hello');
  await world.until('the stream runs', () => world.meter.log.commands.includes('DRD?status'));
  await world.pass(1_000);
  t.same(watched.messages, []);
  world.meter.instrument.play({ steadyDb: 90 });
  await world.until('it is told', () => watched.messages.length > 0);
  t.match(watched.messages[0], { unit_id: 'sim-1', lp: /^[89]\d\.\d$/ });
  watched.socket.close(1000);
  await world.until('the stream has ended', () => world.meter.log.commands.includes('\x1a'));
  t.match(await world.watch('/nowhere/hello'), { refused: { status: 404, body: { code: 'UNIT_NOT_FOUND' } } });
});

t.test('wrong settings stop it alone, and name the key', async (t) => {
  const world = await worldWith(t, { loud_db: 'very' });
  t.same(world.gateway.plugins.names, ['config']);
  t.match(world.gateway.plugins.failures, [{ step: 'settings', reason: /plugin_settings\.hello: \/loud_db must be/ }]);
});

t.test('the settings that the text shows load the example beside all built-in plugins', async (t) => {
  const text = readFileSync(new URL('../../docs/plugins.md', import.meta.url), 'utf8');
  const [, shown = ''] = /```json\n([\s\S]*?)```/.exec(text) ?? [];
  const settings = JSON.parse(shown);
  t.same(settings.plugins, [...PROPERTIES.plugins.default, './docs/examples/hello-plugin.ts']);
  const world = await openWorld(t, { settings: { plugins: [EXAMPLE], plugin_settings: settings.plugin_settings } });
  t.same(world.gateway.plugins.names, ['hello']);
});

t.test('the text shows the example as it is', async (t) => {
  const text = readFileSync(new URL('../../docs/plugins.md', import.meta.url), 'utf8');
  const [, shown] = /<!-- example -->\n```ts\n([\s\S]*?)```/.exec(text) ?? [];
  t.equal(shown, readFileSync(EXAMPLE, 'utf8'));
});
