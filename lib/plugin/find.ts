/**
 * Finds a plugin for an entry of the setting `plugins`: a built-in name, a path, or the name of an installed package.
 */
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { extname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ROOT } from '../root.ts';
import { isPath } from '../system.ts';
import type { LoadablePlugin } from './contract.ts';

// Found by path at run time: the host does not know its plugins. The build has the same folders, in JavaScript.
const ENDING = extname(import.meta.url);
const BUILT_IN = fileURLToPath(new URL('plugins/', ROOT));
const NAME = /^[a-z][a-z0-9-]*$/;

/** Module that plugins import: as a package, or by its path in the sources. The build is next to the sources. */
const INDEX = new URL(`lib/index${ENDING}`, ROOT).href;
const SOURCE_INDEX = ENDING === '.ts' ? INDEX : new URL('../lib/index.ts', ROOT).href;
const PACKAGE = 'slm-gateway';

/** Names of plugins that are part of another plugin now. Older settings may still have them. */
const MERGED: Readonly<Record<string, string>> = {
  'device-info': 'settings',
  weightings: 'settings',
  timing: 'settings',
  power: 'settings',
  seals: 'evidence',
  report: 'reports',
};

/**
 * The list with present names: of several old names of one plugin the first stays, unless the plugin itself is in the
 * list.
 */
export function withPresentNames(entries: readonly string[]): readonly string[] {
  const names = entries.map((entry) => (Object.hasOwn(MERGED, entry) ? (MERGED[entry] ?? entry) : entry));
  return names.filter((name, at) => name === entries[at] || (!entries.includes(name) && names.indexOf(name) === at));
}

/** Module to import. A built-in plugin is preferred to a package of the same name. */
export function specifierOf(entry: string): string {
  if (isPath(entry)) return pathToFileURL(resolve(entry)).href;
  return builtIn(entry) ?? entry;
}

/** Cache of built-in plugins: each start asks three times. */
const found = new Map<string, string>();

/** The URL of a built-in plugin; undefined for another word. */
export function builtIn(entry: string): string | undefined {
  const files = NAME.test(entry) && !found.has(entry) ? [`${entry}${ENDING}`, `${entry}/index${ENDING}`] : [];
  const file = files.map((name) => resolve(BUILT_IN, name)).find((path) => existsSync(path));
  if (file) found.set(entry, pathToFileURL(file).href);
  return found.get(entry);
}

/**
 * From now on plugins get the modules of this gateway under `slm-gateway`, wherever they are. A second copy of the
 * modules would fail, because the gateway would not recognise its errors. Returns a function that ends this.
 */
export function offerToPlugins(): () => void {
  const own = { url: INDEX, shortCircuit: true };
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === PACKAGE) return own;
      const module = next(specifier, context);
      return module.url === SOURCE_INDEX ? own : module;
    },
  });
  return () => hooks.deregister();
}

/** The default export of a module, if it is a plugin. Throws with the missing part. */
export function pluginIn(module: { readonly default?: unknown }): LoadablePlugin {
  const plugin = module.default;
  if (typeof plugin !== 'object' || plugin === null) throw new Error('its default export is not a plugin');
  if (!('name' in plugin && typeof plugin.name === 'string' && NAME.test(plugin.name))) {
    throw new Error('its name must be lower-case letters, digits and dashes');
  }
  if (!('register' in plugin && typeof plugin.register === 'function')) throw new Error('it has no register function');
  return plugin as LoadablePlugin;
}
