import { fileURLToPath } from 'node:url';
import t from 'tap';
import { GatewayError } from '../../lib/errors.ts';
import { assertSchemas, RouteTable } from '../../lib/http/routes.ts';
import type { Request } from '../../lib/index.ts';
import { createLog } from '../../lib/log.ts';
import { loadPlugins, type PluginSettings } from '../../lib/plugin/load.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { standIn } from '../support/stand-in.ts';
import { offerOf } from './doubles.ts';
import { journal } from './plugins/journal.ts';
import { waiting } from './plugins/never-registers.ts';

const own = (name: string) => fileURLToPath(new URL(`plugins/${name}.ts`, import.meta.url));

async function load(entries: readonly string[], settings: PluginSettings = {}, clock = new VirtualClock()) {
  const table = new RouteTable();
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  const offer = offerOf({ table, dataDir: t.testdir({}), clock, log });
  const plugins = await loadPlugins(entries, settings, offer);
  const paths = () => [...table.routes, ...table.sockets].map(({ route }) => route.path);
  return { plugins, table, paths, lines };
}

t.beforeEach(() => void journal.splice(0));

t.test('a plugin by path registers its routes with its settings, defaults filled in', async (t) => {
  const { plugins, table } = await load([own('well-behaved')], { 'well-behaved': { times: 2 } });
  t.strictSame(plugins.names, ['well-behaved']);
  const [first] = table.routes;
  t.strictSame(await first?.route.handle(standIn<Request>({})), { greeting: 'hellohello' });
});

t.test('a plugin in any folder has the modules of this gateway as a package', async (t) => {
  const { plugins, table } = await load([own('by-package')]);
  t.teardown(() => plugins.stop());
  t.strictSame(plugins.failures, []);
  const [first] = table.routes;
  await t.rejects(async () => first?.route.handle(standIn<Request>({})), GatewayError);
});

t.test('a plugin whose import or registration never ends is given up and named, and the others run', async (t) => {
  for (const [name, step] of [
    ['never-imports', 'import'],
    ['never-registers', 'register'],
  ] as const) {
    const clock = new VirtualClock();
    const loading = load([own(name), own('well-behaved')], {}, clock);
    let ended = false;
    loading.then(() => {
      ended = true;
    });
    while (!ended) {
      await clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { plugins, paths } = await loading;
    t.strictSame(plugins.names, ['well-behaved']);
    t.match(plugins.failures, [{ entry: own(name), step, reason: /did not end within 30 s/ }]);
    t.strictSame(paths(), ['/greeting']);
    if (step === 'register') waiting.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    t.strictSame(paths(), ['/greeting'], 'what comes too late counts for nothing');
  }
});

t.test('a plugin that fails is named with its step, and the others run', async (t) => {
  const bad = ['fails-to-import', 'no-plugin', 'fails-to-register', 'not-there'].map(own);
  const { plugins, paths, lines } = await load([...bad, 'no-such-package-anywhere', own('well-behaved')]);
  t.strictSame(plugins.names, ['well-behaved']);
  t.strictSame(
    plugins.failures.map(({ step }) => step),
    ['import', 'shape', 'register', 'import', 'import'],
  );
  t.match(plugins.failures[2], { entry: own('fails-to-register'), reason: 'no luck' });
  t.strictSame(paths(), ['/greeting'], 'nothing of the failed one is left');
  t.strictSame(journal, ['half undone'], 'undone although a later step of the undoing failed');
  for (const entry of bad)
    t.ok(
      lines.some((line) => line.includes(entry) && line.includes('failed at step')),
      entry,
    );
});

t.test('a wrong plugin, or one with wrong settings, fails alone and at once, with the reason', async (t) => {
  const good = own('well-behaved');
  const given = (settings: object) => ({ 'well-behaved': settings }) as PluginSettings;
  const wrong: [entries: string[], settings: PluginSettings, step: string, reason: RegExp, others: string[]][] = [
    [[good], given({ times: 0 }), 'settings', /plugin_settings\.well-behaved: \/times must be >= 1/, []],
    [[good], given({ greetings: 'x' }), 'settings', /well-behaved: \/greetings is not a known property/, []],
    [[own('wrong-schema'), good], {}, 'register', /not a JSON Schema/, ['/greeting']],
    [[own('no-access'), good], {}, 'register', /GET \/_secrets: access must be one of/, ['/greeting']],
    [[own('offers'), own('uses-unnamed')], {}, 'register', /uses of the plugin uses-unnamed does not name offers/, []],
    [[good, good], {}, 'shape', /well-behaved is running already/, ['/greeting']],
    [[good, own('takes-a-path')], {}, 'register', /GET \/greeting is defined already/, ['/greeting']],
  ];
  for (const [entries, settings, step, reason, others] of wrong) {
    const { plugins, paths } = await load(entries, settings);
    t.match(plugins.failures, [{ step, reason }]);
    t.strictSame(paths(), others, `${reason}`);
  }
});

t.test('settings for a plugin that does not run are reported', async (t) => {
  const { lines } = await load([own('well-behaved')], { 'wel-behaved': {} });
  t.ok(lines.some((line) => line.includes('plugin_settings.wel-behaved')));
});

t.test(
  'when a plugin uses another plugin, the other plugin is loaded before it, also where the list does not name it',
  async (t) => {
    const { plugins } = await load(['indices', 'assessment']);
    const wanted = ['notes', 'calibration', 'assessment', 'indices'];
    t.strictSame([plugins.names, plugins.failures], [wanted, []]);
    const { plugins: alone } = await load(['indices']);
    t.strictSame(alone.names, wanted);
  },
);

t.test('a plugin gets what another plugin offers, until its own end', async (t) => {
  const { plugins } = await load([own('offers'), own('uses-offer')]);
  t.strictSame(plugins.failures, []);
  await plugins.stop();
  t.strictSame(journal, ['at the end: hello from offers', 'offers has ended']);
});

t.test('a plugin without another plugin that it uses fails, and the log names both', async (t) => {
  const { plugins } = await load([own('uses-offer')]);
  t.match(plugins.failures, [
    { entry: 'offers', step: 'import' },
    { entry: own('uses-offer'), step: 'register', reason: 'it needs the plugin offers, which failed' },
  ]);
  const { plugins: twice } = await load(['offers', own('uses-offer')]);
  t.strictSame(
    twice.failures.map(({ entry }) => entry),
    ['offers', own('uses-offer')],
    'a plugin that failed is not begun again',
  );
});

t.test('stopping undoes everything in reverse order, once', async (t) => {
  const { plugins, paths } = await load([own('well-behaved')]);
  await plugins.stop();
  await plugins.stop();
  t.strictSame(paths(), []);
  t.strictSame(journal, ['last registered, signal aborted: true', 'first registered, last undone']);
});

t.test('a plugin that never ends its stop is named, and the others are stopped beside it', async (t) => {
  const clock = new VirtualClock();
  const hanging = fileURLToPath(new URL('../app/never-stops.ts', import.meta.url));
  const { plugins, paths, lines } = await load([own('well-behaved'), hanging], {}, clock);
  let ended = false;
  void plugins.stop().then(() => {
    ended = true;
  });
  await clock.advance(1_000);
  await new Promise((resolve) => setImmediate(resolve));
  t.strictSame(journal, ['last registered, signal aborted: true', 'first registered, last undone']);
  t.notOk(paths().includes('/greeting'));
  t.ok(lines.some((line) => line.includes('plugin never-stops does not stop')));
  t.notOk(ended, 'who stops it says that it hangs');
});

t.test('every built-in plugin loads, and no two share a path', async (t) => {
  const { PROPERTIES } = await import('../../lib/settings/schema.ts');
  const { plugins, table } = await load(PROPERTIES.plugins.default);
  t.strictSame(plugins.failures, []);
  t.strictSame(plugins.names, PROPERTIES.plugins.default);
  for (const { route } of [...table.routes, ...table.sockets]) t.doesNotThrow(() => assertSchemas(route), route.path);
});

t.test('names that older settings have still load what they loaded, once', async (t) => {
  const { plugins, paths } = await load(['weightings', 'timing', 'settings', 'power', 'report']);
  t.teardown(() => plugins.stop());
  t.strictSame(
    plugins.names,
    ['settings', 'notes', 'calibration', 'assessment', 'permits', 'reports'],
    'with what reports uses',
  );
  t.strictSame(plugins.failures, []);
  t.ok(paths().includes('/{unit_id}/report'));
  t.ok(paths().includes('/{unit_id}/lp-interval') && paths().includes('/{unit_id}/wake'));
});
