/** The defaults of the built-in plugins are what their schemas allow, and a start has them without a check. */
import { readdirSync } from 'node:fs';
import { parse } from 'node:path';
import t from 'tap';
import type { LoadablePlugin } from '../../lib/plugin/contract.ts';
import { specifierOf } from '../../lib/plugin/find.ts';
import { settingsOf } from '../../lib/plugin/settings.ts';

for (const { name } of readdirSync(new URL('../../plugins/', import.meta.url)).map(parse))
  t.test(`the usual settings of the plugin ${name} are those that the check leaves`, async (t) => {
    const { default: plugin }: { default: LoadablePlugin } = await import(specifierOf(name));
    t.strictSame(settingsOf(plugin, undefined, true), settingsOf(plugin, undefined));
  });

t.test('what is given is checked, also for a built-in plugin, and nested defaults are there', async (t) => {
  const part = { type: 'object', properties: { days: { type: 'integer', default: 3 } }, default: {} };
  const plugin: LoadablePlugin = {
    name: 'own',
    settings: {
      type: 'object',
      properties: { kept: part, lang: { type: ['string', 'null'] } },
      default: { lang: null },
    },
    register() {},
  };
  t.strictSame(settingsOf(plugin, undefined, true), { lang: null, kept: { days: 3 } });
  t.strictSame(settingsOf(plugin, undefined), { lang: null, kept: { days: 3 } });
  t.throws(() => settingsOf(plugin, { kept: { days: 'x' } }, true), { message: /plugin_settings\.own: .kept.days/ });
  t.throws(() => settingsOf({ ...plugin, settings: { ...plugin.settings, default: { lang: 7 } } }, undefined), {
    message: /plugin_settings\.own: .lang/,
  });
});
