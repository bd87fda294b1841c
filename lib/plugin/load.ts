/**
 * Loads plugins in the order of the list. A plugin that fails is named in the log with the failed step. Its
 * registrations are undone, and the other plugins continue.
 */
import { type Clock, unlessAborted, within } from '../clock.ts';
import { messageOf, OpeningError } from '../errors.ts';
import { assertSchemas } from '../http/routes.ts';
import type { LoadablePlugin } from './contract.ts';
import { builtIn, offerToPlugins, pluginIn, specifierOf, withPresentNames } from './find.ts';
import { createHost, type Offer, type RunningPlugin } from './host.ts';
import { settingsOf } from './settings.ts';

/** Where loading a plugin failed. */
type LoadStep = 'import' | 'shape' | 'settings' | 'register';

/** A plugin that was not loaded, and the reason. */
export interface Failure {
  /** As in the setting `plugins`. */
  readonly entry: string;
  readonly step: LoadStep;
  readonly reason: string;
}

/** Loaded and failed plugins. */
export interface LoadedPlugins {
  readonly names: readonly string[];
  readonly failures: readonly Failure[];
  /** Undoes all of them, the last one first. */
  stop(): Promise<void>;
}

/** Time limit for the import of a plugin, and for its registration: a hanging plugin must not stop the start. */
const LIMIT_MS = 30_000;

/** A plugin that stops delays the next plugin no longer than this, ms. */
const STOP_MS = 1_000;

function inTime<T>(clock: Clock, what: LoadStep | 'stop', work: Promise<T>, limitMs = LIMIT_MS): Promise<T> {
  const late = () => new Error(`its ${what} did not end within ${limitMs / 1_000} s`);
  return within(clock, limitMs, late, (signal) => unlessAborted(work, signal));
}

/** By the name of the plugin. */
export type PluginSettings = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Loads the listed plugins. `settings`: those of `plugin_settings`; `ofGateway`: settings of plugins that are among the
 * gateway's own, which count more. The gateway runs without a plugin that fails. Rejects with OpeningError `newer` if a newer
 * release has changed the tables of a built-in plugin: the older gateway must not use them. Without the plugin, for
 * example without alerts, nobody would notice.
 */
export async function loadPlugins(
  listed: readonly string[],
  settings: PluginSettings,
  offer: Offer,
  ofGateway: PluginSettings = {},
): Promise<LoadedPlugins> {
  const entries = withPresentNames(listed);
  const running = new Map<string, RunningPlugin>();
  const failures: Failure[] = [];
  const withdraw = entries.every(builtIn) ? () => {} : offerToPlugins();
  const stop = async () => {
    const ends: Promise<void>[] = [];
    for (const [name, { undo }] of [...running].reverse()) {
      const end = undo();
      ends.push(end);
      // The others are stopped although one hangs.
      await inTime(offer.clock, 'stop', end, STOP_MS).catch((error: unknown) =>
        offer.log.error({ plugin: name, reason: messageOf(error) }, `plugin ${name} does not stop`),
      );
    }
    await Promise.all(ends);
    withdraw();
  };
  const begun = new Set<string>();
  const startOne = async (entry: string): Promise<void> => {
    const at: { step: LoadStep } = { step: 'import' };
    try {
      const plugin = await imported(entry, offer, at);
      for (const other of plugin.uses ?? []) {
        if (running.has(other) || begun.has(other)) continue;
        begun.add(other);
        await startOne(other);
      }
      if (running.has(plugin.name)) throw new Error(`a plugin named ${plugin.name} is running already`);
      at.step = 'settings';
      const given = bothOf(settings[plugin.name], ofGateway[plugin.name]);
      const own = settingsOf(plugin, given, builtIn(entry) !== undefined);
      at.step = 'register';
      running.set(plugin.name, await register(plugin, own, offer, builtIn(entry) ? () => {} : assertSchemas, running));
    } catch (error) {
      begun.add(entry);
      if (builtIn(entry) !== undefined && isNewer(error)) throw error;
      failures.push({ entry, step: at.step, reason: messageOf(error) });
      offer.log.error({ plugin: entry, step: at.step, err: error }, `plugin ${entry} failed at step ${at.step}`);
    }
  };
  try {
    for (const entry of entries) if (!begun.has(entry)) await startOne(entry);
  } catch (error) {
    await stop();
    throw error;
  }
  for (const name of Object.keys(settings).filter((name) => !running.has(name))) {
    offer.log.warn({ plugin: name }, `plugin_settings.${name}: no plugin of this name is running`);
  }
  return { names: [...running.keys()], failures, stop };
}

const isNewer = (error: unknown): boolean => error instanceof OpeningError && error.problem === 'newer';

async function imported(entry: string, offer: Offer, at: { step: LoadStep }): Promise<LoadablePlugin> {
  const module: { default?: unknown } = await inTime(offer.clock, 'import', import(specifierOf(entry)));
  at.step = 'shape';
  return pluginIn(module);
}

/** Undefined: the plugin has its defaults. */
const bothOf = (given: PluginSettings[string] | undefined, ofGateway: PluginSettings[string] | undefined) =>
  given || ofGateway ? { ...given, ...ofGateway } : undefined;

async function register(
  plugin: LoadablePlugin,
  settings: unknown,
  offer: Offer,
  check: typeof assertSchemas,
  running: ReadonlyMap<string, RunningPlugin>,
): Promise<RunningPlugin> {
  const { host, undo } = createHost(plugin, settings, offer, check, running);
  if (plugin.about !== undefined) offer.table.describe(plugin.name, plugin.about);
  try {
    const offered = await inTime(offer.clock, 'register', Promise.resolve(plugin.register(host)));
    return { undo, offered };
  } catch (error) {
    await undo();
    throw error;
  }
}
