/** From an entry of the setting `plugins` to a plugin: a built-in name, a path, or the name of an installed package. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Plugin } from './contract.ts';

// Found by path at run time: the host does not know its plugins.
const BUILT_IN = fileURLToPath(new URL('../../plugins', import.meta.url));
const NAME = /^[a-z][a-z0-9-]*$/;

/** What to import. A built-in plugin wins over a package of the same name. */
export function specifierOf(entry: string): string {
  if (/^\.{0,2}\//.test(entry)) return pathToFileURL(resolve(entry)).href;
  const files = NAME.test(entry) ? [`${entry}.ts`, `${entry}/index.ts`] : [];
  const file = files.map((name) => resolve(BUILT_IN, name)).find((path) => existsSync(path));
  return file ? pathToFileURL(file).href : entry;
}

/** The default export of a module, if it is a plugin. Throws with what is missing. */
export function pluginIn(module: { readonly default?: unknown }): Plugin {
  const plugin = module.default;
  if (typeof plugin !== 'object' || plugin === null) throw new Error('its default export is not a plugin');
  if (!('name' in plugin && typeof plugin.name === 'string' && NAME.test(plugin.name))) {
    throw new Error('its name must be lower-case letters, digits and dashes');
  }
  if (!('register' in plugin && typeof plugin.register === 'function')) throw new Error('it has no register function');
  return plugin as Plugin;
}
